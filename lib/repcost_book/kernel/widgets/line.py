"""Points to move, and the cheapest functions of one variable through them."""

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from repcost import Bracket, PiecewiseLinear, interpolate_line
from repcost.arrays import ArrayLike
from repcost.costs import LineInterpolant, PaidInterpolant
from repcost.scalars import one_of
from repcost_book.kernel.widgets.allowed import checked_points, listed
from repcost_book.kernel.widgets.base import Checked, Drawing, script, style

# As in the script: more points than this are too crowded to be grasped.
MOST_POINTS = 16
# Two bends one way, then two the other: the smallest bump with a band on either side.
BUMP = ((-3.0, 0.5), (-2.0, 0.0), (0.0, 0.5), (1.0, 1.75), (2.0, 2.25), (3.0, 1.75))


def allowed_points(points: ArrayLike) -> list[list[float]]:
    """The points by increasing x; ValueError if they cannot be drawn."""
    return checked_points(points, 1, MOST_POINTS)


def allowed_biases(biases: str) -> Literal["free", "paid"]:
    """Who pays; ValueError for any other word."""
    return "paid" if one_of(biases, "biases", ("free", "paid")) == "paid" else "free"


class LineWidget(Drawing):
    """Points to move, and the cheapest functions through them: spline, sparsest, the band of all.

    `points` follows the reader's hand, and the drawing follows `points`; `biases` is "free", or
    "paid" where the hidden ones pay. `trained` are curves [[x, y], ...] that are laid over the
    prediction for paid biases, as long as the points are where they were. On a page there is no
    kernel: there the script computes what `interpolate_line` would, to 1e-9, and to 1e-7 where
    biases pay (tests/browser/test_line_widget.py).
    """

    kind, names = "line", ("points", "biases")
    _esm, _css = script("line"), style("line")
    points = Checked(allowed_points, BUMP).tag(sync=True)
    biases = Checked(allowed_biases, "free").tag(sync=True)

    def __init__(
        self,
        points: ArrayLike = BUMP,
        biases: str = "free",
        trained: Iterable[ArrayLike] = (),
        **others: Any,
    ):
        curves = [np.asarray(curve, dtype=np.float64).round(4).tolist() for curve in trained]
        given = {"trained": curves} if curves else {}
        super().__init__(points=allowed_points(points), biases=biases, given=given, **others)

    @property
    def fit(self) -> LineInterpolant | PaidInterpolant:
        """The cheapest functions through the points, by the library; of paid biases one."""
        return interpolate_line(*np.array(self.points).T, biases=self.biases)

    @property
    def cost(self) -> Bracket:
        """What the cheapest of them costs, by the library."""
        return self.fit.cost

    def _in_words(self) -> str:
        fit, drawn = self.fit, f"a drawing of points to move, now at {listed(self.points)}"
        if isinstance(fit, PaidInterpolant):
            return (
                f"Needs JavaScript: {drawn}. Where hidden biases pay, the cheapest function "
                f"through them has {_knots(fit.function)} and costs {fit.cost.value:.4g}."
            )
        count = (
            "it alone is so cheap"
            if fit.is_unique
            else "so do many others, which fill a shaded band around it"
        )
        return (
            f"Needs JavaScript: {drawn}. "
            f"The linear spline through them, with {_knots(fit.function)}, costs "
            f"{fit.cost.value:.4g}; {count}. The fewest knots that do: {len(fit.sparsest.knots)}."
        )


def _knots(f: PiecewiseLinear) -> str:
    return "1 knot" if len(f.knots) == 1 else f"{len(f.knots) or 'no'} knots"
