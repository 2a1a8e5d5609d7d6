"""A pair of covariances of one layer, before and after its ReLU: how few units can have it, and a
search for them.

Bounds from below, proven for every pair within a tolerance t of the one given, entry by entry:

  rank: eigenvalues above N t cannot vanish (Weyl).
  cliques: let |A' - A| <= t and A' = sum_b b b^T with b >= 0, in k terms. The sets {i: b_i > sqrt(2
    t)} are cliques of the graph {A_ij > t}. Outside of all of them b_i b_j <= sqrt(2 t A'_max), so
    these k sets cover every pair with A_ij > t + k sqrt(2 t (A_max + t)). One may put N (N + 1) / 2
    for k in this limit, as no cover needs more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import least_squares

from repcost.covariances.cliques import Graph, Sets, clique_cover

Covariance = Float[np.ndarray, "N N"]
Factor = Float[np.ndarray, "N k"]

# Random starts are for small problems: the work of one is (pairs of points)^2 times the entries of
# Z.
_MOST_WORK = 1_000_000
# Starts that have come this near are worth more steps.
_PROMISING = 0.01


@dataclass(frozen=True, eq=False)
class CovariancePair:
    """Find Z with Z Z^T = before and relu(Z) relu(Z)^T = after up to `tolerance`; the entries are
    at most 1.
    """

    before: Covariance
    after: Covariance
    tolerance: float

    @cached_property
    def _cover(self) -> tuple[int, Sets]:
        N, t = len(self.before), self.tolerance
        strong = t + 1.01 * N * (N + 1) / 2 * np.sqrt(2 * t * (self.after.max() + t))
        return clique_cover(self.graph, self.after > strong)

    @property
    def graph(self) -> Graph:
        """Which points a unit may be active on together."""
        return self.after > self.tolerance

    @property
    def cover(self) -> Sets:
        """Sets of points that all units active on a point could share, as few as the lower bound if
        it is exact.
        """
        return self._cover[1]

    @property
    def lower(self) -> int:
        """No Z has fewer columns; see the top of this file."""
        least = 1.01 * len(self.before) * (self.tolerance + 1e-14)
        return max(
            self._cover[0],
            *(int((np.linalg.eigvalsh(A) > least).sum()) for A in (self.before, self.after)),
        )

    @property
    def one_sign(self) -> Bool[np.ndarray, "N 1"]:
        """Points where no unit can be negative."""
        return (np.diag(self.before) - np.diag(self.after) <= self.tolerance)[:, None]

    def worst(self, Z: Factor) -> float:
        """The largest error of an entry."""
        A = np.maximum(Z, 0.0)
        return float(max(np.abs(Z @ Z.T - self.before).max(), np.abs(A @ A.T - self.after).max()))

    def fits(self, Z: Factor) -> bool:
        # The rest of the tolerance is for rounding: entries of these products are sums of k numbers
        # below 1.
        return self.worst(Z) < 0.9 * self.tolerance


def least_width(pair: CovariancePair, most: int, starts: int) -> float:
    """The least number of units for which a Z was found; infinite if none was up to `most`."""
    if pair.fits(np.zeros((len(pair.before), 1))):
        return 0
    least = max(pair.lower, 1)
    # Steps grow, as a pair that no layer has would otherwise be tried with every width.
    widths = sorted(
        {least, max(least, most)} | {least + 2**i for i in range(20) if least + 2**i < most}
    )
    for below, k in pairwise([least - 1, *widths]):
        if _is_found(pair, k, starts):
            return next(
                width
                for width in range(below + 1, k + 1)
                if width == k or _is_found(pair, width, starts)
            )
    return np.inf


def _is_found(pair: CovariancePair, k: int, starts: int) -> bool:
    for Z, low, high in _starting_points(pair, k, starts):
        Z = _least_squares(pair, Z, low, high, 40)
        if pair.worst(Z) > _PROMISING:
            continue
        Z = _least_squares(pair, Z, low, high, 150)
        if not pair.fits(Z):
            # Entries that end at zero are slow to do so, as their squares count. Without them the
            # rest is fast.
            far = np.where(np.abs(Z) > 0.01 * np.abs(Z).max(), np.inf, 0.0)
            Z = _least_squares(pair, Z, -far, far, 40)
        if pair.fits(Z):
            return True
    return False


def _starting_points(
    pair: CovariancePair, k: int, starts: int
) -> Iterator[tuple[Factor, Factor, Factor]]:
    """Values and limits of the entries of Z: each unit is active within a clique, first those of
    the cover.
    """
    N, cover = len(pair.before), pair.cover
    rng = np.random.default_rng(0)
    size = np.sqrt(np.maximum(np.diag(pair.before), 0.0) / k)[:, None]
    large = (N * (N + 1)) ** 2 * N * k > _MOST_WORK
    for start in range(min(starts, 1) if large else starts):
        active = np.column_stack([_random_clique(pair.graph, rng) for _ in range(k)])
        if not start and len(cover) <= k:
            active[:, : len(cover)] = cover.T
        # Within its clique a unit may also be negative, but not at points where none is.
        sign = np.where(pair.one_sign | (start == 0), 1.0, rng.choice([-1.0, 1.0], (N, k)))
        Z = size * np.abs(rng.normal(size=(N, k))) * np.where(active, sign, -1.0)
        yield (
            Z,
            np.where(pair.one_sign, 0.0, np.full((N, k), -np.inf)),
            np.where(~active & pair.one_sign, 0.0, np.inf),
        )


def _random_clique(graph: Graph, rng: np.random.Generator) -> Bool[np.ndarray, " N"]:
    members = np.zeros(len(graph), dtype=bool)
    for v in rng.permutation(len(graph)):
        members[v] = graph[v, v] and graph[v, members].all()
    return members


def _least_squares(
    pair: CovariancePair, Z: Factor, low: Factor, high: Factor, steps: int
) -> Factor:
    """A Z between the limits, near the one given, that fits the pair better."""
    free = low < high
    i, j = np.tril_indices(len(Z))
    pairs = np.arange(len(i))

    def put(x):
        full = np.zeros(Z.shape)
        full[free] = x
        return full

    def residuals(x):
        B = put(x)
        A = np.maximum(B, 0.0)
        return np.concatenate([(B @ B.T - pair.before)[i, j], (A @ A.T - pair.after)[i, j]])

    def jacobian(x):
        B, rows = put(x), np.zeros((2, len(pairs), *Z.shape))
        for part, active in zip(rows, (np.ones(Z.shape), B > 0), strict=True):
            A = B * active
            part[pairs, i] += A[j] * active[i]
            part[pairs, j] += A[i] * active[j]
        return rows[:, :, free].reshape(2 * len(pairs), -1)

    if not free.any():
        return np.zeros(Z.shape)
    inside = np.clip(Z, low + 1e-4, high - 1e-4)[free]
    tolerances = {"ftol": 1e-6, "xtol": 1e-15, "gtol": 1e-15, "max_nfev": steps}
    limits = (low[free], high[free])
    # scipy's own annotation knows the names of finite differences only.
    return put(least_squares(residuals, inside, jacobian, limits, **tolerances).x)  # pyright: ignore[reportArgumentType]
