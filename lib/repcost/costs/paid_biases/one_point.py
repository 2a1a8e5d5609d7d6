"""One point (x, y): free where the output bias is, else by the output bias and a unit."""

import numpy as np

from repcost.bounds import Bracket
from repcost.costs.paid_biases.arguments import Output
from repcost.piecewise import PiecewiseLinear
from repcost.rounding import UNIT

__all__ = ["through_one_point"]

_NEAR = 1e-30


def through_one_point(x: float, y: float, output: Output) -> tuple[Bracket, PiecewiseLinear, float]:
    """The cost, a function, and the weight of the point in the proof.

    The output bias c gives c for c^2 / 2, and a unit along (x, 1) gives rho(x) for 1. So c is paid
    for up to 1 / rho(x), and the unit gives the rest; from below by S y - S^2 / 2 with S = c.
    """
    if output != "paid":
        return Bracket(0.0, 0.0, "certified"), PiecewiseLinear([], [0.0], (x, y)), 0.0
    rho = float(np.hypot(1.0, x))
    c = float(np.copysign(min(abs(y), 1 / rho), y))
    cost = c * y - c * c / 2
    ends = cost * (1 - 16 * UNIT), cost * (1 + 16 * UNIT)
    rest = y - c
    # So near to 0 a constant unit gives as much.
    if not rest or abs(x) < _NEAR:
        return Bracket(*ends, "certified"), PiecewiseLinear([], [0.0], (x, y)), c
    # The unit along (x, 1) / rho bends at -1 / x, and faces the point.
    slope = rest * (x / rho) / rho
    slopes = [0.0, slope] if x > 0 else [slope, 0.0]
    return Bracket(*ends, "certified"), PiecewiseLinear([-1 / x], slopes, (x, y)), c
