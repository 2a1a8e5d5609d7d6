"""Prices of the points and what they prove: no unit may earn more than it costs (Facts 4, 5)."""

import numpy as np
from jaxtyping import Float

from repcost.costs.plane.arcs import Arcs, Directions, Values, cross
from repcost.rounding import UNIT

Prices = Float[np.ndarray, " n"]

# Prices are scaled to earn a little less than 1; more is taken off only where rounding asks for it.
_MARGINS = (2.0**-42, 2.0**-32, 2.0**-22)


def earnings(arcs: Arcs, alpha: Prices) -> tuple[Float[np.ndarray, " g"], Directions]:
    """The largest |sum_i alpha_i [<v, x_i - x_j>]_+| on each arc, and a unit v that attains it.

    Fact 5: there the sum is <v, g>, largest at g if the arc holds g or -g, and else at an end.
    """
    g = _slopes(arcs, alpha)
    length = np.linalg.norm(g, axis=1)
    at_first = np.abs(np.einsum("gd,gd->g", g, arcs.first))
    at_last = np.abs(np.einsum("gd,gd->g", g, arcs.last))
    # g, or else -g, lies between the ends, as arcs are below a half turn.
    side = cross(arcs.first, g)
    inside = side * cross(g, arcs.last) > 0
    nearer_first = at_first >= at_last
    value = np.where(inside, length, np.where(nearer_first, at_first, at_last))
    towards = np.sign(side)[:, None] * g / np.where(length > 0, length, 1.0)[:, None]
    ends = np.where(nearer_first[:, None], arcs.first, arcs.last)
    return value, np.where(inside[:, None], towards, ends)


def most_earned(arcs: Arcs, alpha: Prices) -> float:
    """The largest earnings of any unit of norm 1, from above.

    The sums round n products; ends of arcs are angles known to about 8 units of rounding, of
    which the sums are Lipschitz functions (so points that are active on the wrong side of an
    end do no more harm); a matrix multiplies both by its condition number. 4 (n + 64) |alpha|_1
    size covers all of this, and points that were rounded.
    """
    rounding = 4 * (len(alpha) + 64) * UNIT * arcs.distortion
    largest = float(earnings(arcs, alpha)[0].max(initial=0.0))
    return (largest + rounding * float(np.abs(alpha).sum()) * arcs.size) * (1 + rounding)


def feasible_prices(arcs: Arcs, alpha: Prices) -> Prices:
    """alpha scaled to earn 1 at most, with entries that add up to 0 exactly in any order."""
    alpha = summing_to_zero(alpha)
    for margin in _MARGINS:
        most = most_earned(arcs, alpha)
        if not 0 < most < np.inf:
            break
        scaled = summing_to_zero(alpha * ((1 - margin) / most))
        if most_earned(arcs, scaled) <= 1:
            return scaled
    # No price at all proves that the cost is not negative.
    return np.zeros_like(alpha)


def proven_cost(arcs: Arcs, alpha: Prices, values: Values) -> float:
    """Interpolating costs at least this, whatever alpha is (Fact 4)."""
    alpha = feasible_prices(arcs, alpha)
    # Each value is known to one rounding; the sum of n products has n more.
    rounding = (len(values) + 4) * UNIT * float(np.abs(alpha) @ np.abs(values))
    return max(0.0, float(alpha @ values) - rounding)


def summing_to_zero(alpha: Prices) -> Prices:
    """alpha rounded to whole multiples of a power of two that float64 adds exactly, with sum 0."""
    largest = float(np.abs(alpha).max())
    if not 0 < largest < np.inf:
        return np.zeros_like(alpha)
    # n numbers of this many bits stay below 2^53 in every partial sum.
    exponent = np.frexp(largest)[1] + int(np.ceil(np.log2(len(alpha)))) + 1 - 53
    whole = np.round(np.ldexp(alpha - alpha.mean(), -exponent))
    # The largest bears what rounding left over: there it is the least in proportion.
    whole[np.argmax(np.abs(whole))] -= whole.sum()
    return np.ldexp(whole, exponent)


def _slopes(arcs: Arcs, alpha: Prices) -> Directions:
    """g = the sum of alpha_i (x_i - x_j) over the points that are active on the arc."""
    sums = (arcs.active * alpha) @ arcs.points
    return sums - (arcs.active @ alpha)[:, None] * arcs.points[arcs.at]
