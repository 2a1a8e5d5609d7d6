"""A pair of covariances of one layer, before and after its ReLU, and how few units it can have.

Bounds from below, proven for every pair within a tolerance t of the one given, entry by entry:

  rank: eigenvalues above N t cannot vanish (Weyl).

  cliques: let |A' - A| <= t and A' = sum_b b b^T with b >= 0, in k terms. The sets
    {i: b_i > sqrt(2 t)} are cliques of the graph {A_ij > t}. Outside of all of them
    b_i b_j <= sqrt(2 t A'_max), so these k sets cover every pair with
    A_ij > t + k sqrt(2 t (A_max + t)). One may put N (N + 1) / 2 for k in this limit, as no cover
    needs more.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from repcost.covariances.cliques import Graph, Sets, clique_cover
from repcost.covariances.cost import Covariance

Factor = Float[np.ndarray, "N k"]

# A per cent above what the mathematics asks for, which is more than rounding takes of it.
_MARGIN = 1.01


@dataclass(frozen=True, eq=False)
class CovariancePair:
    """Two covariances (N, N) of one layer, with entries of size one at most.

    A layer Z (N, k) has them if Z Z^T = before and relu(Z) relu(Z)^T = after, up to
    `tolerance` in every entry.

    >>> pair = CovariancePair(np.eye(2), np.diag([1.0, 0.0]), 1e-10)
    >>> pair.lower, pair.fits(np.array([[1.0, 0.0], [0.0, -1.0]]))
    (2, True)
    """

    before: Covariance
    after: Covariance
    tolerance: float

    @cached_property
    def _cover(self) -> tuple[int, Sets]:
        N, t = len(self.before), self.tolerance
        strong = t + _MARGIN * N * (N + 1) / 2 * np.sqrt(2 * t * (self.after.max() + t))
        return clique_cover(self.graph, self.after > strong)

    @property
    def graph(self) -> Graph:
        """Which points a unit may be active on together."""
        return self.after > self.tolerance

    @property
    def cover(self) -> Sets:
        """Cliques that cover the graph, as few as the lower bound; none where that is too large.

        Units that are active on these sets of points are where a search begins.
        """
        return self._cover[1]

    @property
    def lower(self) -> int:
        """No Z has fewer columns; see the top of this file."""
        # 1e-14: what the eigenvalues of entries of size one are off.
        least = _MARGIN * len(self.before) * (self.tolerance + 1e-14)
        ranks = (int((np.linalg.eigvalsh(A) > least).sum()) for A in (self.before, self.after))
        return max(self._cover[0], *ranks)

    @property
    def one_sign(self) -> Bool[np.ndarray, "N 1"]:
        """Points where no unit can be negative: there relu takes nothing off the square."""
        return (np.diag(self.before) - np.diag(self.after) <= self.tolerance)[:, None]

    @property
    def is_nonnegative(self) -> bool:
        """Whether no unit can be negative anywhere, and both covariances are the same."""
        return self.before is self.after

    def worst(self, Z: Factor) -> float:
        """The largest error of an entry."""
        A = np.maximum(Z, 0.0)
        return float(max(np.abs(Z @ Z.T - self.before).max(), np.abs(A @ A.T - self.after).max()))

    def fits(self, Z: Factor) -> bool:
        """Whether the layer Z has these covariances: a proof, whatever found it."""
        # The rest of the tolerance is for rounding: entries of these products are sums of k numbers
        # below 1.
        return self.worst(Z) < 0.9 * self.tolerance
