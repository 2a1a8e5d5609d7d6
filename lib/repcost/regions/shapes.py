"""Many convex polygons as lists of corners, and their halves on both sides of a line.

A polygon is a list of numbers of points, against the clock, and for each the side that leaves it:
twice the number of its line, plus one if the inside is where the line is negative. Where it is cut,
the first corner stays the first: if it is cut off, the end of the cut takes its place.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Int

from repcost.regions.plane import Plane, Signs
from repcost.regions.tables import Indices, ranges, starts

# Places of corners, one more than there are variables.
Simplices = Int[np.ndarray, "_ corners"]


@dataclass(frozen=True, eq=False)
class Corners:
    """counts: how many each shape has; points: of all of them, one shape after another."""

    counts: Indices
    points: Indices

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def begins(self) -> Indices:
        return starts(self.counts)

    @cached_property
    def owners(self) -> Indices:
        """Of each corner the shape."""
        return np.arange(len(self)).repeat(self.counts)


@dataclass(frozen=True, eq=False)
class Polygons(Corners):
    """sides: those that leave the corners."""

    sides: Indices

    @property
    def corners(self) -> Corners:
        return self

    def of(self, which: Indices) -> "Polygons":
        """Some of them; in this order."""
        counts = self.counts[which]
        corners = ranges(self.begins[which], counts)
        return Polygons(counts, self.points[corners], self.sides[corners])

    @cached_property
    def following(self) -> Indices:
        """Of each corner the place of the next one."""
        after = np.arange(len(self.points)) + 1
        after[self.begins + self.counts - 1] = self.begins
        return after

    @property
    def simplices(self) -> tuple[Simplices, Indices]:
        """A fan of triangles from the first corner of each, by the places of their corners."""
        counts = self.counts - 2
        place = ranges(self.begins + 1, counts)
        return np.stack([self.begins.repeat(counts), place, place + 1], axis=1), counts

    @classmethod
    def joined(cls, parts: "list[Polygons]") -> "Polygons":
        columns = ((part.counts, part.points, part.sides) for part in parts)
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def halves(self, plane: Plane, lines: Indices) -> "list[Polygons]":
        """Each cut by a line that does cut it: where it is positive, then where it is negative."""
        signs = plane.sides(self.points, lines[self.owners])
        there = signs[self.following]
        crossed = signs * there < 0
        new = np.zeros(len(signs), dtype=np.int64)
        new[crossed] = plane.meet(self.sides[crossed] >> 1, lines[self.owners[crossed]])
        return [
            half(self, sign * signs, sign * there, new, 2 * lines + (sign < 0)) for sign in (1, -1)
        ]


def half(polygons: Polygons, here: Signs, there: Signs, new: Indices, line: Indices) -> Polygons:
    """Where the line is positive, of polygons of which that is some part.

    Corners with the side that leaves them, or the line itself.
    """
    corner, on = here >= 0, here == 0
    # Corners on the line are rare.
    stays = (corner & ~on) | (on & (there > 0)) if on.any() else corner
    crossed = here * there < 0
    along = line[polygons.owners]
    # A corner, then the point in which the side that leaves it is cut.
    per = corner.astype(np.int64) + crossed
    places = starts(per)
    points, sides = (np.empty(per.sum(), dtype=np.int64) for _ in range(2))
    points[places[corner]] = polygons.points[corner]
    sides[places[corner]] = np.where(stays, polygons.sides, along)[corner]
    places = (places + corner)[crossed]
    points[places] = new[crossed]
    sides[places] = np.where(here > 0, along, polygons.sides)[crossed]
    return Polygons(np.add.reduceat(per, polygons.begins), points, sides)
