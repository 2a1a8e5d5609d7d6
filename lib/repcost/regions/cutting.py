"""Many convex shapes cut by many lines at once, a line of each at a time.

Shapes are polygons between lines (`shapes`) or bodies between planes (`bodies`). As in the
subdivision of one shape after another, lines are taken in the order of the units.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Int

from repcost.regions.plane import Plane
from repcost.regions.shapes import Corners, Simplices
from repcost.regions.tables import Indices, ranges, starts


@runtime_checkable
class Shapes(Protocol):
    """Many of them behind one another."""

    def __len__(self) -> int: ...

    @property
    def corners(self) -> Corners: ...

    @property
    def simplices(self) -> tuple[Simplices, Indices]:
        """That make up each, by the places of their corners, and how many each has."""
        ...

    def of(self, which: Indices) -> "Shapes":
        """Some of them; in this order."""
        ...

    @classmethod
    def joined(cls, parts: list[Any]) -> "Shapes":
        """Of one kind."""
        ...

    def halves(self, plane: Plane, lines: Indices) -> "Sequence[Shapes]":
        """Each cut by a line that does cut it: where it is positive, then where it is negative."""
        ...


@dataclass(frozen=True, eq=False)
class Front:
    """Shapes, and for each the cell it is part of, which units are active there, and who is open.

    waiting: how many lines may still cut each; lines: these, of one shape after another.
    """

    shapes: Shapes
    origin: Indices
    active: Bool[np.ndarray, "shapes units"]
    waiting: Indices
    lines: Indices

    def of(self, which: Indices) -> "Front":
        waiting = self.waiting[which]
        lines = self.lines[ranges(starts(self.waiting)[which], waiting)]
        return Front(self.shapes.of(which), self.origin[which], self.active[which], waiting, lines)

    @classmethod
    def joined(cls, parts: "list[Front]") -> "Front":
        if len(parts) == 1:
            return parts[0]
        columns = ((part.origin, part.active, part.waiting, part.lines) for part in parts)
        shapes = parts[0].shapes.joined([part.shapes for part in parts])
        return cls(shapes, *(np.concatenate(column) for column in zip(*columns, strict=True)))


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
    """Each shape cut by its first line, which does cut it: the active halves, then the others."""
    first, number = starts(front.waiting), len(front.waiting)
    lines = front.lines[first]
    halves = front.shapes.halves(plane, lines)
    active = _twice(front.active)
    units, here = plane.lines["unit"][lines], np.arange(number)
    active[here, units], active[here + number, units] = True, False
    left = np.ones(len(front.lines), dtype=bool)
    left[first] = False
    origin, waiting, others = map(_twice, (front.origin, front.waiting - 1, front.lines[left]))
    return Front(front.shapes.joined(list(halves)), origin, active, waiting, others)


def _twice(column: np.ndarray) -> np.ndarray:
    return np.concatenate([column, column])


def _settled(plane: Plane, front: Front) -> Front:
    """The same, without the lines that do not cut their shape: on one side they are settled."""
    if not len(front.lines):
        return front
    shapes, owners = front.shapes.corners, np.repeat(np.arange(len(front.waiting)), front.waiting)
    counts = shapes.counts[owners]
    corners = ranges(shapes.begins[owners], counts)
    above, below = both_sides(
        plane.sides(shapes.points[corners], np.repeat(front.lines, counts)), counts
    )
    cuts = above & below
    on, off = above & ~cuts, ~above
    for which, side in ((on, True), (off, False)):
        front.active[owners[which], plane.lines["unit"][front.lines[which]]] = side
    waiting = np.bincount(owners[cuts], minlength=len(shapes))
    return replace(front, waiting=waiting, lines=front.lines[cuts])


def both_sides(
    signs: Int[np.ndarray, " _"], counts: Indices
) -> tuple[Bool[np.ndarray, " _"], Bool[np.ndarray, " _"]]:
    """Of each list whether it has a positive sign, and a negative one."""
    begins = starts(counts)
    return np.maximum.reduceat(signs, begins) > 0, np.minimum.reduceat(signs, begins) < 0
