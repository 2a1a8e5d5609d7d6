"""Continuous piecewise linear functions of one variable."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, points_on_line

Values = Float[np.ndarray, " n"]


@dataclass(frozen=True, eq=False)
class PiecewiseLinear:
    """The function with slope slopes[i] between knots[i-1] and knots[i], through `anchor`.

    knots: (k,) strictly increasing; slopes: (k + 1,), the first and the last go out to infinity.
    anchor: a point (x, y) of the graph.

    >>> absolute_value = PiecewiseLinear([0.0], [-1.0, 1.0])
    >>> absolute_value([-2.0, 3.0]).tolist()
    [2.0, 3.0]
    """

    knots: Float[np.ndarray, " k"]
    slopes: Float[np.ndarray, " pieces"]
    anchor: tuple[float, float]

    def __init__(self, knots: ArrayLike, slopes: ArrayLike, anchor: ArrayLike = (0.0, 0.0)):
        knots, slopes = finite_array(knots, "knots", 1), finite_array(slopes, "slopes", 1)
        if len(slopes) != len(knots) + 1:
            raise ValueError(f"{len(knots)} knots need {len(knots) + 1} slopes, not {len(slopes)}")
        if not (knots[1:] > knots[:-1]).all():
            raise ValueError("knots must increase strictly; sort them and merge equal ones")
        place = finite_array(anchor, "anchor", 1)
        if len(place) != 2:
            raise ValueError(f"anchor must be a point (x, y), but it has {len(place)} entries")
        object.__setattr__(self, "knots", knots)
        object.__setattr__(self, "slopes", slopes)
        object.__setattr__(self, "anchor", (float(place[0]), float(place[1])))

    @classmethod
    def through(cls, x: ArrayLike, y: ArrayLike) -> "PiecewiseLinear":
        """The linear spline through the points, its end pieces extended to infinity.

        x: strictly increasing.
        """
        x, y = points_on_line(x), points_on_line(y, "y")
        if len(x) != len(y) or len(x) < 2:
            raise ValueError(
                "a spline needs at least two points and as many y as x; "
                f"got {len(x)} x and {len(y)} y"
            )
        if not np.all(x[1:] > x[:-1]):
            raise ValueError("x must increase strictly; sort the points and merge equal ones")
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            gaps = np.diff(x)
            slopes = np.diff(y) / gaps
        if not (np.isfinite(gaps).all() and np.isfinite(slopes).all()):
            far = "x or y: the points are too far apart, or y rises too fast, for floats"
            raise ValueError(f"{far}; multiply it by a power of two first")
        return cls(x[1:-1], slopes, (x[0], y[0]))

    def __call__(self, x: ArrayLike) -> Values:
        x = points_on_line(x)
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._rise(x) + self.anchor[1]
        return values if np.isfinite(values).all() else self._far(x)

    def _far(self, x: Values) -> Values:
        """The values where sums on the way to them leave the floats; infinite if they do too."""
        (x0, y0), numbers = self.anchor, [*self.knots, *x, self.anchor[0]]
        along = int(np.frexp(np.abs(numbers).max())[1]) + 2
        up = max(along + int(np.frexp(np.abs(self.slopes).max())[1]), int(np.frexp(y0)[1]))
        # Divided by powers of two, nothing is above one; each piece rises by less.
        near = PiecewiseLinear(
            np.ldexp(self.knots, -along),
            np.ldexp(self.slopes, along - up),
            (np.ldexp(x0, -along), np.ldexp(y0, -up)),
        )
        with np.errstate(over="ignore"):
            return np.ldexp(near(np.ldexp(x, -along)), up)

    def _rise(self, x: Values) -> Values:
        """f(x) - f(anchor), from the anchor outward: what lies beyond x costs it no digits."""
        # The anchor as one more knot, with the same slope on both sides.
        first = int(np.searchsorted(self.knots, self.anchor[0]))
        places = np.insert(self.knots, first, self.anchor[0])
        slopes = np.insert(self.slopes, first, self.slopes[first])
        rises = slopes[1:-1] * np.diff(places)
        left, right = -np.cumsum(rises[:first][::-1])[::-1], np.cumsum(rises[first:])
        heights = np.concatenate([left, [0.0], right])
        # Pieces left of the anchor start at their right end, the others at their left one.
        piece = np.searchsorted(places, x)
        start = np.where(piece > first, piece - 1, piece)
        return heights[start] + slopes[piece] * (x - places[start])


def as_piecewise(f: PiecewiseLinear, name: str = "f") -> PiecewiseLinear:
    """The function; ValueError for anything else."""
    if not isinstance(f, PiecewiseLinear):
        remedy = "as_piecewise_linear makes one of a network"
        raise ValueError(f"{name} must be a PiecewiseLinear, not {type(f).__name__}; {remedy}")
    return f
