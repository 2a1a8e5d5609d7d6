"""The cost of a network with linear layers in front, and how it is shared among the units."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket
from repcost.conventions import WEIGHTS_OVER_DEPTH
from repcost.costs.linear_layers.contraction import fixed_point
from repcost.costs.linear_layers.coordinates import FAINTEST, graded_coordinates
from repcost.costs.linear_layers.routes import cost_ends
from repcost.costs.linear_layers.scaled_rows import ScaledRows
from repcost.scalars import whole_depth


def linear_layers_cost(W: ArrayLike, a: ArrayLike, depth: int, *, rtol: float = 1e-10) -> Bracket:
    """The least weight cost of sum_k a_k [<w_k, x> + b_k]_+ with linear layers in front.

    Phi_L of Ongie & Willett (2022), eqs. (11) and (14), for L = `depth` layers, all but the
    last two linear: W is (K, d), a is (K,), the cost is (|a|^2 + sum |W_i|_F^2)/L and biases
    are free; depth counts all layers, and 2 is sum_k |a_k| |w_k|. Arrays (B, K, d) and (B, K)
    give a Bracket of B costs. It is the cost of the function if no two units bend at the same
    hyperplane.

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
    W, a = checked_weights(W, a)
    depth = whole_depth(depth)
    if not 0 < rtol < 1:
        raise ValueError(f"rtol must be between 0 and 1, not {rtol}; 1e-10 is the default")
    # One problem is a batch of one.
    rows = ScaledRows.checked(W, a) if W.ndim == 3 else ScaledRows.checked(W[None], a[None])
    ends = cost_ends(rows, depth, rtol)
    lower, upper = np.asarray(ends.lower), np.asarray(ends.upper)
    if W.ndim == 2:
        lower, upper = float(lower[0]), float(upper[0])
    return Bracket(lower, upper, "certified", counts=WEIGHTS_OVER_DEPTH, reason=ends.reason)


def optimal_shares(
    W: Float[np.ndarray, "K d"], a: Float[np.ndarray, " K"], depth: int
) -> Float[np.ndarray, " K"]:
    """The lambda_k^2 of (11), which add up to 1, for rows that are not zero.

    They are unique, because the map whose fixed point they are contracts.
    """
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
    W: ArrayLike, a: ArrayLike
) -> tuple[Float[np.ndarray, "*batch K d"], Float[np.ndarray, "*batch K"]]:
    """Rows and outer weights of one network or of a batch; ValueError if they do not agree."""
    # Errors speak of two axes unless there are three.
    axes = 3 if np.ndim(W) == 3 else 2
    W, a = finite_array(W, "W", axes), finite_array(a, "a", axes - 1)
    if a.shape != W.shape[:-1]:
        raise ValueError(
            f"a has shape {a.shape}, but W has shape {W.shape}; a needs one entry per row of W"
        )
    return W, a
