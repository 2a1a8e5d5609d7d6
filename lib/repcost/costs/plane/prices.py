"""Prices of the points and what they prove: no unit may earn more than it costs (Facts 4, 5)."""

import numpy as np
from jaxtyping import Float

from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.directions import Directions, Values, cross
from repcost.rounding import UNIT

Prices = Float[np.ndarray, " n"]
# What the best unit of each arc earns; negative if it is to be taken off.
Earnings = Float[np.ndarray, " g"]

# Prices are scaled to earn a little less than 1; more is taken off only where rounding asks for it.
_MARGINS = (2.0**-46, 2.0**-42, 2.0**-32, 2.0**-22)


def earnings(arcs: Arcs, alpha: Prices) -> tuple[Earnings, Directions]:
    """sum_i alpha_i [<v, x_i - x_j>]_+ where it is largest in size on each arc, and v, a unit.

    Fact 5: there the sum is <v, g>, largest at g if the arc holds g or -g, and else at an end.
    """
    return _largest_sums(arcs, arcs.slopes(alpha)[0])


def most_earned(arcs: Arcs, alpha: Prices) -> float:
    """The largest earnings of any unit of norm 1, from above.

    The slopes know what their additions round off. All else is a few roundings of numbers below
    2 |alpha|_1 size: terms are known to 2, sums <v, g> to 3; ends of arcs are angles known to 16,
    of which the sums are Lipschitz functions (so points that are active on the wrong side of an
    end do no more harm); points were rounded, once or with a matrix 8 times. A matrix multiplies
    all by its condition number. 128 |alpha|_1 size is twice as much.
    """
    slopes, rounded = arcs.slopes(alpha)
    largest = float(np.abs(_largest_sums(arcs, slopes)[0]).max(initial=0.0))
    known = 128 * UNIT * arcs.distortion
    return (largest + rounded + known * float(np.abs(alpha).sum()) * arcs.size) * (1 + known)


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


def relative_gap(arcs: Arcs, alpha: Prices, values: Values) -> float:
    """What is left between a cost, whose programme has these prices, and what they prove."""
    # By prices, as what a solver leaves open in its units is larger.
    cost = float(alpha @ values)
    return 1 - proven_cost(arcs, alpha, values) / cost if cost > 0 else np.inf


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


def _largest_sums(arcs: Arcs, g: Directions) -> tuple[Earnings, Directions]:
    """Of <v, g> in size among the unit vectors v of each arc, and where."""
    # Prices that no interpolant bounds may be huge: no squares and no products of them are formed.
    length = np.hypot(g[:, 0], g[:, 1])
    at_first, at_last = np.einsum("gd,gd->g", g, arcs.first), np.einsum("gd,gd->g", g, arcs.last)
    # g, or else -g, lies between the ends, as arcs are below a half turn.
    side = cross(arcs.first, g)
    inside = np.sign(side) * np.sign(cross(g, arcs.last)) > 0
    nearer_first = np.abs(at_first) >= np.abs(at_last)
    signed = np.copysign(length, side)
    sums = np.where(inside, signed, np.where(nearer_first, at_first, at_last))
    ends = np.where(nearer_first[:, None], arcs.first, arcs.last)
    towards = g / np.where(length > 0, signed, 1.0)[:, None]
    return sums, np.where(inside[:, None], towards, ends)
