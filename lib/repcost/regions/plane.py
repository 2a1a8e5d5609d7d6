"""Lines and points of the plane in floats, and on which side of a line a point is, for certain.

In space a line is a plane, and all is the same with one number more. A point is where two lines
meet, or three planes, and stays that however often a cell is cut: no error accumulates. Everything
is homogeneous: a line is (a, b, c), a point H = (X, Y, W) with W > 0, whose entries are minors of
its lines, and the sign of a X + b Y + c W is the side. U is the unit roundoff.

*Points.* `minors` says what each entry of H is off by; let E be the sum. Where W is not at least
10,000 times what it is off by, the point is made in whole numbers and rounded once: then its
numbers (x, y, 1) are off by U |H| at most, |H| the sum of their sizes, of which 4 U |H| is more
than enough.

*Sides.* For a line k off by at most e, with largest entry m, and a point off by E in sum: the sum
of up to four products is off by

    m E + e (|H| + E) + gamma_4 m |H|  <=  m g + e h,    g = E + 5 U |H|,    h = |H| + E.

If the float is larger than that, its sign is right. That is asked as `abs(value) > bound`, so what
is no number is a doubt, and so is every zero but one: where each product has a factor that is zero
by the structure of the network, the sum is zero. Doubts are decided in whole numbers.

Numbers come from the middle of the floats (see `row_bounds`): none is above 2^250, and what
underflows is less than TINY. Lines are multiplied by a power of two to have their largest entry
next to one, which is exact but for that.
"""

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.far_networks import Middle
from repcost.regions.boxes import box_corners, box_sides
from repcost.regions.cell_tree import CellTree
from repcost.regions.minors import meeting, vanishing
from repcost.regions.row_bounds import GROWN
from repcost.regions.tables import Indices, Table
from repcost.regions.whole_plane import WholePlane
from repcost.rounding import TINY, UNIT

# Of each line or point as many as there are variables, and one.
Entries = Float[np.ndarray, "_ columns"]
Numbers = Float[np.ndarray, " _"]
Signs = Int[np.ndarray, " _"]

# Points of which W is less sure than this are made in whole numbers.
_SURE = 1e4


def _tables(variables: int) -> tuple[Table, Table]:
    """Of lines, and of points."""
    entries, one = (variables + 1,), ()
    lines = Table(
        entries=(np.float64, entries),
        error=(np.float64, one),
        largest=(np.float64, one),
        zero=(np.bool_, entries),
        layer=(np.int32, one),
        cell=(np.int64, one),
        unit=(np.int32, one),
    )
    points = Table(
        H=(np.float64, entries),
        g=(np.float64, one),
        h=(np.float64, one),
        zero=(np.bool_, entries),
        lines=(np.int64, (variables,)),
    )
    return lines, points


class Plane:
    """All lines and points of one subdivision, by their numbers; sides of the box come first.

    exponents: coordinates in floats are those of the network divided by 2 to these.
    """

    def __init__(self, net: DeepNet, low: Corner, high: Corner, middle: Middle, tree: CellTree):
        self.lines, self.points = _tables(len(low))
        self.whole = WholePlane(net, low, high, tree, self.lines, self.points)
        self.exponents = middle.exponents[0]
        sides = np.array(box_sides(middle.points(low), middle.points(high)), dtype=np.float64)
        zero, count = np.array(box_sides(low, high)) == 0, np.arange(len(sides))
        self.add_lines(sides, np.zeros(len(sides)), zero, layer=-1, cell=0, unit=count)
        self.corners = self.meet(*box_corners(len(low)).T)

    def add_lines(
        self,
        entries: Entries,
        error: Numbers,
        zero: Bool[np.ndarray, "_ columns"],
        *,
        layer: int,
        cell: Indices | int,
        unit: Indices,
    ) -> Indices:
        largest, exponents = np.frexp(np.abs(entries).max(axis=1, initial=0.0))
        return self.lines.append(
            entries=np.ldexp(entries, -exponents[:, None]),
            error=np.ldexp(error, -exponents) * GROWN + TINY,
            largest=largest,
            zero=zero,
            layer=layer,
            cell=cell,
            unit=unit,
        )

    def meet(self, *lines: Indices) -> Indices:
        """Points where two lines meet that do, or three planes."""
        entries, errors, zeros = (
            [self.lines[name][each] for each in lines] for name in ("entries", "error", "zero")
        )
        H, off = meeting(entries, errors)
        sure = np.abs(H[:, -1]) > _SURE * off[:, -1]
        H[H[:, -1] < 0] *= -1
        made = np.stack(lines, axis=1)
        found = self.points.append(
            zero=vanishing(zeros), lines=made, **_sizes(H, off.sum(axis=1) * GROWN)
        )
        for point in found[~sure].tolist():
            self._make_exactly(point)
        return found

    def _make_exactly(self, point: int) -> None:
        *XY, W = self.whole.point(point)
        exponents = self.exponents.tolist()
        H = np.array([[*(_quotient(X, W, e) for X, e in zip(XY, exponents, strict=True)), 1.0]])
        for name, value in _sizes(H, 4 * UNIT * np.abs(H).sum(axis=1) + TINY).items():
            self.points[name][point] = value[0]

    def sides(self, points: Indices, lines: Indices) -> Signs:
        """Of each point the side of its line: 1, 0 or -1."""
        of_lines, of_points = self.lines, self.points
        value = np.einsum("ij,ij->i", of_lines["entries"][lines], of_points["H"][points])
        bound = of_lines["largest"][lines] * of_points["g"][points]
        bound += of_lines["error"][lines] * of_points["h"][points] + TINY
        signs = (value > 0).astype(np.int8) - (value < 0)
        doubts = np.flatnonzero(~(np.abs(value) > bound))
        if len(doubts):
            signs[doubts] = self._decided(points[doubts], lines[doubts])
        return signs

    def _decided(self, points: Indices, lines: Indices) -> Signs:
        zero = (self.points["zero"][points] | self.lines["zero"][lines]).all(axis=1)
        found = np.zeros(len(points), dtype=np.int8)
        pairs = zip(points[~zero].tolist(), lines[~zero].tolist(), strict=True)
        found[~zero] = [self.whole.side(point, line) for point, line in pairs]
        return found


def _sizes(H: Entries, off: Numbers) -> dict[str, np.ndarray]:
    total = np.abs(H).sum(axis=1)
    return {"H": H, "g": (off + 5 * UNIT * total) * GROWN, "h": (total + off) * GROWN}


def _quotient(number: int, by: int, exponent: int) -> float:
    """number / (by 2^exponent), rounded once."""
    return number / (by << exponent) if exponent >= 0 else (number << -exponent) / by
