"""A search for layers with a given pair of covariances, by least squares from many starts.

Proposals only: `CovariancePair.fits` measures what is found. A start says for each unit on which
points it is active, a clique of the graph, and for each entry of Z between which limits it may
move.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import least_squares

from repcost.covariances.nonnegative_steps import nonnegative_factor
from repcost.covariances.pairs import CovariancePair, Factor

Flat = Float[np.ndarray, " free"]

# Random starts are for small problems: the work of one is (pairs of points)^2 times the entries of
# Z. Nonnegative factors have half the equations, and much shorter steps.
_MOST_WORK, _MOST_NONNEGATIVE_WORK = 1_000_000, 10_000_000
# Starts that have come this near are worth more steps.
_PROMISING = 0.01
# Steps for every start, for the promising ones, and for those without their small entries.
_FIRST_STEPS, _MORE_STEPS, _LAST_STEPS = 40, 150, 40


@dataclass(frozen=True, eq=False)
class Start:
    """A layer, and between which limits each of its entries may move."""

    Z: Factor
    low: Factor
    high: Factor


def least_width(pair: CovariancePair, most: int, starts: int) -> float:
    """The least number of units for which a Z was found; infinite if none was up to `most`.

    >>> least_width(CovariancePair(np.eye(2), np.eye(2), 1e-10), 4, 2)
    2
    """
    if pair.fits(np.zeros((len(pair.before), 1))):
        return 0
    for below, k in pairwise(_widths(max(pair.lower, 1), most)):
        if _is_found(pair, k, starts):
            between = range(below + 1, k)
            return next((width for width in between if _is_found(pair, width, starts)), k)
    return np.inf


def _widths(least: int, most: int) -> list[int]:
    """least - 1 and the widths to try: from `least` to `most` in growing steps.

    A pair that no layer has would otherwise be tried with every width.
    """
    growing = {least + 2**i for i in range(20) if least + 2**i < most}
    return [least - 1, *sorted({least, max(least, most)} | growing)]


def _is_found(pair: CovariancePair, k: int, starts: int) -> bool:
    return any(_leads_to_a_layer(pair, start) for start in _starts(pair, k, starts))


def _leads_to_a_layer(pair: CovariancePair, start: Start) -> bool:
    Z = fitted(pair, start, _FIRST_STEPS)
    if pair.worst(Z) > _PROMISING:
        return False
    Z = fitted(pair, replace(start, Z=Z), _MORE_STEPS)
    if not pair.fits(Z):
        # Entries that end at zero are slow to do so, as their squares count. Without them the rest
        # is fast.
        far = np.where(np.abs(Z) > 0.01 * np.abs(Z).max(), np.inf, 0.0)
        Z = fitted(pair, Start(Z, -far, far), _LAST_STEPS)
    return pair.fits(Z)


def _starts(pair: CovariancePair, k: int, starts: int) -> Iterator[Start]:
    """Each unit is active within a clique, in the first start within one of the cover."""
    N, cover = len(pair.before), pair.cover
    rng = np.random.default_rng(0)
    most = _MOST_NONNEGATIVE_WORK if pair.is_nonnegative else _MOST_WORK
    large = (N * (N + 1)) ** 2 * N * k > most
    for start in range(min(starts, 1) if large else starts):
        active = np.column_stack([_random_clique(pair.graph, rng) for _ in range(k)])
        if not start and len(cover) <= k:
            active[:, : len(cover)] = cover.T
        # Within its clique a unit may also be negative, but not at points where none is.
        sign = np.where(pair.one_sign | (start == 0), 1.0, rng.choice([-1.0, 1.0], (N, k)))
        yield _start(pair, active, sign, rng)


def _start(
    pair: CovariancePair,
    active: Bool[np.ndarray, "N k"],
    sign: Factor,
    rng: np.random.Generator,
) -> Start:
    """Random sizes with the diagonal of `before` on average; negative outside of the clique."""
    squares = np.maximum(np.diag(pair.before), 0.0)
    size = np.sqrt(squares / active.shape[1])[:, None]
    Z = size * np.abs(rng.normal(size=active.shape)) * np.where(active, sign, -1.0)
    # Where no unit can be negative, one that is not active is zero.
    low = np.where(pair.one_sign, 0.0, np.full(active.shape, -np.inf))
    return Start(Z, low, np.where(~active & pair.one_sign, 0.0, np.inf))


def _random_clique(graph: Bool[np.ndarray, "N N"], rng: np.random.Generator) -> np.ndarray:
    members = np.zeros(len(graph), dtype=bool)
    for v in rng.permutation(len(graph)):
        members[v] = graph[v, v] and graph[v, members].all()
    return members


@dataclass(frozen=True, eq=False)
class _Errors:
    """The errors of both covariances as a function of the entries of Z that are free to move."""

    pair: CovariancePair
    free: Bool[np.ndarray, "N k"]

    def put(self, x: Flat) -> Factor:
        Z = np.zeros(self.free.shape)
        Z[self.free] = x
        return Z

    def __call__(self, x: Flat) -> Float[np.ndarray, " equations"]:
        """Each pair of points once, before and after the activation."""
        B = self.put(x)
        A, (i, j) = np.maximum(B, 0.0), np.tril_indices(len(B))
        errors = (B @ B.T - self.pair.before)[i, j], (A @ A.T - self.pair.after)[i, j]
        return np.concatenate(errors)

    def jacobian(self, x: Flat) -> Float[np.ndarray, "equations free"]:
        B = self.put(x)
        i, j = np.tril_indices(len(B))
        pairs = np.arange(len(i))
        rows = np.zeros((2, len(pairs), *B.shape))
        for part, active in zip(rows, (np.ones(B.shape), B > 0), strict=True):
            A = B * active
            # On the diagonal, i = j, both terms fall on the same entry.
            part[pairs, i] += A[j] * active[i]
            part[pairs, j] += A[i] * active[j]
        return rows[:, :, self.free].reshape(2 * len(pairs), -1)


def fitted(pair: CovariancePair, start: Start, steps: int) -> Factor:
    """A Z between the limits, near the one given, that fits the pair better."""
    free = start.low < start.high
    if not free.any():
        return np.zeros(free.shape)
    if pair.is_nonnegative:
        return nonnegative_factor(pair.after, start.Z, free, steps)
    errors = _Errors(pair, free)
    # scipy asks for a start that is not on the limits.
    inside = np.clip(start.Z, start.low + 1e-4, start.high - 1e-4)[free]
    limits = (start.low[free], start.high[free])
    tolerances = {"ftol": 1e-6, "xtol": 1e-15, "gtol": 1e-15, "max_nfev": steps}
    # scipy's own annotation knows the names of finite differences only.
    jacobian: Any = errors.jacobian
    # Its steps divide by singular values that may be zero; what is found is measured anyway.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        try:
            found = least_squares(errors, inside, jacobian, limits, **tolerances)
        # Its singular values need not converge either.
        except np.linalg.LinAlgError:
            return start.Z
    return errors.put(found.x)
