"""Many convex polygons clipped by many lines at once: of each cut one half is kept."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from repcost.regions.cutting import both_sides
from repcost.regions.plane import Plane, Signs
from repcost.regions.shapes import Polygons, half
from repcost.regions.tables import Indices, ranges, starts


@dataclass(frozen=True, eq=False)
class Clip:
    """Polygons, and the sides that are still to clip each, one polygon after another."""

    polygons: Polygons
    origin: Indices
    waiting: Indices
    sides: Indices

    def of(self, which: Indices) -> "Clip":
        waiting = self.waiting[which]
        sides = self.sides[ranges(starts(self.waiting)[which], waiting)]
        return Clip(self.polygons.of(which), self.origin[which], waiting, sides)


def clipped(plane: Plane, front: Clip) -> Iterator[Clip]:
    """What is left of each polygon where all its lines are positive, if that has an inside."""
    while len(front.polygons):
        done = front.waiting == 0
        if done.any():
            yield front.of(np.flatnonzero(done))
            front = front.of(np.flatnonzero(~done))
        if len(front.polygons):
            front = _still_cut(plane, _clipped_once(plane, front))


def _clipped_once(plane: Plane, front: Clip) -> Clip:
    """By its first side, which does cut each polygon."""
    first = starts(front.waiting)
    sides, polygons = front.sides[first], front.polygons
    signs = inner_signs(plane, polygons.points, sides[polygons.owners])
    there = signs[polygons.following]
    crossed = signs * there < 0
    new = np.zeros(len(signs), dtype=np.int64)
    new[crossed] = plane.meet(polygons.sides[crossed] >> 1, sides[polygons.owners[crossed]] >> 1)
    kept = half(polygons, signs, there, new, sides)
    return Clip(kept, front.origin, front.waiting - 1, np.delete(front.sides, first))


def _still_cut(plane: Plane, front: Clip) -> Clip:
    """Without sides that no longer cut, and without polygons that lie beyond one."""
    if not len(front.sides):
        return front
    polygons, owners = front.polygons, np.repeat(np.arange(len(front.waiting)), front.waiting)
    counts = polygons.counts[owners]
    corners = ranges(polygons.begins[owners], counts)
    signs = inner_signs(plane, polygons.points[corners], np.repeat(front.sides, counts))
    inside, outside = both_sides(signs, counts)
    waiting = np.bincount(owners[outside], minlength=len(polygons))
    lost = np.bincount(owners[~inside], minlength=len(polygons)) > 0
    left = replace(front, waiting=waiting, sides=front.sides[outside])
    return left.of(np.flatnonzero(~lost))


def inner_signs(plane: Plane, points: Indices, sides: Indices) -> Signs:
    """1 on the inner side."""
    return plane.sides(points, sides >> 1) * (1 - 2 * (sides & 1)).astype(np.int8)
