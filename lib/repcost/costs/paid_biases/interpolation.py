"""The cheapest function through points where biases are paid for, from two sides."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from repcost.bounds import Bracket
from repcost.costs.paid_biases.arguments import COUNTS, Output
from repcost.costs.paid_biases.cone_programme import ask
from repcost.costs.paid_biases.dual_bounds import Dual, feasible
from repcost.costs.paid_biases.functions import paid_cost_of
from repcost.costs.paid_biases.one_point import through_one_point
from repcost.costs.paid_biases.points import Points, Values
from repcost.costs.paid_biases.repairs import fitted, merged, price_of_repair, summed
from repcost.costs.paid_biases.shortest_path import shortest_path
from repcost.costs.paid_biases.tangents import touching
from repcost.costs.variation import cost_of_slopes
from repcost.piecewise import PiecewiseLinear

__all__ = ["PaidInterpolant", "interpolate_paid"]

# Ends this close, relatively, need no other method; wider than the second, they need a reason.
_CLOSE, _WIDE = 1e-9, 1e-6
# A function with fewer bends is shown if it costs no more than this above the best one, or no
# more than that is above the lower end.
_SIMPLER = 1e-9
_LARGEST = 1e30


@dataclass(frozen=True, eq=False)
class PaidInterpolant:
    """A cheapest function through the points where biases are paid for, and the proof.

    x, y: (n,), by increasing x, equal points merged.
    cost: Bracket of the infimum over networks of any width.
    function: one that costs no more than its upper end, up to rounding. With output="linear" there
        is no other (Boursier & Flammarion 2023); else others may cost the same.
    certificate: beta, (n,), whose beta . y (less (sum beta)^2 / 2 with output="paid") is the lower
        end. To verify: |sum beta_n [x_n - t]_+| and |sum beta_n [t - x_n]_+| are at most
        sqrt(1 + t^2) for all t; and sum beta = 0, but for output="paid"; and with output="linear"
        sum beta_n x_n = 0 too. Up to rounding.
    """

    x: Values
    y: Values
    cost: Bracket
    function: PiecewiseLinear
    certificate: Values


@dataclass(frozen=True, eq=False)
class _Found:
    """A proof, a function, and what it costs at most."""

    dual: Dual
    function: PiecewiseLinear
    upper: float

    @property
    def gap(self) -> float:
        return (self.upper - self.dual.lower) / self.upper if self.upper else 0.0


def interpolate_paid(x: Values, y: Values, output: Output) -> PaidInterpolant:
    """For distinct points by increasing x."""
    _check_range(x, y)
    if len(x) == 1:
        cost, f, beta = through_one_point(float(x[0]), float(y[0]), output)
        return PaidInterpolant(x, y, replace(cost, counts=COUNTS[output]), f, np.array([beta]))
    points = Points.between(x, y)
    if np.abs(points.slopes).max() > _LARGEST:
        raise ValueError(
            f"y must rise by less than {_LARGEST:g} for each 1 of x where biases are paid for; "
            "divide it first"
        )
    found = _by_cones(points, output) if output == "paid" else _by_path(points, output)
    lower = min(found.dual.lower, found.upper)
    reason = "floats or the solver give out" if found.gap > _WIDE else ""
    cost = Bracket(lower, found.upper, "certified", counts=COUNTS[output], reason=reason)
    return PaidInterpolant(x, y, cost, found.function, _weights(points, found.dual))


def _by_path(points: Points, output: Output) -> _Found:
    found = _of_path(points, output)
    if found.gap > _CLOSE and points.signs.any():
        found = _better(found, _of_path(points, output, careful=True))
    # Only functions that rise, or fall, can be cheaper by units that face one way.
    falls, rises = (points.slopes <= 0).all(), (points.slopes >= 0).all()
    if output == "free" and found.gap > _CLOSE and (falls or rises):
        found = _better(found, _by_cones(points, output))
    return found


def _of_path(points: Points, output: Output, careful: bool = False) -> _Found:
    path = shortest_path(points, careful)
    # What costs no less with a free line, costs no less without.
    dual = feasible(points, touching(path), 0.0, "linear")
    return _Found(dual, path.function, path.costs()[output == "free"])


def _better(one: _Found, other: _Found) -> _Found:
    """The higher of two lower ends, and the lower of two upper ends."""
    dual = max(one.dual, other.dual, key=lambda dual: dual.lower)
    best = min(one, other, key=lambda found: found.upper)
    return _Found(dual, best.function, best.upper)


def _by_cones(points: Points, output: Output) -> _Found:
    proposed = ask(points, output)
    dual = feasible(points, proposed.g, proposed.S, output)
    clean = fitted(points, proposed.units)
    simple = [shortest_path(points).function, merged(points, clean)]
    functions = [*simple, clean, summed(points, proposed.units)]
    found = [_Found(dual, f, _cost(f, points, output)) for f in functions]
    least = min(each.upper for each in found)
    allowed = least + max(_SIMPLER * least, least - dual.lower)
    return next(each for each in found if each.upper <= allowed)


def _cost(f: PiecewiseLinear, points: Points, output: Output) -> float:
    """Of a function that passes through the points, if f nearly does."""
    cost = paid_cost_of(f, cost_of_slopes(f.slopes), output).upper
    return (cost + price_of_repair(f, points, output)) * (1 + 2.0**-50)


def _weights(points: Points, dual: Dual) -> Float[np.ndarray, " n"]:
    """beta: what g bends by at the points, from the line G - S t on the left."""
    slopes = np.concatenate([[-dual.S], np.diff(dual.g) / points.widths, [0.0]])
    return np.diff(slopes)


def _check_range(x: Values, y: Values) -> None:
    for name, numbers in (("x", x), ("y", y)):
        if np.abs(numbers).max() > _LARGEST:
            raise ValueError(
                f"{name} must stay below {_LARGEST:g} where biases are paid for; divide it first"
            )
