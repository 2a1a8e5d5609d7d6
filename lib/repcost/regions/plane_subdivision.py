"""The cells of a network in a box of the plane or of space, by floats where they are sure.

Layer by layer each cell is cut by the units that change sides inside it (`crossings`, `cutting`).
What cannot be decided in floats with a proven bound (`plane`, `row_bounds`) is decided in whole
numbers (`whole_plane`), so cells and their corners are exact, as pairs of lines, or three planes.

Cells come in order: those where the first unit of the first layer is active, then the others, and
so on through all units and layers.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.far_networks import in_the_middle, size_exponents
from repcost.regions.bodies import Bodies
from repcost.regions.boxes import FACES
from repcost.regions.cell_tree import CellTree, in_order
from repcost.regions.crossings import LayerLines
from repcost.regions.cutting import Front, Shapes, cut
from repcost.regions.plane import Plane
from repcost.regions.plane_middle import heard, nothing_vanishes
from repcost.regions.row_bounds import row_bounds
from repcost.regions.rows import RowMaker, Rows
from repcost.regions.shapes import Polygons
from repcost.regions.tables import Indices, shares
from repcost.regions.unit_rows import UnitRows

Watch = Callable[[Iterable], Iterable]

# Fewer entries of rows than this are not worth two floats each: what is in doubt is looked up.
_MANY = 1000


@dataclass(frozen=True, eq=False)
class _Part:
    """What a layer has to cut: cells of the layer below, by their numbers and shapes.

    below: what the layer below receives, where `places` are those of these cells.
    """

    layer: int
    cells: Indices
    shapes: Shapes
    below: Rows | None
    places: Indices


class Subdivision:
    """A box of the plane or of space, cut by all hidden units of a network.

    tree: who is active on which cell; shapes: of the cells of the last layer.
    """

    def __init__(self, net: DeepNet, low: Corner, high: Corner, watch: Watch = iter):
        self.net, self.low, self.high = net, low, high
        self.middle = in_the_middle(net, size_exponents(np.stack([low, high])))
        moved = heard(nothing_vanishes(self.middle, net))
        self.bounds = row_bounds(moved)
        self.tree = CellTree(net.widths[1:-1])
        self.plane = Plane(net, low, high, self.middle, self.tree)
        self.rows = RowMaker(moved, self.bounds, self.tree)
        self.unit_rows = UnitRows(moved, self.tree)
        # Bounds that overflow, and what is no number, are doubts, which whole numbers decide.
        with np.errstate(over="ignore", invalid="ignore"):
            parts = list(self._finished(watch))
            self.shapes = parts[0].joined(parts)

    def __len__(self) -> int:
        return len(self.shapes)

    @property
    def polygons(self) -> Polygons:
        """In the plane."""
        assert isinstance(self.shapes, Polygons)
        return self.shapes

    @property
    def bodies(self) -> Bodies:
        """In space."""
        assert isinstance(self.shapes, Bodies)
        return self.shapes

    @property
    def is_small(self) -> bool:
        """Whether whole numbers of each cell are quicker than floats of all cells together."""
        return len(self) * (1 + max(self.net.widths) ** 2 / 64) < 30

    def shares(self, numbers: int = 1) -> Iterator[Indices]:
        """Cells, in order, few at a time for so many numbers for each of them and each unit."""
        return shares(np.arange(len(self)), numbers * max(self.net.widths))

    def _finished(self, watch: Watch) -> Iterator[Shapes]:
        """Of the cells of the last layer, some at a time."""
        whole = np.zeros(1, dtype=np.int64)
        box = _box(self.plane)
        if self.net.depth == 1:
            yield box
            return
        for layer, shapes in watch(self._parts(_Part(0, whole, box, None, whole))):
            if layer == self.net.depth - 2:
                yield shapes

    def _parts(self, start: _Part) -> Iterator[tuple[int, Shapes]]:
        """The cells of every layer; what is cut goes up to the last layer before others begin."""
        waiting = [start]
        while waiting:
            part = waiting.pop()
            rows = self._received(part)
            found = self._cut(part, rows)
            cells = self.tree.append(part.layer, found.active, part.cells[found.origin])
            yield part.layer, found.shapes
            if part.layer < self.net.depth - 2:
                # The last one in is the first one out.
                waiting += reversed(list(self._above(part.layer + 1, cells, found, rows)))

    def _above(self, layer: int, cells: Indices, found: Front, rows: Rows) -> Iterator[_Part]:
        # Rows of two floats are sliced, which takes more room.
        numbers = self.net.widths[layer + 1] * (1 if rows.low is None else 8)
        for some in shares(np.arange(len(cells)), numbers):
            yield _Part(layer, cells[some], found.shapes.of(some), rows, found.origin[some])

    def _received(self, part: _Part) -> Rows:
        if part.below is None:
            return self.rows.first()
        rows = self.rows.through(part.layer - 1, part.cells, part.below, part.places)
        if rows.high.size > _MANY and rows.vague:
            rows = self.rows.again(part.layer, part.cells, doubled=True)
        return rows

    def _cut(self, part: _Part, rows: Rows) -> Front:
        """The parts of these cells, in order."""
        idle = np.zeros(len(part.cells), dtype=bool)
        if part.layer and self.net.activation.is_relu:
            idle = self.tree.pattern(part.layer - 1, part.cells).sum(axis=1) == 0
        zero = self.bounds[part.layer].zero
        lines = LayerLines(self.plane, part.layer, part.cells, rows, zero, idle)
        front = lines.front(part.shapes)
        found = Front.joined(list(cut(self.plane, front)))
        return found if found is front else found.of(in_order(found.active, found.origin))


def _box(plane: Plane) -> Shapes:
    """The whole domain, sides and corners in the order of `boxes`."""
    variables = len(plane.exponents)
    if variables == 2:
        return Polygons(np.array([4]), plane.corners, 2 * np.arange(4))
    corners = np.array(FACES)
    lines = plane.points["lines"]
    following = np.roll(corners, -1, axis=1)
    # Two corners in a row are on two sides of the box: this one, and the one beyond.
    beyond = [
        [
            int(np.setdiff1d(np.intersect1d(lines[p], lines[q]), [side])[0])
            for p, q in zip(here, there, strict=True)
        ]
        for side, (here, there) in enumerate(zip(corners, following, strict=True))
    ]
    faces = Polygons(np.full(6, 4), plane.corners[corners].ravel(), 2 * np.ravel(beyond))
    return Bodies(np.array([6]), 2 * np.arange(6), faces)
