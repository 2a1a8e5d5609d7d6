"""Continuous piecewise linear functions of one variable."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, points_on_line


@dataclass(frozen=True, eq=False)
class PiecewiseLinear:
    """The function with slope slopes[i] between knots[i-1] and knots[i], through the point
    `anchor`.

    knots: (k,) strictly increasing; slopes: (k + 1,), the first and the last go out to infinity.

    >>> absolute_value = PiecewiseLinear([0.0], [-1.0, 1.0])
    >>> absolute_value([-2.0, 3.0]).tolist()
    [2.0, 3.0]
    """

    knots: Float[np.ndarray, " k"]
    slopes: Float[np.ndarray, " pieces"]
    anchor: tuple[float, float]

    def __init__(
        self, knots: ArrayLike, slopes: ArrayLike, anchor: tuple[float, float] = (0.0, 0.0)
    ):
        knots, slopes = finite_array(knots, "knots", 1), finite_array(slopes, "slopes", 1)
        if len(slopes) != len(knots) + 1:
            raise ValueError(f"{len(knots)} knots need {len(knots) + 1} slopes, not {len(slopes)}")
        if not np.all(np.diff(knots) > 0):
            raise ValueError("knots must increase strictly; sort them and merge equal ones")
        x0, y0 = finite_array(anchor, "anchor", 1)
        for name, value in (
            ("knots", knots),
            ("slopes", slopes),
            ("anchor", (float(x0), float(y0))),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def through(cls, x: ArrayLike, y: ArrayLike) -> "PiecewiseLinear":
        """The linear spline through the points, sorted by x, its end pieces extended to infinity."""
        x, y = points_on_line(x), points_on_line(y, "y")
        if len(x) != len(y) or len(x) < 2:
            raise ValueError(
                f"a spline needs at least two points and as many y as x; got {len(x)} x and {len(y)} y"
            )
        if not np.all(np.diff(x) > 0):
            raise ValueError("x must increase strictly; sort the points and merge equal ones")
        return cls(x[1:-1], np.diff(y) / np.diff(x), (x[0], y[0]))

    def __call__(self, x: ArrayLike) -> Float[np.ndarray, " n"]:
        x = points_on_line(x)
        if not len(self.knots):
            return self._anchored(self.slopes[0] * x, self.slopes[0] * self.anchor[0])
        return self._anchored(
            self._from_first_knot(x), float(self._from_first_knot(np.array([self.anchor[0]]))[0])
        )

    def _anchored(
        self, rise: Float[np.ndarray, " n"], rise_at_anchor: float
    ) -> Float[np.ndarray, " n"]:
        return rise - rise_at_anchor + self.anchor[1]

    def _from_first_knot(self, x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """f(x) - f(first knot)."""
        at_knots = np.concatenate([[0.0], np.cumsum(self.slopes[1:-1] * np.diff(self.knots))])
        piece = np.searchsorted(self.knots, x)
        start = np.maximum(piece - 1, 0)
        return at_knots[start] + self.slopes[piece] * (x - self.knots[start])
