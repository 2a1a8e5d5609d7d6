"""Convex polygons in whole numbers: a corner is where two lines meet, so cutting adds no digits.

A polygon that is cut again and again keeps the lines that cut it, and its corners are computed from
those two lines alone, in homogeneous coordinates. Fractions of corners of corners would grow.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import mul

import numpy as np
from jaxtyping import Float

# a x + b y + c >= 0 on the inner side, as (a, b, c).
Line = Sequence[int]
# The point (X / W, Y / W) with W > 0, as (X, Y, W); in space (X, Y, Z, W).
Meeting = tuple[int, ...]


def meeting(*lines: Line) -> Meeting:
    """Where two lines meet that do, or three planes of space."""
    found = _two(*lines) if len(lines) == 2 else _three(*lines)
    return found if found[-1] > 0 else tuple(-x for x in found)


def _two(one: Line, other: Line) -> Meeting:
    """The cross product."""
    (a, b, c), (p, q, r) = one, other
    return b * r - c * q, c * p - a * r, a * q - b * p


def _three(one: Line, other: Line, third: Line) -> Meeting:
    (a, b, c, d), (e, f, g, h), (p, q, r, s) = one, other, third
    # Minors of the first two, then of all three.
    ab, ac, ad = a * f - b * e, a * g - c * e, a * h - d * e
    bc, bd, cd = b * g - c * f, b * h - d * f, c * h - d * g
    X, Y = q * cd - r * bd + s * bc, p * cd - r * ad + s * ac
    Z, W = p * bd - q * ad + s * ab, p * bc - q * ac + r * ab
    return X, -Y, Z, -W


class Convex:
    """What has corners that are meetings."""

    def __init__(self, corners: Sequence[Meeting]):
        self._corners = tuple(corners)

    @property
    def corners(self) -> tuple[Meeting, ...]:
        return self._corners

    def values(self, line: Line) -> list[int]:
        """Signs of a x + b y + c at the corners (times W > 0)."""
        return [sum(map(mul, line, corner)) for corner in self.corners]

    def reach(self, line: Line, exponent: int) -> tuple[Fraction, Fraction]:
        """The least and the most of (a x + b y + c) / 2^exponent."""
        at_corners = zip(self.values(line), self.corners, strict=True)
        values = [Fraction(value, W << exponent) for value, (*_, W) in at_corners]
        return min(values), max(values)

    @property
    def vertices(self) -> Float[np.ndarray, "v d"]:
        """The corners, each coordinate rounded once."""
        return np.array([[x / W for x in X] for *X, W in self.corners])

    @property
    def centre(self) -> Float[np.ndarray, " d"]:
        """The mean of the corners."""
        vertices = self.vertices
        # Divided by a power of two, as sums may leave the range of floats.
        is_far = np.abs(vertices).max() > 1e300
        return 8 * (vertices / 8).mean(axis=0) if is_far else vertices.mean(axis=0)


class Polygon(Convex):
    """Meetings against the clock; sides[i] is the line from corners[i] to the next one."""

    def __init__(self, corners: Sequence[Meeting], sides: Sequence[Line]):
        super().__init__(corners)
        self._sides = tuple(sides)

    @property
    def sides(self) -> tuple[Line, ...]:
        return self._sides

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
