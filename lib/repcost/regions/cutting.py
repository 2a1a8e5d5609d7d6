"""Many convex polygons cut by many lines at once, a line of each at a time.

A polygon is a list of numbers of points, against the clock, and for each the side that leaves it:
twice the number of its line, plus one if the inside is where the line is negative. As in the
subdivision of one polygon after another, lines are taken in the order of the units, and the first
corner stays the first: if it is cut off, the end of the cut takes its place.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from repcost.regions.plane import Plane, Signs
from repcost.regions.tables import Indices, ranges, starts


@dataclass(frozen=True, eq=False)
class Polygons:
    """counts: corners of each; points and sides: of all of them, one polygon after another."""

    counts: Indices
    points: Indices
    sides: Indices

    def __len__(self) -> int:
        return len(self.counts)

    def of(self, which: Indices) -> "Polygons":
        """Some of them; in this order."""
        counts = self.counts[which]
        corners = ranges(self.begins[which], counts)
        return Polygons(counts, self.points[corners], self.sides[corners])

    @cached_property
    def begins(self) -> Indices:
        return starts(self.counts)

    @cached_property
    def owners(self) -> Indices:
        """Of each corner the polygon."""
        return np.arange(len(self)).repeat(self.counts)

    @cached_property
    def following(self) -> Indices:
        """Of each corner the place of the next one."""
        after = np.arange(len(self.points)) + 1
        after[self.begins + self.counts - 1] = self.begins
        return after

    @classmethod
    def joined(cls, parts: "list[Polygons]") -> "Polygons":
        columns = ((part.counts, part.points, part.sides) for part in parts)
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))


@dataclass(frozen=True, eq=False)
class Front:
    """Polygons, and for each the cell it is part of, which units are active there, and who is open.

    waiting: how many lines may still cut each; lines: these, of one polygon after another.
    """

    polygons: Polygons
    origin: Indices
    active: Bool[np.ndarray, "polygons units"]
    waiting: Indices
    lines: Indices

    def of(self, which: Indices) -> "Front":
        waiting = self.waiting[which]
        lines = self.lines[ranges(starts(self.waiting)[which], waiting)]
        return Front(
            self.polygons.of(which), self.origin[which], self.active[which], waiting, lines
        )

    @classmethod
    def joined(cls, parts: "list[Front]") -> "Front":
        if len(parts) == 1:
            return parts[0]
        columns = ((part.origin, part.active, part.waiting, part.lines) for part in parts)
        polygons = Polygons.joined([part.polygons for part in parts])
        return cls(polygons, *(np.concatenate(column) for column in zip(*columns, strict=True)))


def cut(plane: Plane, front: Front) -> Iterator[Front]:
    """The parts that are left when no line waits."""
    while True:
        done = front.waiting == 0
        if done.all():
            yield front
            return
        if done.any():
            yield front.of(np.flatnonzero(done))
            front = front.of(np.flatnonzero(~done))
        front = _settled(plane, _halved(plane, front))


def _halved(plane: Plane, front: Front) -> Front:
    """Each polygon cut by its first line, which does cut it: the active halves, then the others."""
    first = starts(front.waiting)
    lines, polygons, number = front.lines[first], front.polygons, len(front.polygons)
    signs = plane.sides(polygons.points, lines[polygons.owners])
    there = signs[polygons.following]
    crossed = signs * there < 0
    new = np.zeros(len(signs), dtype=np.int64)
    new[crossed] = plane.meet(polygons.sides[crossed] >> 1, lines[polygons.owners[crossed]])
    halves = [
        half(polygons, sign * signs, sign * there, new, 2 * lines + (sign < 0)) for sign in (1, -1)
    ]
    active = _twice(front.active)
    units, here = plane.lines["unit"][lines], np.arange(number)
    active[here, units], active[here + number, units] = True, False
    left = np.ones(len(front.lines), dtype=bool)
    left[first] = False
    origin, waiting, others = map(_twice, (front.origin, front.waiting - 1, front.lines[left]))
    return Front(Polygons.joined(halves), origin, active, waiting, others)


def _twice(column: np.ndarray) -> np.ndarray:
    return np.concatenate([column, column])


def half(polygons: Polygons, here: Signs, there: Signs, new: Indices, line: Indices) -> Polygons:
    """Where the line is positive: corners with the side that leaves them, or the line itself."""
    stays, on = here > 0, here == 0
    corner = stays
    # Corners on the line are rare.
    if on.any():
        stays = stays | (on & (there > 0))
        corner = stays | (on & (there < 0))
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


def _settled(plane: Plane, front: Front) -> Front:
    """The same, without the lines that do not cut their polygon: on one side they are settled."""
    if not len(front.lines):
        return front
    polygons, owners = front.polygons, np.repeat(np.arange(len(front.waiting)), front.waiting)
    counts = polygons.counts[owners]
    corners = ranges(polygons.begins[owners], counts)
    above, below = both_sides(
        plane.sides(polygons.points[corners], np.repeat(front.lines, counts)), counts
    )
    cuts = above & below
    on, off = above & ~cuts, ~above
    for which, side in ((on, True), (off, False)):
        front.active[owners[which], plane.lines["unit"][front.lines[which]]] = side
    waiting = np.bincount(owners[cuts], minlength=len(polygons))
    return replace(front, waiting=waiting, lines=front.lines[cuts])


def both_sides(
    signs: Int[np.ndarray, " _"], counts: Indices
) -> tuple[Bool[np.ndarray, " _"], Bool[np.ndarray, " _"]]:
    """Of each list whether it has a positive sign, and a negative one."""
    begins = starts(counts)
    return np.maximum.reduceat(signs, begins) > 0, np.minimum.reduceat(signs, begins) < 0
