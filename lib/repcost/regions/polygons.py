"""Convex polygons in whole numbers: a corner is where two lines meet, so cutting adds no digits.

A polygon that is cut again and again keeps the lines that cut it, and its corners are computed from
those two lines alone, in homogeneous coordinates. Fractions of corners of corners would grow.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from jaxtyping import Float

# a x + b y + c >= 0 on the inner side, as (a, b, c).
Line = Sequence[int]
# The point (X / W, Y / W) with W > 0, as (X, Y, W).
Meeting = tuple[int, int, int]


def meeting(one: Line, other: Line) -> Meeting:
    """Where two lines that are not parallel meet."""
    (a, b, c), (p, q, r) = one, other
    # The cross product of the two lines.
    X, Y, W = b * r - c * q, c * p - a * r, a * q - b * p
    return (X, Y, W) if W > 0 else (-X, -Y, -W)


class Polygon:
    """Meetings against the clock; sides[i] is the line from corners[i] to the next one."""

    def __init__(self, corners: Sequence[Meeting], sides: Sequence[Line]):
        self._corners, self._sides = tuple(corners), tuple(sides)

    @property
    def corners(self) -> tuple[Meeting, ...]:
        return self._corners

    @property
    def sides(self) -> tuple[Line, ...]:
        return self._sides

    def values(self, line: Line) -> list[int]:
        """Signs of a x + b y + c at the corners (times W > 0)."""
        a, b, c = line
        return [a * X + b * Y + c * W for X, Y, W in self.corners]

    def reach(self, line: Line, exponent: int) -> tuple[Fraction, Fraction]:
        """The least and the most of (a x + b y + c) / 2^exponent."""
        at_corners = zip(self.values(line), self.corners, strict=True)
        values = [Fraction(value, W << exponent) for value, (_, _, W) in at_corners]
        return min(values), max(values)

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
