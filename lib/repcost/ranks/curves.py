"""Whether the values of a function run along a curve: then one number, the place on it, is enough.

Where the Jacobian has rank one, each cell of the domain is mapped to a segment. Cut the segments at
the values of the corners, and call pieces and corners with the same values the same: that is a
graph, and x -> its place in the graph is continuous, as two neighbouring cells agree on the side
they share. Nothing is said of pieces that merely cross.

If no corner has more than two pieces, the graph is a path or a circle. A place on a path is one
number; a map from a box to a circle can be unrolled, as a box has no holes, and the angle is one
number.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm

from repcost.regions.plane_cells import PlaneCell

# Values of the function, exactly; on a line, the order of tuples is the order of its points.
Value = tuple[Fraction, ...]


def along_a_curve(cells: Iterable[PlaneCell]) -> bool:
    """Whether the graph above is a path or a circle, exactly.

    cells: of two variables, with Jacobians of rank one at most.
    """
    lines: dict[tuple, list[list[Value]]] = defaultdict(list)
    for cell in cells:
        values = sorted(set(_corner_values(cell)))
        if len(values) > 1:
            lines[_line(values[0], values[-1])].append(values)
    pieces = {piece for segments in lines.values() for piece in _pieces(segments)}
    # A corner with three pieces is a branch; a graph without one is a path or a circle, as the
    # image of a box is connected.
    degrees = Counter(corner for piece in pieces for corner in piece)
    return max(degrees.values(), default=0) <= 2


def _corner_values(cell: PlaneCell) -> list[Value]:
    rows, exponent = cell.map.rows.tolist(), cell.map.exponent
    return [
        tuple(Fraction(a * X + b * Y + c * W, W << exponent) for a, b, c in rows)
        for X, Y, W in cell.shape.corners
    ]


def _line(start: Value, end: Value) -> tuple:
    """The direction of the line through two points, and its foot from zero: equal for equal lines.

    The points come in the order of tuples, so that the direction has one sign.
    """
    step = [y - x for x, y in zip(start, end, strict=True)]
    # Divided by all they have in common, whole numbers are the same for the same direction.
    common = lcm(*(part.denominator for part in step))
    whole = [int(part * common) for part in step]
    direction = [part // gcd(*whole) for part in whole]
    along = sum(x * part for x, part in zip(start, direction, strict=True))
    share = along / sum(part**2 for part in direction)
    return (*direction, *(x - share * part for x, part in zip(start, direction, strict=True)))


def _pieces(segments: Sequence[Sequence[Value]]) -> set[tuple[Value, Value]]:
    """What the segments on one line cover, cut at all their corners."""
    corners = sorted({value for segment in segments for value in segment})
    place = {value: i for i, value in enumerate(corners)}
    covered = {i for segment in segments for i in range(place[segment[0]], place[segment[-1]])}
    return {piece for i, piece in enumerate(pairwise(corners)) if i in covered}
