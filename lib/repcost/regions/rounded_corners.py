"""Corners and areas of the cells of a plane subdivision, rounded once.

Lines are taken as two floats (`rows`), and all that follows is computed in pairs (`pairs`). Where
that is not enough, whole numbers are asked.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from jaxtyping import Float

from repcost.regions.cutting import Polygons
from repcost.regions.pairs import Pair, minor, quotient
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.polygons import Polygon
from repcost.regions.tables import Indices, shares
from repcost.rounding import TINY


class RoundedCorners:
    """Of a subdivision, or of other polygons between its lines."""

    def __init__(self, found: Subdivision, polygons: Polygons):
        self._found, self._polygons = found, polygons
        self._used, self._places = np.unique(polygons.points, return_inverse=True)

    @cached_property
    def _points(self) -> tuple[Pair, Pair]:
        """x and y of all points that are corners, in the middle of the floats."""
        points = self._found.plane.points
        ends = points["one"][self._used], points["other"][self._used]
        used, places = np.unique(np.concatenate(ends), return_inverse=True)
        lines = self._lines(used)
        (a, b, c), (p, q, r) = (
            [lines[where, column] for column in range(3)] for where in np.split(places, 2)
        )
        # What is no number is a doubt.
        with np.errstate(all="ignore"):
            W = minor(a, q, b, p)
            return quotient(minor(b, r, c, q), W), quotient(minor(c, p, a, r), W)

    def _lines(self, used: Indices) -> Pair:
        """The entries of these lines, (lines, 3)."""
        found, of_lines = self._found, self._found.plane.lines
        # The box and the first layer are given in floats.
        high = of_lines["entries"][used]
        low, off = np.zeros_like(high), np.full_like(high, TINY)
        for layer in range(1, found.net.depth + 1):
            mine = np.flatnonzero(of_lines["layer"][used] == layer)
            for some in shares(mine, 4 * max(found.net.widths)):
                cells, units = of_lines["cell"][used[some]], of_lines["unit"][used[some]]
                high[some], low[some], off[some] = found.unit_rows(layer, cells, units).parts
        # To size one, as points depend on nothing else.
        exponents = -np.frexp(np.abs(high).max(axis=1, initial=0.0))[1][:, None]
        high, low, off = (np.ldexp(part, exponents) for part in (high, low, off))
        return Pair(high, low, off + TINY)

    @cached_property
    def vertices(self) -> Float[np.ndarray, "corners 2"]:
        """Of all cells, one after another."""
        if self._found.is_small:
            return np.concatenate([polygon.vertices for polygon in self._exactly()])
        columns = []
        exponents = self._found.plane.exponents.tolist()
        for axis, (part, exponent) in enumerate(zip(self._points, exponents, strict=True)):
            rounded, sure = part.rounded(exponent)
            sure |= self._found.plane.points["zero"][self._used, axis]
            for place in np.flatnonzero(~sure).tolist():
                point = self._found.plane.whole.point(int(self._used[place]))
                rounded[place] = point[axis] / point[2]
            columns.append(rounded)
        return np.stack(columns, axis=1)[self._places]

    @cached_property
    def areas(self) -> Float[np.ndarray, " cells"]:
        if self._found.is_small:
            return np.array([polygon.volume for polygon in self._exactly()])
        with np.errstate(all="ignore"):
            twice = self._doubled_areas()
        areas, sure = twice.rounded(int(self._found.plane.exponents.sum()) - 1)
        for cell in np.flatnonzero(~sure).tolist():
            areas[cell] = self._exact(cell).volume
        return areas

    def _exactly(self) -> Iterator[Polygon]:
        return (self._exact(cell) for cell in range(len(self._polygons)))

    def _exact(self, cell: int) -> Polygon:
        """Without its sides."""
        polygons = self._polygons
        begin = polygons.begins[cell]
        points = polygons.points[begin : begin + polygons.counts[cell]].tolist()
        return Polygon([self._found.plane.whole.point(point) for point in points], ())

    def _doubled_areas(self) -> Pair:
        """Fans of triangles from the first corners, one triangle of each cell at a time."""
        polygons = self._polygons
        begins, counts = polygons.begins, polygons.counts
        x, y = (part[self._places] for part in self._points)
        total = None
        for place in range(1, counts.max() - 1):
            # Where no triangle is left, one without an area is added.
            here, there = (begins + np.minimum(place + k, counts - 1) for k in range(2))
            dx, dy = x[here] - x[begins], y[here] - y[begins]
            triangle = minor(dx, y[there] - y[begins], x[there] - x[begins], dy)
            total = triangle if total is None else total + triangle
        assert total is not None
        return total
