"""The regions of a network in the plane in whole numbers, one cell after the other: a witness."""

from collections.abc import Iterator

from repcost.integers import whole_numbers
from repcost.regions.maps import AffineMap, whole_layers
from repcost.regions.polygons import Line, Polygon, meeting
from repcost.regions.subdivision import Cell, cut_by_layers

# A prime far larger than chance: two different sums of areas agree modulo it once in 10^156.
MERSENNE = 2**521 - 1


class WholePolygon(Polygon):
    """A polygon that can be cut."""

    def halves(self, line: Line) -> Iterator[tuple[bool, "WholePolygon"]]:
        """(True, where the line is >= 0) and (False, where it is <= 0), those with an inside."""
        values = self.values(line)
        above, below = max(values) > 0, min(values) < 0
        if above:
            yield True, self._part(values, line) if below else self
        if below:
            opposite = [-value for value in values]
            yield False, self._part(opposite, [-number for number in line]) if above else self

    def _part(self, values: list[int], line: Line) -> "WholePolygon":
        """Where the line, with these values at the corners, is positive.

        A corner is kept with the side that leaves it; where the border leaves the part, the line
        itself becomes the side.
        """
        corners, sides = [], []
        for i, (here, side) in enumerate(zip(values, self.sides, strict=True)):
            there = values[i + 1 - len(values)]
            if here > 0 or (here == 0 and there > 0):
                corners.append(self.corners[i])
                sides.append(side)
            elif here == 0 and there < 0:
                corners.append(self.corners[i])
                sides.append(line)
            if here * there < 0:
                corners.append(meeting(side, line))
                sides.append(line if here > 0 else side)
        return WholePolygon(tuple(corners), tuple(sides))


def rectangle(low, high):
    """The box as a polygon: below, right, above, left."""
    (bottom, top), exponent = whole_numbers(low, high)
    one = 1 << exponent
    sides = [(0, one, -bottom[1]), (-one, 0, top[0]), (0, -one, top[1]), (one, 0, -bottom[0])]
    return WholePolygon([meeting(sides[i - 1], sides[i]) for i in range(4)], sides)


def whole_cells(net, low, high):
    """In the order of the library, each with its corners from the same first one on."""
    layers = whole_layers(net)
    start = Cell(rectangle(low, high), AffineMap.identity(2).through(layers[0]))
    return cut_by_layers(net, layers, [start])


def fill(whole, parts):
    """Whether the areas of the parts add up to that of the whole."""

    def modulo(polygon):
        top, bottom = polygon.doubled_area
        return top * pow(bottom, -1, MERSENNE)

    return (sum(map(modulo, parts)) - modulo(whole)) % MERSENNE == 0


def whole_labels(net, low, high):
    """Outputs that are ahead of all others, each with where, in the order of the library."""
    for cell in whole_cells(net, low, high):
        for label, row in enumerate(cell.map.rows):
            part = cell.shape
            for other, theirs in enumerate(cell.map.rows):
                if part is not None and other != label:
                    part = _ahead(part, (row - theirs).tolist())
            if part is not None:
                yield label, part


def _ahead(shape, line):
    """The part where the line is positive; None if that has no inside."""
    # The difference of two outputs is constant here: one is ahead everywhere, or none is.
    if not any(line[:-1]):
        return shape if line[-1] > 0 else None
    return next((half for on, half in shape.halves(line) if on), None)
