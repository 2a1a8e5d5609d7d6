"""Points of one variable at size one: units that are powers of two, so that they round nothing.

With x = 2^a x', y = 2^b y' and the strength s the objective is, for the squared loss, 4^b times
that of x', y' and s / 2^(a + b); for the absolute one 2^b times that of x', y' and s / 2^a. There
no square of a residual vanishes and no product overflows, whatever the data are.

Only a strength may still be beyond all use. If it is strong, the constant is the fit, and a lower
end for less strength is one for more. If it is weak, the points are interpolated as far as they
can be; the objective over the strength falls, so a lower end for more strength, times the quotient
of the two, is one for less.
"""

from dataclasses import dataclass
from math import frexp, ldexp

import numpy as np

from repcost.costs.fit_problem import Loss, Points
from repcost.scales import exponent_of

# Scaled strengths beyond these, as exponents of two, are beyond all use.
_WEAKEST, _STRONGEST = -500, 500


@dataclass(frozen=True)
class FitUnits:
    """Exponents of two.

    places, values: the units of x and of y. objective: that of the objective.
    strength: what the problem at size one is solved for.
    excess: by how much the exponent of the strength asked for is larger; mostly 0.
    """

    places: int
    values: int
    objective: int
    strength: float
    excess: int

    @classmethod
    def of(cls, x: Points, y: Points, strength: float, loss: Loss) -> "FitUnits":
        places, values = _unit(x), _unit(y)
        squared = loss == "squared"
        digits, exponent = frexp(strength)
        exponent -= places + (values if squared else 0)
        kept = min(max(exponent, _WEAKEST), _STRONGEST)
        objective = 2 * values if squared else values
        return cls(places, values, objective, ldexp(digits, kept), exponent - kept)


def _unit(points: Points) -> int:
    """That of the range of the points; 0 where it would cost digits of the smallest of them."""
    unit = exponent_of(points.max() / 2 - points.min() / 2)
    same = np.ldexp(np.ldexp(points, -unit), unit) == points
    return unit if same.all() else 0
