"""Polygons between the lines of a subdivision, each made exact when that is asked for."""

from functools import cached_property

import numpy as np
from jaxtyping import Float

from repcost.regions.cutting import Shapes
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.polygons import Line, Meeting, Polygon
from repcost.regions.polyhedra import Polyhedron
from repcost.regions.rounded_corners import RoundedCorners
from repcost.regions.shapes import Polygons


class CutShapes:
    """Many shapes, with corners and volumes in floats for all of them together."""

    def __init__(self, found: Subdivision, shapes: Shapes):
        self.whole, self._found, self._shapes = found.plane.whole, found, shapes
        self._corners, self._begins = shapes.corners, shapes.corners.begins

    @cached_property
    def rounded(self) -> RoundedCorners:
        return RoundedCorners(self._found, self._shapes, self.exactly)

    def exactly(self, place: int) -> Polygon | Polyhedron:
        """A shape with its corners alone."""
        raise NotImplementedError

    def at(self, place: int) -> slice:
        """Where the corners of a shape are among all."""
        begin = self._begins[place]
        return slice(begin, begin + self._corners.counts[place])

    def meetings(self, place: int) -> tuple[Meeting, ...]:
        """The corners of a shape."""
        return tuple(map(self.whole.point, self._corners.points[self.at(place)].tolist()))

    def inner_sides(self, sides: list[int]) -> tuple[Line, ...]:
        """Lines that are positive inside, for sides of shapes."""
        # The last bit says on which side of its line the shape is.
        lines = ((self.whole.line(side >> 1), side & 1) for side in sides)
        return tuple([-x for x in line] if below else line for line, below in lines)


class PlanePolygons(CutShapes):
    """Those of the plane."""

    def __init__(self, found: Subdivision, polygons: Polygons):
        super().__init__(found, polygons)
        self.polygons = polygons

    def __getitem__(self, place: int) -> "PlanePolygon":
        return PlanePolygon(self, place)

    def exactly(self, place: int) -> Polygon:
        return Polygon(self.meetings(place), ())


class PlanePolygon(Polygon):
    """One of them."""

    def __init__(self, among: PlanePolygons, place: int):
        self._among, self._place = among, place

    @property
    def corners(self) -> tuple[Meeting, ...]:
        return self._among.meetings(self._place)

    @property
    def sides(self) -> tuple[Line, ...]:
        polygons = self._among.polygons
        return self._among.inner_sides(polygons.sides[self._among.at(self._place)].tolist())

    @property
    def volume(self) -> float:
        return float(self._among.rounded.volumes[self._place])

    @property
    def vertices(self) -> Float[np.ndarray, "v 2"]:
        return self._among.rounded.vertices[self._among.at(self._place)].copy()
