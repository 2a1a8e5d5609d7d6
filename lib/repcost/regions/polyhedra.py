"""Convex bodies of space in whole numbers: a corner is where three planes meet (`polygons`)."""

import math
from collections.abc import Sequence

from repcost.regions.polygons import Convex, Meeting


class Polyhedron(Convex):
    """corners: meetings; tetrahedra: what it is made up of, by places of corners."""

    def __init__(self, corners: Sequence[Meeting], tetrahedra: Sequence[Sequence[int]]):
        super().__init__(corners)
        self._tetrahedra = tuple(tetrahedra)

    @property
    def tetrahedra(self) -> Sequence[Sequence[int]]:
        return self._tetrahedra

    @property
    def sixfold_volume(self) -> tuple[int, int]:
        """Numerator and denominator, not in lowest terms."""
        corners, top, bottom = self.corners, 0, 1
        for places in self.tetrahedra:
            four = [corners[place] for place in places]
            below = math.prod(point[-1] for point in four)
            # One denominator, as sums of fractions would look for common divisors at each step.
            if part := _determinant(*four):
                top, bottom = top * below + part * bottom, bottom * below
        return top, bottom

    @property
    def volume(self) -> float:
        """Rounded once; infinite beyond the range of floats."""
        top, bottom = self.sixfold_volume
        try:
            return top / (6 * bottom)
        except OverflowError:
            return math.inf


def _determinant(one: Meeting, two: Meeting, three: Meeting, four: Meeting) -> int:
    """Of the edges from the first corner, times all four W: that of the points but for its sign."""
    p, q = _minors(one, two), _minors(three, four)
    return -sum(sign * a * b for sign, a, b in zip(_SIGNS, p, reversed(q), strict=True))


# Of Laplace's expansion along two rows.
_SIGNS = (1, -1, 1, 1, -1, 1)


def _minors(one: Meeting, other: Meeting) -> list[int]:
    """Of two columns each: 01, 02, 03, 12, 13, 23, whose complements are these in reverse."""
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    return [one[i] * other[j] - one[j] * other[i] for i, j in pairs]
