"""Corners, areas and volumes of the cells of a subdivision, rounded once.

Lines are taken as two floats (`rows`), and all that follows is computed in pairs (`pairs`). Where
that is not enough, whole numbers are asked.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from math import factorial

import numpy as np
from jaxtyping import Float

from repcost.regions.cutting import Shapes
from repcost.regions.pairs import Pair, minors, quotient, summed
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.polygons import Polygon
from repcost.regions.polyhedra import Polyhedron
from repcost.regions.shapes import Simplices
from repcost.regions.tables import Indices, shares
from repcost.rounding import TINY

# That are computed, or nearly so many, for the simplices of a cell.
_NUMBERS = 128


class RoundedCorners:
    """Of a subdivision, or of other shapes between its lines.

    exactly: makes the shape at a place in whole numbers.
    """

    def __init__(
        self, found: Subdivision, shapes: Shapes, exactly: Callable[[int], Polygon | Polyhedron]
    ):
        self._found, self._shapes, self._exactly = found, shapes, exactly
        self._used, self._places = np.unique(shapes.corners.points, return_inverse=True)

    @cached_property
    def _points(self) -> list[Pair]:
        """The coordinates of all points that are corners, in the middle of the floats."""
        lines = self._found.plane.points["lines"][self._used]
        used, places = np.unique(lines, return_inverse=True)
        rows = self._lines(used)
        each = (rows[where] for where in places.reshape(lines.shape).T)
        # What is no number is a doubt.
        with np.errstate(all="ignore"):
            W, *X = minors([[row[:, k] for k in range(lines.shape[1] + 1)] for row in each])
            # In the order of what they leave out, from the last column on, with signs in turns.
            found = [quotient(x, W) for x in reversed(X)]
        return [-x if (len(X) - k) % 2 else x for k, x in enumerate(found)]

    def _lines(self, used: Indices) -> Pair:
        """The entries of these lines."""
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
    def vertices(self) -> Float[np.ndarray, "corners d"]:
        """Of all cells, one after another."""
        if self._found.is_small:
            return np.concatenate([shape.vertices for shape in self._all_exactly()])
        columns = []
        exponents = self._found.plane.exponents.tolist()
        for axis, (part, exponent) in enumerate(zip(self._points, exponents, strict=True)):
            rounded, sure = part.rounded(exponent)
            sure |= self._found.plane.points["zero"][self._used, axis]
            for place in np.flatnonzero(~sure).tolist():
                point = self._found.plane.whole.point(int(self._used[place]))
                rounded[place] = point[axis] / point[-1]
            columns.append(rounded)
        return np.stack(columns, axis=1)[self._places]

    @cached_property
    def volumes(self) -> Float[np.ndarray, " cells"]:
        """In the plane areas."""
        if self._found.is_small:
            return np.array([shape.volume for shape in self._all_exactly()])
        simplices, counts = self._shapes.simplices
        ends, parts = counts.cumsum(), []
        for cells in shares(np.arange(len(counts)), _NUMBERS):
            first, last = cells[0], cells[-1]
            some = simplices[ends[first] - counts[first] : ends[last]]
            with np.errstate(all="ignore"):
                multiple = summed(self._determinants(some), counts[cells])
            parts.append(self._volumes(cells, multiple))
        return np.concatenate(parts)

    def _volumes(self, cells: Indices, multiple: Pair) -> Float[np.ndarray, " cells"]:
        """From two times the area, or six times the volume."""
        exponents = self._found.plane.exponents
        times = factorial(len(exponents)) // 2
        if times > 1:
            whole = np.full_like(multiple.high, times)
            zero = np.zeros_like(whole)
            multiple = quotient(multiple, Pair(whole, zero, zero))
        found, sure = multiple.rounded(int(exponents.sum()) - 1)
        for place in np.flatnonzero(~sure).tolist():
            found[place] = self._exactly(int(cells[place])).volume
        return found

    def _determinants(self, simplices: Simplices) -> Pair:
        """Of the edges from the first corner of each."""
        first, *others = self._places[simplices].T
        edges = [[x[other] - x[first] for x in self._points] for other in others]
        return minors(edges)[0]

    def _all_exactly(self) -> Iterator[Polygon | Polyhedron]:
        return map(self._exactly, range(len(self._shapes)))
