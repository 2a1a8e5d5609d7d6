"""The cost of a network with linear layers in front, and how it is shared among the units."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket, Brackets
from repcost.conventions import WEIGHTS_OVER_DEPTH
from repcost.conversions import as_floats
from repcost.costs.linear_layers.arguments import takes_network
from repcost.costs.linear_layers.contraction import fixed_point
from repcost.costs.linear_layers.coordinates import FAINTEST, graded_coordinates
from repcost.costs.linear_layers.power_sums import CertifiedEnds
from repcost.costs.linear_layers.routes import cost_ends
from repcost.costs.linear_layers.scaled_rows import ScaledRows
from repcost.deep_networks import DeepNet, as_two_layer
from repcost.networks import TwoLayer
from repcost.scalars import relative_tolerance, whole_depth


@takes_network(
    "linear_layers_cost(TwoLayer(W, a), depth), or linear_layers_costs(W, a, depth) for many"
)
def linear_layers_cost(net: TwoLayer | DeepNet, depth: int, *, rtol: float = 1e-10) -> Bracket:
    """The least weight cost of sum_k a_k [<w_k, x> + b_k]_+ with linear layers in front.

    Phi_L of Ongie & Willett (2022), eqs. (11) and (14), for L = `depth` layers, all but the
    last two linear, and for the units of `net`, which has one hidden layer of ReLUs and one
    output: the cost is (|a|^2 + sum |W_i|_F^2)/L and biases are free; depth counts all layers,
    and 2 is sum_k |a_k| |w_k|. It is the cost of the function if no two units bend at the same
    hyperplane. Phi_L depends on W and a only: who has no biases writes `TwoLayer(W, a)`, and
    `linear_layers_costs` takes many at once.

    Certified for exactly these floats, with a relative gap of at most `rtol` where they allow
    it; the `reason` of a wider Bracket says why they do not (of more than 20,000 weights, gaps up
    to 1e-7 are left as they are). Where rows are dependent up to rounding only, Phi_L feels
    rounding as its power 2/L: the lower end is the cost with that rounding removed, and the gap is
    what it may add. Rows of all sizes are taken, of which sizes alone may be all that is used
    (`magnitudes`); refused are rows whose own entries differ by more than 2^1000, and costs larger
    than floats go.

    >>> cost = linear_layers_cost(TwoLayer([[1.0, 0.0], [0.0, 1.0]], [8.0, 1.0]), 3)
    >>> round(cost.value, 9), cost.relative_gap < 1e-10
    (5.0, True)
    """
    net = as_two_layer(net)
    # One problem is a batch of one.
    ends = _ends(net.W[None], net.a[None], depth, rtol)
    lower, upper = np.asarray(ends.lower).item(), np.asarray(ends.upper).item()
    return Bracket(lower, upper, "certified", counts=WEIGHTS_OVER_DEPTH, reason=ends.reason)


def linear_layers_costs(W: ArrayLike, a: ArrayLike, depth: int, *, rtol: float = 1e-10) -> Brackets:
    """`linear_layers_cost` of B networks at once: W is (B, K, d), a is (B, K).

    Of arrays, because a batch has no networks: to make one of each small problem would cost as
    much as to solve it.

    >>> costs = linear_layers_costs([[[1, 0], [0, 1]], [[0, 1], [0, 0]]], [[8, 1]] * 2, 3)
    >>> costs.value.round(9).tolist(), round(costs[1].value, 9)
    ([5.0, 4.0], 4.0)
    """
    W = as_floats(W, "W")
    if W.ndim == 2:
        which = "linear_layers_cost is for one network"
        raise ValueError(f"W must have 3 axes, but its shape is {W.shape}; {which}")
    W, a = finite_array(W, "W", 3), finite_array(a, "a", 2)
    if a.shape != W.shape[:-1]:
        raise ValueError(
            f"a has shape {a.shape}, but W has shape {W.shape}; a needs one entry per row of W"
        )
    ends = _ends(W, a, depth, rtol)
    return Brackets(
        ends.lower, ends.upper, "certified", counts=WEIGHTS_OVER_DEPTH, reason=ends.reason
    )


def _ends(
    W: Float[np.ndarray, "B K d"], a: Float[np.ndarray, "B K"], depth: int, rtol: float
) -> CertifiedEnds:
    depth, rtol = whole_depth(depth), relative_tolerance(rtol, "1e-10")
    return cost_ends(ScaledRows.checked(W, a), depth, rtol)


@takes_network("optimal_shares(TwoLayer(W, a), depth)")
def optimal_shares(net: TwoLayer | DeepNet, depth: int) -> Float[np.ndarray, " K"]:
    """The lambda_k^2 of (11), which add up to 1, for rows that are not zero.

    They are unique, because the map whose fixed point they are contracts.
    """
    net = as_two_layer(net)
    depth = whole_depth(depth)
    rows = ScaledRows.checked(net.W, net.a)
    if depth == 2:
        lengths = rows.factors * np.linalg.norm(rows.directions, axis=-1)
        c = np.ldexp(lengths, rows.exponents - rows.top)
    else:
        # Fainter rows are treated as if they were this large: their shares are next to nothing.
        rows = replace(rows, exponents=np.maximum(rows.exponents, rows.top + FAINTEST))
        c = fixed_point(graded_coordinates(rows), rows.alive, depth, 1e-14, graded=True).c
    return c / c.sum()
