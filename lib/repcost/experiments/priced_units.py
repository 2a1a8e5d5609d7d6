"""What a function costs if everything is paid, by a programme that knows no formula for it.

Ramps on both sides may stand at the bends of the function and in many further directions (1, t) of
the half circle, each at its price sqrt(1 + t^2); a unit with w = 0 makes a constant. Their weights
must add up to the bends, to the slope on the left and to the height at zero, of which the output
bias c makes a part, for c^2 / 2. Between n directions a length is missed by (pi / n)^2 / 8 at most.
"""

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from repcost.costs import least_weights
from repcost.piecewise import PiecewiseLinear


def least_price(f: PiecewiseLinear, directions: int = 200) -> float:
    """The least price of units in these directions that make f, and of an output bias."""
    angles = np.pi * ((np.arange(directions) + 0.5) / directions - 0.5)
    at = np.append(f.knots, np.tan(angles))
    # The columns: ramps that face right, ramps that face left, the constant.
    bends = np.hstack([np.eye(len(at))] * 2 + [np.zeros((len(at), 1))])
    slope = np.repeat([0, -1, 0], [len(at), len(at), 1])
    height = np.concatenate([np.maximum(-at, 0), np.maximum(at, 0), [1]])
    prices = np.append(np.tile(np.hypot(1, at), 2), 1)
    rows = np.vstack([bends, slope, height])
    made = [*np.diff(f.slopes), *np.zeros(directions), f.slopes[0]]

    def beside(c: float) -> float:
        values = [*made, f([0.0])[0] - c]
        return c**2 / 2 + least_weights(rows, values, prices=prices).cost

    # Beyond one a constant unit is cheaper than the output bias.
    found: Any = minimize_scalar(beside, bounds=(-1, 1), options={"xatol": 1e-6})
    return float(found.fun)
