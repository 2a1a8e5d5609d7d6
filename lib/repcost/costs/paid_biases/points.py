"""Points on a line as this room needs them: the slopes between them, and their angles."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from repcost.costs.slopes import Slopes

__all__ = ["Gaps", "Points", "Values"]

Values = Float[np.ndarray, " n"]
Gaps = Float[np.ndarray, " gaps"]


@dataclass(frozen=True, eq=False)
class Points:
    """At least two points by increasing x.

    slopes: l_n from point n to the next. signs: +1, -1 or 0 where the points turn up, down or
    not, exactly; zero at the ends.
    """

    x: Values
    y: Values
    slopes: Gaps
    turns: Values
    signs: Int[np.ndarray, " n"]

    @classmethod
    def between(cls, x: Values, y: Values) -> "Points":
        known = Slopes.between(x, y)
        signs, sizes = known.turns()
        slopes = known.high + known.low
        # Points on one line have one slope.
        first = np.maximum.accumulate(np.where(signs[:-1] != 0, np.arange(len(slopes)), 0))
        return cls(x, y, slopes[first], signs * sizes, signs)

    @property
    def mirrored(self) -> "Points":
        """The same with -x for x."""
        return Points(
            -self.x[::-1], self.y[::-1], -self.slopes[::-1], self.turns[::-1], self.signs[::-1]
        )

    @cached_property
    def rho(self) -> Values:
        """sqrt(1 + x^2): what a unit that bends there pays for a bend of 1."""
        return np.hypot(1.0, self.x)

    @cached_property
    def widths(self) -> Gaps:
        return np.diff(self.x)

    @cached_property
    def widths_from_first(self) -> Values:
        return self.x - self.x[0]

    @cached_property
    def angles(self) -> tuple[Gaps, Gaps, Gaps]:
        """Of the difference of the angles atan x of neighbours: sine, cosine, cos^2 of its half."""
        both = self.rho[:-1] * self.rho[1:]
        cosine = (1 + self.x[:-1] * self.x[1:]) / both
        # From below, as it is divided by.
        half = np.maximum((1 + cosine) / 2 - 8 * 2.0**-53, 2.0**-60)
        return self.widths / both, cosine, half
