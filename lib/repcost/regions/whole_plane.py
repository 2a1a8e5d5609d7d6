"""The lines and points of a subdivision in whole numbers: what is asked where floats are in doubt.

Everything is made from the network when it is needed, and kept: maps of cells, lines, points, and
the side of a line on which a point is.
"""

from functools import cached_property
from operator import mul

import numpy as np

from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.integers import whole_numbers
from repcost.regions.boxes import box_sides
from repcost.regions.cell_tree import CellTree
from repcost.regions.maps import AffineMap, WholeLayer, whole_layers
from repcost.regions.polygons import Line, Meeting, meeting
from repcost.regions.tables import Table


class WholePlane:
    """For the tables of a `Plane`: lines as (layer, cell, unit), points as their lines.

    Sides of the box are units of the layer -1. Beyond the outputs there is a layer of their
    differences: of m outputs, the i-th minus the k-th is unit m i + k.
    """

    def __init__(
        self, net: DeepNet, low: Corner, high: Corner, tree: CellTree, lines: Table, points: Table
    ):
        self._net, self._low, self._high, self._tree = net, low, high, tree
        self._of_lines, self._of_points = lines, points
        self._maps: dict[tuple[int, int], AffineMap] = {}
        self._lines: dict[int, list[int]] = {}
        self._points: dict[int, Meeting] = {}
        self._sides: dict[tuple[int, int], int] = {}

    @property
    def asked(self) -> int:
        """How many sides, points and maps floats did not know."""
        return len(self._sides) + len(self._points) + len(self._maps)

    @cached_property
    def _layers(self) -> list[WholeLayer]:
        return whole_layers(self._net)

    @cached_property
    def _box(self) -> list[list[int]]:
        (low, high), exponent = whole_numbers(self._low, self._high)
        return box_sides(low, high, 1 << exponent)

    def map(self, layer: int, cell: int) -> AffineMap:
        """What units of the layer get from the layer below, on a cell of that."""
        if (layer, cell) in self._maps:
            return self._maps[layer, cell]
        found = AffineMap.identity(len(self._low))
        for below, here in enumerate(self._tree.ancestors(layer, np.array([cell]))):
            key = below + 1, int(here[0])
            if key not in self._maps:
                active = self._tree.pattern(below, here)[0].tolist()
                received = found.through(self._layers[below])
                self._maps[key] = received.activated(active, self._net.activation)
            found = self._maps[key]
        return found

    def outputs(self, cell: int) -> AffineMap:
        """On a cell of the last layer."""
        return self.map(self._net.depth - 1, cell).through(self._layers[-1])

    def row(self, layer: int, cell: int, unit: int) -> list[int]:
        """What one unit receives, times a power of two."""
        below, here = self.map(layer, cell), self._layers[layer]
        row = (
            (here.weight[unit] @ below.rows).tolist()
            if len(below.rows)
            else [0] * below.rows.shape[1]
        )
        row[-1] += here.bias[unit] << below.exponent
        return row

    def line(self, line: int) -> list[int]:
        if line not in self._lines:
            self._lines[line] = self._line(*self._of_lines.row(line, "layer", "cell", "unit"))
        return self._lines[line]

    def _line(self, layer: int, cell: int, unit: int) -> list[int]:
        if layer < 0:
            return self._box[unit]
        if layer < self._net.depth:
            return self.row(layer, cell, unit)
        pair = divmod(unit, self._net.widths[-1])
        ahead, other = (self.row(layer - 1, cell, label) for label in pair)
        return [x - y for x, y in zip(ahead, other, strict=True)]

    def point(self, point: int) -> Meeting:
        if point not in self._points:
            lines = map(self.line, self._of_points["lines"][point].tolist())
            self._points[point] = meeting(*lines)
        return self._points[point]

    def side(self, point: int, line: int) -> int:
        """1, 0 or -1: where the line is positive, zero or negative."""
        key = point, line
        if key not in self._sides:
            value = value_at(self.line(line), self.point(point))
            self._sides[key] = (value > 0) - (value < 0)
        return self._sides[key]


def value_at(line: Line, point: Meeting) -> int:
    """Times W > 0."""
    return sum(map(mul, line, point))
