"""Points to move, and the cheapest functions of one variable through them."""

from typing import Any

import numpy as np

from repcost import Bracket, PiecewiseLinear, interpolate_line
from repcost.arrays import ArrayLike
from repcost.costs.line import LineInterpolant
from repcost_book.kernel.widgets.base import Drawing, Points, script, style

# As in the script: more points than this are too crowded to be grasped.
MOST_POINTS = 16
# Two bends one way, then two the other: the smallest bump with a band on either side.
BUMP = ((-3.0, 0.5), (-2.0, 0.0), (0.0, 0.5), (1.0, 1.75), (2.0, 2.25), (3.0, 1.75))


def checked_points(points: ArrayLike) -> list[list[float]]:
    """The points as a list of [x, y] of floats, by increasing x; ValueError if they cannot be
    drawn.
    """
    try:
        array = np.array(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"points must be pairs of numbers, [[x, y], ...]: {error}") from None
    if array.ndim != 2 or array.shape[1:] != (2,) or not len(array):
        raise ValueError(
            f"points must be at least one pair, [[x, y], ...], but its shape is {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError("points holds NaN or infinity; remove those entries first")
    if len(array) > MOST_POINTS:
        raise ValueError(
            f"points holds {len(array)} pairs, more than can be grasped; give at most {MOST_POINTS}"
        )
    array = array[np.argsort(array[:, 0], kind="stable")]
    if not np.all(np.diff(array[:, 0]) > 0):
        raise ValueError(
            "two points have the same x; a function has one value there, so move or remove one"
        )
    return array.tolist()


class LineWidget(Drawing):
    """Points to move, and the cheapest functions through them: the linear spline, the sparsest, the
    band of all.

    `points` follows the reader's hand, and the drawing follows `points`. On a page there is no
    kernel: there the script computes what `interpolate_line` would, to 1e-9
    (tests/browser/test_line_widget.py).
    """

    kind, names = "line", ("points",)
    _esm, _css = script("line"), style("line")
    points = Points(checked_points, BUMP).tag(sync=True)

    def __init__(self, points: ArrayLike = BUMP, **others: Any):
        super().__init__(points=checked_points(points), **others)

    @property
    def fit(self) -> LineInterpolant:
        """All cheapest functions through the points, by the library."""
        return interpolate_line(*np.array(self.points).T)

    @property
    def cost(self) -> Bracket:
        """What the cheapest of them costs, by the library."""
        return self.fit.cost

    def _in_words(self) -> str:
        where = ", ".join(f"({x:.4g}, {y:.4g})" for x, y in self.points)
        fit = self.fit
        count = (
            "it alone is so cheap"
            if fit.is_unique
            else "so do many others, which fill a shaded band around it"
        )
        return (
            f"Needs JavaScript: a drawing of points to move, now at {where}. The linear spline through them, with "
            f"{_knots(fit.function)}, costs {fit.cost.value:.4g}; {count}. The fewest knots that do: "
            f"{len(fit.sparsest.knots)}."
        )


def _knots(f: PiecewiseLinear) -> str:
    return "1 knot" if len(f.knots) == 1 else f"{len(f.knots) or 'no'} knots"
