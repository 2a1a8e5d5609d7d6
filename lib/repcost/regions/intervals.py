"""Intervals of the line with rational ends, or with none: the shapes that a whole line is cut to.

An interval has the one method that `subdivision.parts_by_sign` asks of a shape, `halves`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

# a x + c as (a, c), whole numbers.
Line = Sequence[int]


@dataclass(frozen=True)
class Interval:
    """The numbers between two rationals; None stands for an end at infinity."""

    low: Fraction | None = None
    high: Fraction | None = None

    def __contains__(self, x: Fraction) -> bool:
        return (self.low is None or self.low < x) and (self.high is None or x < self.high)

    def halves(self, line: Line) -> Iterator[tuple[bool, "Interval"]]:
        """(True, where a x + c >= 0) and (False, where it is <= 0), those with an inside; a != 0.

        From left to right.
        """
        a, c = line
        zero = Fraction(-c, a)
        # Where a > 0 the line is negative first and positive then.
        rises = a > 0
        if zero in self:
            yield not rises, Interval(self.low, zero)
            yield rises, Interval(zero, self.high)
        else:
            beyond = self.low is not None and zero <= self.low
            yield rises == beyond, self
