"""What the paper bounds Phi_L by: from above through a basis, from below through one matrix.

**The bound through a basis, for floats.** For orthonormal columns v_j that span the rows m_k it is
sum_j s_j^(2/L) with s_j = sum_k |<m_k, v_j>|. Floats V are neither quite orthonormal nor do they
quite span the rows, and both matter: what V misses adds its power 2/L. So the bound is taken at an
exactly orthonormal basis next to V, which the floats only bracket:

  1. With |V^T V - 1| <= nu, the columns of V (V^T V)^(-1/2) are orthonormal, and off by nu at most.
  2. If the rows are proved to have as many directions as V has columns, those turn into the row
     space by an angle of at most |R| / s, where R are the parts of unit rows that V misses and s
     is the smallest singular value of unit rows in the coordinates V. So each s_j is known up to
     (that angle + nu) sum_k |m_k|, roundings aside.
  3. If not, further columns span what V misses: p = min(K, d - m) of them, and by concavity they
     add p^(1 - 1/L) (sum_k |r_k|)^(2/L) at most, for r_k what is missed of m_k.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket
from repcost.conventions import WEIGHTS_OVER_DEPTH
from repcost.costs.linear_layers.arguments import takes_network
from repcost.costs.linear_layers.coordinates import residual
from repcost.costs.linear_layers.directions import independent_directions
from repcost.costs.linear_layers.orthogonality import departure
from repcost.costs.linear_layers.power_sums import BEYOND_FLOATS, DEPENDENT_UP_TO_ROUNDING
from repcost.costs.linear_layers.scaled_rows import ScaledRows
from repcost.deep_networks import DeepNet, as_two_layer
from repcost.integers import rank_exceeds
from repcost.networks import TwoLayer
from repcost.rounding import UNIT, gamma
from repcost.scalars import whole_depth
from repcost.scales import cost_scaled_back, exponent_if_far

# What columns may be off, to count as orthonormal and as a basis of the rows.
_ROUNDING = 1e-10
# A relative gap above this has a reason.
_NARROW = 1e-10

Basis = Float[np.ndarray, "d m"]


@takes_network("linear_layers_bound(TwoLayer(W, a), depth)")
def linear_layers_bound(
    net: TwoLayer | DeepNet, depth: int, *, basis: ArrayLike | None = None
) -> Bracket:
    """An upper bound of Phi_L: sum_j (sum_k |a_k| |<w_k, v_j>|)^(2/L).

    Theorem 3.9 of Ongie & Willett (2022), eq. (19b), there for L = 3 and the right singular
    vectors v_j of W, which are the default; of the same networks as `linear_layers_cost`. `basis`
    (d, m) holds other orthonormal columns v_j; they must span the rows. 1/L, biases free.

    The Bracket is of the bound at an exactly orthonormal basis next to the floats v_j that spans
    the rows exactly. So its upper end, which is its value, is never below Phi_L, even where the
    rows are dependent up to rounding only; the two ends then differ by what rounding may cost, and
    the Bracket has a `reason`. For rows of any size; refused are entries within one row that differ
    by more than 2^1000, and bounds larger than floats go.

    >>> bound = linear_layers_bound(TwoLayer([[1, 0], [0, 1]], [8, 1]), 3, basis=[[1, 0], [0, 1]])
    >>> round(bound.value, 10)
    5.0
    """
    net = as_two_layer(net)
    W, depth = net.W, whole_depth(depth)
    rows = ScaledRows.checked(W, net.a)
    if basis is None:
        # Vectors of singular values that are rounding would add to the sum what is not there.
        V = np.linalg.svd(_moderate(W), full_matrices=False)[2][: independent_directions(W)].T
    else:
        V = _checked_basis(basis, _moderate(W))
    rows = rows.part(rows.alive)
    if not len(rows.factors):
        return Bracket(0.0, 0.0, "certified", counts=WEIGHTS_OVER_DEPTH)
    lower, upper, missed = _ColumnSums.of(rows, V).ends(depth)
    low, high = (float(end) for end in cost_scaled_back(lower, upper, rows.top, depth))
    if low == np.inf:
        raise ValueError("the bound is larger than floats go; divide a by a power of two first")
    reason = BEYOND_FLOATS if high == np.inf else ""
    if high > low * (1 + _NARROW) and not reason:
        reason = DEPENDENT_UP_TO_ROUNDING if missed else "rounding of rows of different size"
    return Bracket(low, high, "certified", counts=WEIGHTS_OVER_DEPTH, reason=reason)


@dataclass(frozen=True, eq=False)
class _ColumnSums:
    """The s_j of rows divided by 2^top, within `error`; what V misses of them all, and of how many.

    missed is 0 where V is turned into the row space instead.
    """

    sums: Float[np.ndarray, " m"]
    error: float
    missed: float
    further: int

    @classmethod
    def of(cls, rows: ScaledRows, V: Basis) -> "_ColumnSums":
        K, (d, m) = len(rows.factors), V.shape
        # Rows of size 1, whose coordinates keep their digits; sizes that underflow count below.
        sizes = np.ldexp(rows.factors, np.maximum(rows.exponents - rows.top, -1000))
        inside = rows.directions @ V
        lengths = np.linalg.norm(rows.directions, axis=1) * (1 + gamma(d + 2))
        total = float(sizes @ lengths) * (1 + gamma(K + 2)) + K * 2.0**-999
        misses = np.zeros(K) if d == m else residual(rows.directions, inside, V)
        slip = departure(V) + gamma(d + 2) * np.sqrt(d * m) + gamma(K + 2)
        angle = _angle(inside / lengths[:, None], misses / lengths, slip)
        known = d == m or (angle < 0.1 and not rank_exceeds(rows.directions, m))
        turned = 1.2 * angle if known and d > m else 0.0
        error = (slip + turned) * total * 1.01 + K * 2.0**-999
        missed = 0.0 if known else 1.01 * float(sizes @ misses) + K * 2.0**-999
        return cls(sizes @ np.abs(inside), error, missed, min(K, d - m))

    def ends(self, depth: int) -> tuple[float, float, bool]:
        """Of the sum of powers; and whether what V misses has been added to the upper one."""
        power = 2 / depth
        lower = np.maximum(self.sums - self.error, 0.0) ** power
        upper = (self.sums + self.error) ** power
        rounding = UNIT * (len(self.sums) + 2000)
        added = self.further ** (1 - power / 2) * self.missed**power if self.missed else 0.0
        above = (upper.sum() + 1.01 * added) * (1 + rounding)
        return float(lower.sum() * (1 - rounding)), float(above), bool(added)


def _angle(inside: Float[np.ndarray, "K m"], missed: Float[np.ndarray, " K"], slip: float) -> float:
    """How far V is turned from the space of the unit rows, if these have no further directions."""
    s = np.linalg.svd(inside, compute_uv=False)
    least = s[-1] - 4 * slip * np.linalg.norm(inside) if len(inside) >= inside.shape[1] else 0.0
    return float(1.01 * np.linalg.norm(missed) / least) if least > 0 else np.inf


@takes_network("polar_bound(TwoLayer(W, a), Q)")
def polar_bound(net: TwoLayer | DeepNet, Q: ArrayLike) -> float:
    """A lower bound of Phi_3 from any Q of W's shape: sum_k |a_k <w_k, q_k>|^(2/3) for |Q|_2 = 1.

    Any Q is divided by its norm first. Lemma 3.8 of Ongie & Willett (2022), eq. (18); the best
    Q is the polar factor of the optimal D_lambda^(-1) D_a W. Rounded down, so that it is never
    above Phi_3, for rows and Q of any size.

    >>> round(polar_bound(TwoLayer([[1, 0], [0, 1]], [8, 1]), [[1, 0], [0, 1]]), 10)
    5.0
    """
    net = as_two_layer(net)
    W = net.W
    Q = finite_array(Q, "Q", 2)
    if Q.shape != W.shape:
        raise ValueError(f"Q has shape {Q.shape}, but W has shape {W.shape}; they must agree")
    rows = ScaledRows.checked(W, net.a)
    alive = rows.alive & Q.any(1)
    rows, Q = rows.part(alive), _moderate(Q)[alive]
    if not Q.size:
        return 0.0
    d, sizes = W.shape[1], np.ldexp(rows.factors, np.maximum(rows.exponents - rows.top, -1000))
    # The norm is off by a few roundings of the Frobenius norm, each product by d of its terms'.
    norm = np.linalg.norm(Q, 2) + gamma(8 * sum(Q.shape) + 8) * np.linalg.norm(Q)
    terms = rows.directions * Q
    products = np.abs(terms.sum(1)) - gamma(d + 2) * np.abs(terms).sum(1) - 2.0**-1000
    total = ((sizes * np.maximum(products, 0.0) / norm) ** (2 / 3)).sum()
    lower = total * (1 - UNIT * (len(Q) + 1000))
    least = float(cost_scaled_back(lower, lower, rows.top, 3)[0])
    if least == np.inf:
        raise ValueError("the bound is larger than floats go; divide a by a power of two first")
    return least


def _moderate(A: Float[np.ndarray, "m n"]) -> Float[np.ndarray, "m n"]:
    """Divided by a power of two if squares or their sums might leave the range of floats."""
    return np.ldexp(A, -exponent_if_far(A))


def _checked_basis(basis: ArrayLike, W: Float[np.ndarray, "K d"]) -> Basis:
    V = finite_array(basis, "basis", 2)
    if len(V) != W.shape[1]:
        raise ValueError(
            f"basis has {len(V)} rows, but W has {W.shape[1]} columns; columns of basis are vectors"
        )
    # Entries beyond one are not looked at closer: their squares may overflow.
    near_one = np.abs(V).max(initial=0.0) < 2
    if not near_one or np.abs(V.T @ V - np.eye(V.shape[1])).max(initial=0.0) > _ROUNDING:
        raise ValueError("basis is not orthonormal; take the Q of numpy.linalg.qr(basis)")
    # Without this a basis that is too small would give a bound that is too low.
    missed = np.linalg.norm(W - W @ V @ V.T, axis=1)
    if (missed > _ROUNDING * np.linalg.norm(W, axis=1)).any():
        raise ValueError("basis does not span the rows of W; add columns to it")
    return V
