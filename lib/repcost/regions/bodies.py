"""Many convex bodies of space as lists of their faces, and their halves on both sides of a plane.

A face is a polygon in a plane, against the clock as seen from outside. The side that leaves a
corner is the plane of the face on its other side, so it is cut as a polygon of the plane is: the
side from p to q meets a plane where that, the plane of the face and the plane beyond the side do.
As a body between its faces is simple to write down and to cut, no corner has to be on three planes
only, and nothing is looked for: where the faces that are left end on the plane, they end in sides
that, the other way around, are those of a new face.

A plane that cuts a body leaves a face as it is, or takes it away, or cuts it, or follows one of its
sides. Then the face beyond that side is on the other side of the plane, by convexity, so in both
halves the new face lies beyond the side. All signs are exact, so no other case occurs.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool

from repcost.regions.plane import Plane, Signs
from repcost.regions.shapes import Corners, Polygons, Simplices, half
from repcost.regions.tables import Indices, ranges, starts


@dataclass(frozen=True, eq=False)
class Bodies:
    """counts: faces of each; planes and faces: of all of them, one body after another."""

    counts: Indices
    planes: Indices
    faces: Polygons

    def __len__(self) -> int:
        return len(self.counts)

    def of(self, which: Indices) -> "Bodies":
        """Some of them; in this order."""
        counts = self.counts[which]
        faces = ranges(starts(self.counts)[which], counts)
        return Bodies(counts, self.planes[faces], self.faces.of(faces))

    @classmethod
    def joined(cls, parts: "list[Bodies]") -> "Bodies":
        counts, planes = (
            np.concatenate(column)
            for column in zip(*((part.counts, part.planes) for part in parts), strict=True)
        )
        return cls(counts, planes, Polygons.joined([part.faces for part in parts]))

    @cached_property
    def owners(self) -> Indices:
        """Of each corner of each face the body."""
        return np.arange(len(self)).repeat(self.counts)[self.faces.owners]

    @cached_property
    def _once(self) -> tuple[Corners, Indices]:
        """The corners of each body, each once, and where those of its faces are among them."""
        size = int(self.faces.points.max(initial=0)) + 1
        found, places = np.unique(self.owners * size + self.faces.points, return_inverse=True)
        owners, points = np.divmod(found, size)
        return Corners(np.bincount(owners, minlength=len(self)), points), places

    @property
    def corners(self) -> Corners:
        return self._once[0]

    @property
    def simplices(self) -> tuple[Simplices, Indices]:
        """Over triangles of all faces, from the first corner of each; some are flat."""
        triangles, per_face = self.faces.simplices
        corners, places = self._once
        bodies = np.arange(len(self)).repeat(self.counts)
        first = corners.begins[bodies.repeat(per_face)]
        counts = np.bincount(bodies, per_face, len(self)).astype(np.int64)
        return np.column_stack([first, places[triangles]]), counts

    def halves(self, plane: Plane, lines: Indices) -> "list[Bodies]":
        """Each cut by a plane that does cut it: where it is positive, then where it is negative."""
        corners, places = self._once
        signs = plane.sides(corners.points, lines[corners.owners])[places]
        there = signs[self.faces.following]
        new = self._new_points(plane, lines, signs * there < 0)
        return [
            self._half(sign * signs, sign * there, new, 2 * lines + (sign < 0)) for sign in (1, -1)
        ]

    def _new_points(self, plane: Plane, lines: Indices, cut: Bool[np.ndarray, " _"]) -> Indices:
        """Where sides are cut; a side belongs to two faces, and perhaps to several bodies."""
        faces = self.faces
        beyond, here = faces.sides[cut] >> 1, (self.planes[faces.owners] >> 1)[cut]
        by, ends = lines[self.owners[cut]], (faces.points[cut], faces.points[faces.following][cut])
        side = np.minimum(*ends) * len(plane.points) + np.maximum(*ends)
        side = np.unique(side, return_inverse=True)[1]
        _, first, places = np.unique(
            side * len(plane.lines) + by, return_index=True, return_inverse=True
        )
        new = np.zeros(len(cut), dtype=np.int64)
        new[cut] = plane.meet(here[first], beyond[first], by[first])[places]
        return new

    def _half(self, here: Signs, there: Signs, new: Indices, line: Indices) -> "Bodies":
        """Where the plane is positive: what is left of the faces, and the new one."""
        faces = self.faces
        left = np.flatnonzero(np.maximum.reduceat(here, faces.begins) > 0)
        corners = ranges(faces.begins[left], faces.counts[left])
        owners = np.arange(len(self)).repeat(self.counts)[left]
        parts = half(faces.of(left), here[corners], there[corners], new[corners], line[owners])
        caps = _caps(parts, owners, self.planes[left], line)
        order = np.argsort(np.concatenate([owners, np.arange(len(self))]), kind="stable")
        planes = np.concatenate([self.planes[left], line])[order]
        counts = np.bincount(owners, minlength=len(self)) + 1
        return Bodies(counts, planes, Polygons.joined([parts, caps]).of(order))


def _caps(faces: Polygons, owners: Indices, planes: Indices, line: Indices) -> Polygons:
    """The new faces: sides along the plane the other way around, one after another."""
    along = np.flatnonzero(faces.sides == line[owners][faces.owners])
    face = faces.owners[along]
    ends, begins = faces.points[along], faces.points[faces.following[along]]
    # In the order of bodies and of where sides begin.
    size = int(faces.points.max()) + 1
    keys = owners[face] * size + begins
    order = np.argsort(keys)
    after = np.searchsorted(keys[order], (owners[face] * size + ends)[order])
    counts = np.bincount(owners[face], minlength=len(line))
    around = order[_cycles(after, counts)]
    return Polygons(counts, begins[around], planes[face][around])


def _cycles(after: Indices, counts: Indices) -> Indices:
    """So many places one after another, from the first of each list along what comes after each."""
    found, here = np.empty(counts.sum(), dtype=np.int64), starts(counts)
    places = here.copy()
    for step in range(counts.max()):
        going = np.flatnonzero(counts > step)
        found[places[going] + step] = here[going]
        here[going] = after[here[going]]
    return found
