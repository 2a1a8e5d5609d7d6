"""Whether the cells of a subdivision fill the box: a check of everything that made them.

Lines, points, areas and volumes are rational numbers whose denominators are powers of two times W's
of points, so they have residues modulo an odd prime that divides none of these. There they are
added up without rounding: those of cells which do not fill the box agree with that of the box once
in a million, the prime.
"""

from math import factorial, prod

import numpy as np
from jaxtyping import Int

from repcost import residues
from repcost.regions.boxes import box_sides
from repcost.regions.minors import from_minors, minors_modulo
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.shapes import Simplices
from repcost.regions.tables import Indices, shares

# The largest primes below 2^20. Of a million points one has a W that such a prime divides.
PRIMES = (residues.PRIME, 1048571, 1048559, 1048549, 1048517, 1048507, 1048447, 1048433)
Whole = Int[np.ndarray, "..."]

# That are computed for each simplex.
_NUMBERS = 16


def fill(found: Subdivision) -> bool:
    """Whether areas or volumes add up to that of the box, modulo the first prime that can say."""
    for prime in PRIMES:
        points = _points(found, prime)
        if points is not None:
            return _measure(found, points, prime) == _measure_of_box(found, prime)
    # All primes divide some W: of a million points one in two does, of ten million all of them.
    return True


def _points(found: Subdivision, prime: int) -> Whole | None:
    """Coordinates of all corners, one cell after another; None where the prime divides a W."""
    used, places = np.unique(found.shapes.corners.points, return_inverse=True)
    lines = _lines(found, prime)
    minors = minors_modulo([lines[each] for each in found.plane.points["lines"][used].T], prime)
    *X, W = from_minors(minors).T % prime
    if not W.all():
        return None
    inverse = residues.inverses(W, prime)
    return (np.stack(X, axis=1) * inverse[:, None] % prime)[places]


def _measure(found: Subdivision, points: Whole, prime: int) -> int:
    """Two times the area, or six times the volume, of all simplices."""
    simplices, _ = found.shapes.simplices
    parts = (simplices[some] for some in shares(np.arange(len(simplices)), _NUMBERS))
    return sum(_determinants(points, part, prime) for part in parts) % prime


def _determinants(points: Whole, simplices: Simplices, prime: int) -> int:
    first, *others = (points[places] for places in simplices.T)
    edges = [(other - first) % prime for other in others]
    return int(minors_modulo(edges, prime).sum())


def _measure_of_box(found: Subdivision, prime: int) -> int:
    sides = [int(side) for side in np.subtract(*_corners(found, prime)[::-1])]
    return factorial(len(sides)) * prod(sides) % prime


def _lines(found: Subdivision, prime: int) -> Int[np.ndarray, "lines columns"]:
    """Of all lines; the sides of the box come first."""
    of_lines, network = found.plane.lines, _NetworkModulo(found, prime)
    sides = np.array(box_sides(*_corners(found, prime)), dtype=np.int64) % prime
    lines = np.zeros((len(of_lines), sides.shape[1]), dtype=np.int64)
    lines[: len(sides)] = sides
    for layer in range(found.net.depth - 1):
        mine = np.flatnonzero(of_lines["layer"] == layer)
        for some in shares(mine, max(found.net.widths)):
            lines[some] = network.rows(layer, of_lines["cell"][some], of_lines["unit"][some])
    return lines


def _corners(found: Subdivision, prime: int) -> tuple[Whole, Whole]:
    low, high = (residues.residues(corner, prime) for corner in (found.low, found.high))
    return low.astype(np.int64), high.astype(np.int64)


class _NetworkModulo:
    """What units receive modulo a prime, on the cells of a subdivision."""

    def __init__(self, found: Subdivision, prime: int):
        self._prime, self._tree = prime, found.tree
        # Of all layers the weights, with the biases as a last column.
        self._layers = [
            residues.residues(np.column_stack([weight, bias]), prime)
            for weight, bias in zip(found.net.weights, found.net.biases, strict=True)
        ]
        self._slopes = residues.residues(np.array(found.net.activation.both_slopes), prime)

    def rows(self, layer: int, cells: Indices, units: Indices) -> Int[np.ndarray, "lines columns"]:
        """Rows (w, c) of single units, each on one cell of the layer below."""
        # From the unit down: weights of what fewer and fewer layers receive, and an offset.
        rows = self._layers[layer][units]
        for below in reversed(range(layer)):
            weights, offset = rows[:, :-1], rows[:, -1]
            slopes = np.where(self._tree.pattern(below, cells), *self._slopes)
            weights = weights * slopes
            # By 0 and 1 nothing grows.
            if self._slopes.max() > 1:
                weights %= self._prime
            rows = residues.product(weights, self._layers[below], self._prime)
            rows[:, -1] = (rows[:, -1] + offset) % self._prime
            cells = self._tree.parents(below, cells)
        return rows.astype(np.int64)
