"""Prices of the products for which lambda is small: a potential, and its descent.

The unknowns are one vector: lambda, and after it all entries of the symmetric P.
"""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from jaxtyping import Float
from scipy.linalg.lapack import dpotrf, dpotri  # pyright: ignore[reportAttributeAccessIssue]

from repcost.shallow.products.form import (
    Block,
    Points,
    Prices,
    Square,
    form,
    least_lambda,
    of_pairs,
)
from repcost.shallow.products.steps import Place, Vector, descended

# What M lacks of lambda at the minimum: much at first, when P is far from good.
_SHARES = (0.8, 0.3, 0.1)
# A change of lambda by this share, in many steps, is not worth more of them.
_FALL = 2e-3
# Prices this many times as large as |V|^2 cost about as much as they may bring. Without that they
# grow without end where products are zero anyhow, as of points that are multiples of one another.
_LARGE = 1e4
# Multiples of |V|^2 for the prices of pairs to begin with.
_FIRST = (1.1, 1.3, 1.6, 2.0, 3.0)


def proposed(Z: Points, V: Float[np.ndarray, "N m"], steps: int) -> Prices:
    """Good prices after so many steps, for points of about length one."""
    squares = V @ V.T
    x, limits = _start(Z, squares), _limits(len(Z))
    for share in _SHARES:
        at = partial(_Place.at, Z, squares, sum(Z.shape) / share)
        fall = _FALL * sum(Z.shape) / share
        place, taken = descended(at, x, limits, steps, fall)
        x, steps = place.x, steps - taken
    return _prices(x, len(Z))


def _prices(x: Vector, N: int) -> Prices:
    return Prices.of(x[1:].reshape(2 * N, 2 * N))


def _limits(N: int) -> Vector:
    """Zero, and none for the pairs; lambda is kept positive by its logarithm."""
    limits = np.zeros((2, N, 2, N))
    i = np.arange(N)
    limits[0, i, 1, i] = limits[1, i, 0, i] = -np.inf
    return np.append(-np.inf, limits)


def _start(Z: Points, squares: Block) -> Vector:
    """The best price of all pairs alike, nothing else having one; and a little above its lambda."""
    N, size = len(Z), float(np.linalg.norm(squares, 2))
    nothing = np.zeros((N, N))
    found = []
    for multiple in _FIRST:
        B = -multiple * size / 2 * np.eye(N)
        found.append((least_lambda(Z, squares, Prices(nothing, B, nothing)), B))
    least, B = min(found, key=lambda each: each[0])
    return np.append(1.2 * least, np.block([[nothing, B], [B, nothing]]))


@dataclass(frozen=True, eq=False)
class _Place(Place):
    """rho log(lambda) - log det M at one point, with the factor R of M = R^T R.

    stiff: what half of the squares of all prices cost.
    """

    x: Vector
    value: float
    Z: Points
    rho: float
    stiff: float
    factor: Square

    @classmethod
    def at(cls, Z: Points, squares: Block, rho: float, x: Vector) -> "_Place":
        stiff = (_LARGE * float(np.trace(squares))) ** -2
        outside = cls(x, np.inf, Z, rho, stiff, squares)
        if x[0] <= 0:
            return outside
        M = form(Z, squares, _prices(x, len(Z)))
        M[np.diag_indices(len(M))] += np.append(np.zeros(len(Z)), np.full(Z.shape[1], x[0]))
        # Symmetric, so that the order of rows and columns does not matter, and no copy is made.
        factor, failed = dpotrf(M.T, lower=0, overwrite_a=1, clean=1)
        if failed:
            return outside
        value = rho * np.log(x[0]) - 2 * np.log(np.diag(factor)).sum()
        return cls(x, float(value + stiff / 2 * (x[1:] @ x[1:])), Z, rho, stiff, factor)

    @cached_property
    def gradient(self) -> Vector:
        inverse, _ = dpotri(self.factor, lower=0)
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        of_lambda = self.rho / self.x[0] - np.trace(inverse[len(self.Z) :, len(self.Z) :])
        of_prices = of_pairs(self.Z, inverse).ravel() + self.stiff * self.x[1:]
        return np.append(of_lambda, of_prices)

    @cached_property
    def curvatures(self) -> Vector:
        """Exact for the entries of P; for lambda of the right size."""
        N = len(self.Z)
        G = self.gradient[1:].reshape(2 * N, 2 * N)
        sizes = np.maximum(np.diag(G), 1e-300)
        return np.append(N / self.x[0] ** 2, np.outer(sizes, sizes) + G**2)
