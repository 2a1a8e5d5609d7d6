"""Points to move, and the cheapest functions of one variable through them."""

from typing import Any

import numpy as np

from repcost import Bracket, PiecewiseLinear, interpolate_line
from repcost.arrays import ArrayLike
from repcost.costs.line import LineInterpolant
from repcost_book.kernel.widgets.allowed import checked_points, listed
from repcost_book.kernel.widgets.base import Checked, Drawing, script, style

# As in the script: more points than this are too crowded to be grasped.
MOST_POINTS = 16
# Two bends one way, then two the other: the smallest bump with a band on either side.
BUMP = ((-3.0, 0.5), (-2.0, 0.0), (0.0, 0.5), (1.0, 1.75), (2.0, 2.25), (3.0, 1.75))


def allowed_points(points: ArrayLike) -> list[list[float]]:
    """The points by increasing x; ValueError if they cannot be drawn."""
    return checked_points(points, 1, MOST_POINTS)


class LineWidget(Drawing):
    """Points to move, and the cheapest functions through them: spline, sparsest, the band of all.

    `points` follows the reader's hand, and the drawing follows `points`. On a page there is no
    kernel: there the script computes what `interpolate_line` would, to 1e-9
    (tests/browser/test_line_widget.py).
    """

    kind, names = "line", ("points",)
    _esm, _css = script("line"), style("line")
    points = Checked(allowed_points, BUMP).tag(sync=True)

    def __init__(self, points: ArrayLike = BUMP, **others: Any):
        super().__init__(points=allowed_points(points), **others)

    @property
    def fit(self) -> LineInterpolant:
        """All cheapest functions through the points, by the library."""
        return interpolate_line(*np.array(self.points).T)

    @property
    def cost(self) -> Bracket:
        """What the cheapest of them costs, by the library."""
        return self.fit.cost

    def _in_words(self) -> str:
        fit = self.fit
        count = (
            "it alone is so cheap"
            if fit.is_unique
            else "so do many others, which fill a shaded band around it"
        )
        return (
            f"Needs JavaScript: a drawing of points to move, now at {listed(self.points)}. "
            f"The linear spline through them, with {_knots(fit.function)}, costs "
            f"{fit.cost.value:.4g}; {count}. The fewest knots that do: {len(fit.sparsest.knots)}."
        )


def _knots(f: PiecewiseLinear) -> str:
    return "1 knot" if len(f.knots) == 1 else f"{len(f.knots) or 'no'} knots"
