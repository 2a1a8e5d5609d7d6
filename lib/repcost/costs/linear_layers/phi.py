"""The cost of a network with linear layers in front, and how it is shared among the units."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket, Brackets
from repcost.conventions import WEIGHTS_OVER_DEPTH
from repcost.conversions import as_floats
from repcost.costs.linear_layers.contraction import fixed_point
from repcost.costs.linear_layers.coordinates import FAINTEST, graded_coordinates
from repcost.costs.linear_layers.routes import cost_ends
from repcost.costs.linear_layers.scaled_rows import ScaledRows
from repcost.scalars import relative_tolerance, whole_depth


def linear_layers_cost(W: ArrayLike, a: ArrayLike, depth: int, *, rtol: float = 1e-10) -> Bracket:
    """The least weight cost of sum_k a_k [<w_k, x> + b_k]_+ with linear layers in front.

    Phi_L of Ongie & Willett (2022), eqs. (11) and (14), for L = `depth` layers, all but the
    last two linear: W is (K, d), a is (K,), the cost is (|a|^2 + sum |W_i|_F^2)/L and biases
    are free; depth counts all layers, and 2 is sum_k |a_k| |w_k|. It is the cost of the function
    if no two units bend at the same hyperplane. `linear_layers_costs` takes many at once.

    Certified for exactly these floats, with a relative gap of at most `rtol` where they allow
    it; the `reason` of a wider Bracket says why they do not. Where rows are dependent up to
    rounding only, Phi_L feels rounding as its power 2/L: the lower end is the cost with that
    rounding removed, and the gap is what it may add. Rows of all sizes are taken, of which sizes
    alone may be all that is used (`magnitudes`); refused are rows whose own entries differ by
    more than 2^1000, and costs larger than floats go.

    >>> cost = linear_layers_cost([[1.0, 0.0], [0.0, 1.0]], [8.0, 1.0], 3)
    >>> round(cost.value, 9), cost.relative_gap < 1e-10
    (5.0, True)
    """
    W, a = checked_weights(_rows(W, 2, "linear_layers_costs is for many networks"), a)
    # One problem is a batch of one.
    return _costs(W[None], a[None], depth, rtol)[0]


def linear_layers_costs(W: ArrayLike, a: ArrayLike, depth: int, *, rtol: float = 1e-10) -> Brackets:
    """`linear_layers_cost` of B networks at once: W is (B, K, d), a is (B, K).

    >>> costs = linear_layers_costs([[[1, 0], [0, 1]], [[0, 1], [0, 0]]], [[8, 1]] * 2, 3)
    >>> costs.value.round(9).tolist(), round(costs[1].value, 9)
    ([5.0, 4.0], 4.0)
    """
    W, a = checked_weights(_rows(W, 3, "linear_layers_cost is for one network"), a)
    return _costs(W, a, depth, rtol)


def _rows(W: ArrayLike, axes: int, otherwise: str) -> Float[np.ndarray, "*batch K d"]:
    """The rows of one network or of many, where the others have a function of their own."""
    W = as_floats(W, "W")
    if W.ndim == 5 - axes:
        raise ValueError(f"W must have {axes} axes, but its shape is {W.shape}; {otherwise}")
    return finite_array(W, "W", axes)


def _costs(
    W: Float[np.ndarray, "B K d"], a: Float[np.ndarray, "B K"], depth: int, rtol: float
) -> Brackets:
    depth, rtol = whole_depth(depth), relative_tolerance(rtol, "1e-10")
    rows = ScaledRows.checked(W, a)
    ends = cost_ends(rows, depth, rtol)
    return Brackets(
        ends.lower, ends.upper, "certified", counts=WEIGHTS_OVER_DEPTH, reason=ends.reason
    )


def optimal_shares(
    W: Float[np.ndarray, "K d"], a: Float[np.ndarray, " K"], depth: int
) -> Float[np.ndarray, " K"]:
    """The lambda_k^2 of (11), which add up to 1, for rows that are not zero.

    They are unique, because the map whose fixed point they are contracts.
    """
    W, a = checked_weights(finite_array(W, "W", 2), a)
    depth = whole_depth(depth)
    rows = ScaledRows.checked(W, a)
    if depth == 2:
        lengths = rows.factors * np.linalg.norm(rows.directions, axis=-1)
        c = np.ldexp(lengths, rows.exponents - rows.top)
    else:
        # Fainter rows are treated as if they were this large: their shares are next to nothing.
        rows = replace(rows, exponents=np.maximum(rows.exponents, rows.top + FAINTEST))
        c = fixed_point(graded_coordinates(rows), rows.alive, depth, 1e-14, graded=True).c
    return c / c.sum()


def checked_weights(
    W: Float[np.ndarray, "*batch K d"], a: ArrayLike
) -> tuple[Float[np.ndarray, "*batch K d"], Float[np.ndarray, "*batch K"]]:
    """Rows and outer weights of one network or of a batch; ValueError if they do not agree."""
    a = finite_array(a, "a", W.ndim - 1)
    if a.shape != W.shape[:-1]:
        raise ValueError(
            f"a has shape {a.shape}, but W has shape {W.shape}; a needs one entry per row of W"
        )
    return W, a
