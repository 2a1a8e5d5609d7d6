"""What prices of the products prove of the steepest neuron, with everything that is rounded.

Points and multipliers are multiplied by powers of two, so that the rows of the points, their norm
and the multiplier are of size one: that does not round. The prices are floats, and M is a matrix of
sums of products of floats. Each entry is off by less than 2 N + m + 10 units of the same sum with
all signs taken away. A norm of those sums bounds what M is off in all.

If a Cholesky factorisation in floats of n rows comes to its end, then the matrix has no eigenvalue
below minus gamma_(n+1) / (1 - gamma_(n+1)) times its trace (Rump 2006, Verification of positive
definiteness; Higham 2002, theorem 10.3, in whatever order the sums are taken). Both are taken from
the diagonal first, twice as large or more: what is left has a factor only if M has no negative
eigenvalue.
"""

import numpy as np
from jaxtyping import Float
from scipy.linalg.lapack import dpotrf  # pyright: ignore[reportAttributeAccessIssue]

from repcost.rounding import TINY, UNIT
from repcost.scales import exponent_of, exponents_of_rows
from repcost.shallow.products.form import Points, Prices, Square, form, least_lambda
from repcost.shallow.products.multipliers import proposed

Multiplier = Float[np.ndarray, "N m"]

# By how much lambda may be above the least one, until there is a proof.
_ABOVE = (1e-9, 1e-7, 1e-5, 1e-3, 1e-1)
# Singular values of the points below this share of the first are left to the proof.
_RANK = 1e-9


def height_by_products(Xt: Float[np.ndarray, "N d"], V: Multiplier, steps: int) -> float:
    """At least max |V^T relu(Xt w)| over |w| <= 1, after so many steps; infinite if none is proved.

    Both are of size about one. Of the points below the first is the longest, and no neuron that is
    active at others is steeper than its own, which has the height one:

    >>> X = np.array([[1.0, 0.0], [-0.5, 0.75], [-0.5, -0.75]])
    >>> 1.0 <= height_by_products(X, np.eye(3), 500) < 1.02
    True
    """
    kept = Xt.any(axis=1) & V.any(axis=1)
    if not kept.any():
        return 0.0
    Z, V = Xt[kept], V[kept]
    rows = exponents_of_rows(Z)
    Z, V = np.ldexp(Z, -rows[:, None]), np.ldexp(V, rows[:, None])
    points, multiplier = exponent_of(float(np.linalg.norm(Z, 2))), exponent_of(V)
    Z, V = np.ldexp(Z, -points), np.ldexp(V, -multiplier)
    prices = _allowed(proposed(_in_few_dimensions(Z), V, steps))
    height = np.sqrt(proved_lambda(Z, V, prices)) * (1 + 8 * UNIT)
    return float(np.ldexp(height, points + multiplier)) + TINY


def proved_lambda(Z: Points, V: Multiplier, prices: Prices) -> float:
    """A lambda for which M surely has no negative eigenvalue; infinite if none is found."""
    squares = V @ V.T
    least = max(least_lambda(Z, squares, prices), TINY)
    if not np.isfinite(least):
        return np.inf
    M, errors = form(Z, squares, prices), _errors(Z, V, prices)
    inside = np.append(np.zeros(len(Z)), np.ones(Z.shape[1]))
    for above in _ABOVE:
        value = least * (1 + above)
        sizes = np.abs(np.diag(M)) + inside * value
        # Twice the bound, and the rounding of the diagonal, where lambda and this are added.
        taken = 2 * errors + 4 * (len(M) + 10) * UNIT * sizes.sum()
        if _has_factor(M + np.diag(inside * value - taken)):
            return value
    return np.inf


def _errors(Z: Points, V: Multiplier, prices: Prices) -> float:
    """At least the norm of what `form` is off: that of the same sums without signs, in units."""
    N, m = V.shape
    sizes = Prices(*(-np.abs(part) for part in (prices.A, prices.B, prices.D)))
    sums = form(np.abs(Z), -np.abs(V) @ np.abs(V.T), sizes)
    return 2 * (2 * N + m + 10) * UNIT * float(np.linalg.norm(sums)) + TINY


def _has_factor(M: Square) -> bool:
    return dpotrf(M, lower=1, clean=0)[1] == 0


def _allowed(prices: Prices) -> Prices:
    """The same without what the search has rounded: symmetric, no entry negative but of pairs."""
    A, D = (np.maximum((part + part.T) / 2, 0.0) for part in (prices.A, prices.D))
    B = np.maximum(prices.B, 0.0)
    np.fill_diagonal(B, np.diag(prices.B))
    return Prices(A, B, D)


def _in_few_dimensions(Z: Points) -> Float[np.ndarray, "N few"]:
    """The points in coordinates of their span, where it is smaller."""
    left, sizes, _ = np.linalg.svd(Z, full_matrices=False)
    kept = sizes > _RANK * sizes[0]
    return left[:, kept] * sizes[kept]
