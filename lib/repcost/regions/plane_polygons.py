"""Polygons between the lines of a subdivision, each made exact when that is asked for."""

from functools import cached_property

import numpy as np
from jaxtyping import Float

from repcost.regions.cutting import Polygons
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.polygons import Line, Meeting, Polygon
from repcost.regions.rounded_corners import RoundedCorners


class PlanePolygons:
    """Many, with corners and areas in floats for all of them together."""

    def __init__(self, found: Subdivision, polygons: Polygons):
        self.whole, self.polygons, self._found = found.plane.whole, polygons, found
        self._begins = polygons.begins

    def __getitem__(self, place: int) -> "PlanePolygon":
        return PlanePolygon(self, place)

    @cached_property
    def rounded(self) -> RoundedCorners:
        return RoundedCorners(self._found, self.polygons)

    def at(self, place: int) -> slice:
        """Where the corners of a polygon are among all."""
        begin = self._begins[place]
        return slice(begin, begin + self.polygons.counts[place])


class PlanePolygon(Polygon):
    """One of them."""

    def __init__(self, among: PlanePolygons, place: int):
        self._among, self._place = among, place

    @property
    def corners(self) -> tuple[Meeting, ...]:
        points = self._among.polygons.points[self._among.at(self._place)].tolist()
        return tuple(map(self._among.whole.point, points))

    @property
    def sides(self) -> tuple[Line, ...]:
        sides = self._among.polygons.sides[self._among.at(self._place)].tolist()
        # The last bit says on which side of its line the polygon is.
        lines = ((self._among.whole.line(side >> 1), side & 1) for side in sides)
        return tuple([-x for x in line] if below else line for line, below in lines)

    @property
    def volume(self) -> float:
        return float(self._among.rounded.areas[self._place])

    @property
    def vertices(self) -> Float[np.ndarray, "v 2"]:
        return self._among.rounded.vertices[self._among.at(self._place)].copy()
