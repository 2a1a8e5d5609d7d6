"""Which units of a layer change sides inside which cells, all at once and for certain."""

import numpy as np
from jaxtyping import Bool, Int

from repcost.regions.cutting import Front, Shapes, both_sides
from repcost.regions.plane import Plane
from repcost.regions.rows import Rows
from repcost.regions.shapes import Corners
from repcost.regions.tables import Indices, ranges
from repcost.rounding import TINY

Units = Bool[np.ndarray, "cells units"]
Numbers = Int[np.ndarray, "cells units"]
# Pairs of a cell and a unit.
Pairs = tuple[Indices, Indices]


class LayerLines:
    """The lines of one layer on some cells of the layer below.

    cells: their numbers; zero: entries of rows that are zero whatever the cell; idle: cells on
    which the layer below passes nothing on, so that units receive their biases.
    """

    def __init__(
        self,
        plane: Plane,
        layer: int,
        cells: Indices,
        rows: Rows,
        zero: Bool[np.ndarray, "units columns"],
        idle: Bool[np.ndarray, " cells"],
    ):
        self._plane, self._layer, self._cells = plane, layer, cells
        self._rows, self._zero, self._idle = rows, zero, idle

    def front(self, shapes: Shapes) -> Front:
        """The cells with their units, and the lines that cut each."""
        active, negative, lines = self.crossed(shapes.corners)
        cuts = active & negative
        return Front(shapes, np.arange(len(cuts)), active, cuts.sum(axis=1), lines)

    def crossed(self, corners: Corners) -> tuple[Units, Units, Indices]:
        """Who is positive and who negative somewhere on each cell, and lines of those who are both.

        One cell after another, in the order of the units.
        """
        active, negative, doubts = self._surely(corners)
        idle = np.flatnonzero(self._idle)
        biases = self._rows.high[idle, -1]
        active[idle], negative[idle], doubts[idle] = biases > 0, biases < 0, False
        # What is zero by structure is never active.
        doubts &= ~(active & negative) & ~self._zero.all(axis=1)
        lines = np.full(doubts.shape, -1) if doubts.any() else None
        if lines is not None:
            self._decide(corners, _pairs(doubts), active, negative, lines)
        return active, negative, self._numbers(_pairs(active & negative), lines)

    def _surely(self, corners: Corners) -> tuple[Units, Units, Units]:
        """Who is surely positive somewhere, surely negative somewhere, in doubt somewhere."""
        shape = len(self._cells), len(self._zero)
        found = tuple(np.zeros(shape, dtype=bool) for _ in range(3))
        # Shapes with as many corners make one array.
        for count in np.unique(corners.counts).tolist():
            here = np.flatnonzero(corners.counts == count)
            points = corners.points[corners.begins[here][:, None] + np.arange(count)]
            sides = self._by_floats(points, self._rows.of(here))
            for whole, part in zip(found, sides, strict=True):
                whole[here] = part
        active, negative, doubts = found
        return active, negative, doubts

    def _by_floats(
        self, points: Int[np.ndarray, "cells corners"], rows: Rows
    ) -> tuple[Units, Units, Units]:
        """The same for cells with so many corners: the bound of `plane`, for rows not scaled."""
        of_points = self._plane.points
        value = of_points["H"][points] @ rows.high
        largest = np.abs(rows.high).max(axis=1)[:, None]
        bound = of_points["g"][points][:, :, None] * largest
        bound += of_points["h"][points][:, :, None] * rows.errors()[:, None]
        bound += TINY
        positive, negative = value > bound, value < -bound
        return positive.any(axis=1), negative.any(axis=1), ~(positive | negative).all(axis=1)

    def _decide(
        self, corners: Corners, pairs: Pairs, active: Units, negative: Units, lines: Numbers
    ) -> None:
        """What floats leave open, corner by corner."""
        cells, _ = pairs
        lines[pairs] = self._added(pairs)
        counts = corners.counts[cells]
        points = corners.points[ranges(corners.begins[cells], counts)]
        signs = self._plane.sides(points, np.repeat(lines[pairs], counts))
        active[pairs], negative[pairs] = both_sides(signs, counts)

    def _numbers(self, pairs: Pairs, lines: Numbers | None) -> Indices:
        """Of the lines of these pairs, those that are there already among them."""
        if lines is None:
            return self._added(pairs)
        new = lines[pairs] < 0
        cells, units = pairs
        lines[cells[new], units[new]] = self._added((cells[new], units[new]))
        return lines[pairs]

    def _added(self, pairs: Pairs) -> Indices:
        cells, units = pairs
        if not len(cells):
            return cells
        errors = self._rows.errors()
        return self._plane.add_lines(
            self._rows.high[cells, :, units],
            errors[cells if len(errors) > 1 else 0, units],
            self._zero[units],
            layer=self._layer,
            cell=self._cells[cells],
            unit=units,
        )


def _pairs(which: Units) -> Pairs:
    cells, units = np.nonzero(which)
    return cells, units
