"""Convex polygons in whole numbers: a corner is where two lines meet, so cutting adds no digits.

A polygon that is cut again and again keeps the lines that cut it, and its corners are computed from
those two lines alone, in homogeneous coordinates. Fractions of corners of corners would grow.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from jaxtyping import Float

# a x + b y + c >= 0 on the inner side, as (a, b, c).
Line = Sequence[int]
# The point (X / W, Y / W) with W > 0, as (X, Y, W).
Meeting = tuple[int, int, int]

# A prime far larger than chance: two different sums of areas agree modulo it once in 10^156.
_MERSENNE = 2**521 - 1


def meeting(one: Line, other: Line) -> Meeting:
    """Where two lines that are not parallel meet."""
    (a, b, c), (p, q, r) = one, other
    # The cross product of the two lines.
    X, Y, W = b * r - c * q, c * p - a * r, a * q - b * p
    return (X, Y, W) if W > 0 else (-X, -Y, -W)


@dataclass(frozen=True, eq=False)
class Polygon:
    """Meetings against the clock; sides[i] is the line from corners[i] to the next one."""

    corners: tuple[Meeting, ...]
    sides: tuple[Line, ...]

    @classmethod
    def between(cls, sides: Sequence[Line]) -> "Polygon":
        """The polygon with these sides, in order against the clock."""
        return cls(tuple(meeting(sides[i - 1], sides[i]) for i in range(len(sides))), tuple(sides))

    def values(self, line: Line) -> list[int]:
        """Signs of a x + b y + c at the corners (times W > 0)."""
        a, b, c = line
        return [a * X + b * Y + c * W for X, Y, W in self.corners]

    def reach(self, line: Line, exponent: int) -> tuple[Fraction, Fraction]:
        """The least and the most of (a x + b y + c) / 2^exponent."""
        at_corners = zip(self.values(line), self.corners, strict=True)
        values = [Fraction(value, W << exponent) for value, (_, _, W) in at_corners]
        return min(values), max(values)

    def halves(self, line: Line) -> Iterator[tuple[bool, "Polygon"]]:
        """(True, where the line is >= 0) and (False, where it is <= 0), those with an inside."""
        values = self.values(line)
        above, below = max(values) > 0, min(values) < 0
        if above:
            yield True, self._part(values, line) if below else self
        if below:
            opposite = [-value for value in values]
            yield False, self._part(opposite, [-number for number in line]) if above else self

    def _part(self, values: list[int], line: Line) -> "Polygon":
        """Where the line, with these values at the corners, is positive.

        A corner is kept with the side that leaves it; where the border leaves the part, the line
        itself becomes the side.
        """
        corners, sides = [], []
        for i, (here, side) in enumerate(zip(values, self.sides, strict=True)):
            there = values[i + 1 - len(values)]
            if here > 0 or (here == 0 and there > 0):
                corners.append(self.corners[i])
                sides.append(side)
            elif here == 0 and there < 0:
                corners.append(self.corners[i])
                sides.append(line)
            if here * there < 0:
                corners.append(meeting(side, line))
                sides.append(line if here > 0 else side)
        return Polygon(tuple(corners), tuple(sides))

    @cached_property
    def doubled_area(self) -> tuple[int, int]:
        """Twice the area as numerator and denominator, not in lowest terms."""
        # A fan of triangles from the first corner; one denominator, as sums of fractions would
        # look for common divisors at each step.
        (X, Y, W), *others = self.corners
        top, bottom = 0, 1
        for (P, Q, R), (S, T, U) in pairwise(others):
            triangle = X * (Q * U - R * T) - Y * (P * U - R * S) + W * (P * T - Q * S)
            top, bottom = top * (W * R * U) + triangle * bottom, bottom * (W * R * U)
        return top, bottom

    @property
    def volume(self) -> float:
        """The area, rounded once; infinite beyond the range of floats."""
        top, bottom = self.doubled_area
        try:
            return top / (2 * bottom)
        except OverflowError:
            return math.inf

    @property
    def vertices(self) -> Float[np.ndarray, "v 2"]:
        """The corners, each coordinate rounded once."""
        return np.array([(X / W, Y / W) for X, Y, W in self.corners])

    @property
    def centre(self) -> Float[np.ndarray, " 2"]:
        """The mean of the corners."""
        # Divided by a power of two, as sums may leave the range of floats.
        return 8 * (self.vertices / 8).mean(axis=0) if self._is_far else self.vertices.mean(axis=0)

    @property
    def _is_far(self) -> bool:
        return bool(np.abs(self.vertices).max() > 1e300)


def fill(whole: Polygon, parts: Sequence[Polygon]) -> bool:
    """Whether the areas of the parts add up to that of the whole.

    Modulo a prime a division costs as much as a product, and numbers do not grow.
    """

    def modulo(polygon: Polygon) -> int:
        top, bottom = polygon.doubled_area
        return top * pow(bottom, -1, _MERSENNE)

    return (sum(map(modulo, parts)) - modulo(whole)) % _MERSENNE == 0
