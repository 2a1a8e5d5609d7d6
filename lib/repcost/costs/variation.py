"""The larger of two sums of slopes, exactly: what a function on the line costs, biases free."""

import numpy as np
from jaxtyping import Float

from repcost.bounds import Bracket
from repcost.rounding import gamma, rounded_outward

__all__ = ["cost_of_slopes", "larger_of"]

Terms = Float[np.ndarray, "..."]


def cost_of_slopes(slopes: Float[np.ndarray, " pieces"]) -> Bracket:
    """max(sum |bends|, |first + last|) of a piecewise linear function, rounded outward."""
    before, after = slopes[:-1], slopes[1:]
    # |after - before| is sign * after - sign * before, and comparing floats gives the exact
    # sign.
    sign = (after > before) * 1.0 - (after < before)
    return larger_of(np.concatenate([sign * after, -sign * before]), slopes[[0, -1]])


def larger_of(variation: Terms, slope_sum: Terms) -> Bracket:
    """The larger of the sum of `variation` and the size of the sum of `slope_sum`."""
    try:
        low, high = rounded_outward(variation)
        if _surely_below(slope_sum, low):
            return Bracket(low, high, "certified")
        ends = sorted(map(abs, rounded_outward(slope_sum)))
    except ArithmeticError:  # an overflow, in numpy or in fsum
        raise ValueError(
            "the slopes are too large to add up; divide the function by a power of two first"
        ) from None
    return Bracket(max(low, ends[0]), max(high, ends[1]), "certified")


def _surely_below(terms: Terms, bound: float) -> bool:
    """Whether floats prove that the size of the sum is; they cost a tenth of exact sums."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(abs(terms.sum()) + 2 * gamma(len(terms)) * np.abs(terms).sum() < bound)
