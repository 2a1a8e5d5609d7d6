"""Lines and points of the plane in floats, and on which side of a line a point is, for certain.

A point is where two lines meet, and stays that however often a cell is cut: no error accumulates.
Everything is homogeneous: a line is (a, b, c), a point H = (X, Y, W) with W > 0, the cross product
of its lines, and the sign of a X + b Y + c W is the side. U is the unit roundoff.

*Lines* l, m with entries off by at most e and f, |l| = |a| + |b| + |c|. Each entry of l x m is a
difference of two products; together the three are off by at most

    E = 2 (|l| f + |m| e) + 6 e f + 4 U T,    T the sum of the sizes of all six products,

as every entry of l occurs in two products, and each product and each difference is rounded once:
gamma_2 < 4 U. W alone is off by at most half the first part, |l| f + |m| e + 2 e f + 4 U T_W. Where
W is not at least 10,000 times that, the point is made in whole numbers and rounded once: then its
three numbers (x, y, 1) are off by U |H| at most, of which 4 U |H| is more than enough.

*Sides.* For a line k off by at most e, with largest entry m, and a point off by E in sum: the sum
of three products is off by

    m E + e (|H| + E) + gamma_3 m |H|  <=  m g + e h,    g = E + 4 U |H|,    h = |H| + E.

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
from repcost.regions.cell_tree import CellTree
from repcost.regions.row_bounds import GROWN
from repcost.regions.tables import Indices, Table
from repcost.regions.whole_plane import WholePlane
from repcost.rounding import TINY, UNIT

Three = Float[np.ndarray, "_ 3"]
Numbers = Float[np.ndarray, " _"]
Signs = Int[np.ndarray, " _"]

# Points of which W is less sure than this are made in whole numbers.
_SURE = 1e4
# Of each of three entries the next one, and the one after that.
_NEXT, _AFTER = [1, 2, 0], [2, 0, 1]

_LINE = {
    "entries": (np.float64, (3,)),
    "error": (np.float64, ()),
    "largest": (np.float64, ()),
    "zero": (np.bool_, (3,)),
    "layer": (np.int32, ()),
    "cell": (np.int64, ()),
    "unit": (np.int32, ()),
}
_POINT = {
    "H": (np.float64, (3,)),
    "g": (np.float64, ()),
    "h": (np.float64, ()),
    "zero": (np.bool_, (3,)),
    "one": (np.int64, ()),
    "other": (np.int64, ()),
}


class Plane:
    """All lines and points of one subdivision, by their numbers; the box has the first four.

    exponents: coordinates in floats are those of the network divided by 2 to these.
    """

    def __init__(self, net: DeepNet, low: Corner, high: Corner, middle: Middle, tree: CellTree):
        self.lines, self.points = Table(**_LINE), Table(**_POINT)
        self.whole = WholePlane(net, low, high, tree, self.lines, self.points)
        self.exponents = middle.exponents[0]
        sides = _box_sides(middle.points(low), middle.points(high))
        zero = _box_sides(low, high) == 0
        self.add_lines(sides, np.zeros(4), zero, layer=-1, cell=0, unit=np.arange(4))
        # From the first corner against the clock, as the sides do.
        self.corners = self.meet(np.array([3, 0, 1, 2]), np.array([0, 1, 2, 3]))

    def add_lines(
        self,
        entries: Three,
        error: Numbers,
        zero: Bool[np.ndarray, "_ 3"],
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

    def meet(self, one: Indices, other: Indices) -> Indices:
        """Points where two lines meet that do."""
        lines = self.lines["entries"][one], self.lines["entries"][other]
        products = np.stack([_products(*lines), _products(*lines[::-1])], axis=2)
        H = products[:, :, 0] - products[:, :, 1]
        sizes = np.abs(products).sum(axis=2)
        size, size_of_other = (np.abs(line).sum(axis=1) for line in lines)
        e, f = self.lines["error"][one], self.lines["error"][other]
        mixed = size * f + size_of_other * e + 3 * e * f
        off = (2 * mixed + 4 * UNIT * sizes.sum(axis=1)) * GROWN + TINY
        off_W = (mixed + 4 * UNIT * sizes[:, 2]) * GROWN + TINY
        sure = np.abs(H[:, 2]) > _SURE * off_W
        H[H[:, 2] < 0] *= -1
        zero = self._zero(one, other)
        found = self.points.append(zero=zero, one=one, other=other, **_sizes(H, off))
        for point in found[~sure].tolist():
            self._make_exactly(point)
        return found

    def _zero(self, one: Indices, other: Indices) -> Bool[np.ndarray, "_ 3"]:
        """Entries of the cross product where both products have a factor that is zero."""
        p, q = self.lines["zero"][one], self.lines["zero"][other]
        return (p[:, _NEXT] | q[:, _AFTER]) & (p[:, _AFTER] | q[:, _NEXT])

    def _make_exactly(self, point: int) -> None:
        X, Y, W = self.whole.point(point)
        x, y = (_quotient(each, W, int(e)) for each, e in zip((X, Y), self.exponents, strict=True))
        H = np.array([[x, y, 1.0]])
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


def _products(line: Three, other: Three) -> Three:
    """The first products in the entries of the cross product, b r, c p, a q."""
    return line[:, _NEXT] * other[:, _AFTER]


def _sizes(H: Three, off: Numbers) -> dict[str, np.ndarray]:
    total = np.abs(H).sum(axis=1)
    return {"H": H, "g": (off + 4 * UNIT * total) * GROWN, "h": (total + off) * GROWN}


def _box_sides(low: Corner, high: Corner) -> Three:
    """Below, right, above, left."""
    (left, below), (right, above) = low, high
    return np.array([[0, 1, -below], [-1, 0, right], [0, -1, above], [1, 0, -left]])


def _quotient(number: int, by: int, exponent: int) -> float:
    """number / (by 2^exponent), rounded once."""
    return number / (by << exponent) if exponent >= 0 else (number << -exponent) / by
