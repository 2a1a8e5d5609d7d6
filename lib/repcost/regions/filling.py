"""Whether the cells of a plane subdivision fill the box: a check of everything that made them.

Lines, points and areas are rational numbers whose denominators are powers of two times W's of
points, so they have residues modulo an odd prime that divides none of these. There the areas are
added up without rounding: that of cells which do not fill the box agrees with that of the box once
in a million, the prime.
"""

import numpy as np
from jaxtyping import Int

from repcost import residues
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.tables import Indices, shares

# The largest primes below 2^20. Of a million points one has a W that such a prime divides.
PRIMES = (residues.PRIME, 1048571, 1048559, 1048549, 1048517, 1048507, 1048447, 1048433)
Whole = Int[np.ndarray, "..."]


def fill(found: Subdivision) -> bool:
    """Whether the exact areas add up to that of the box, modulo the first prime that can say."""
    for prime in PRIMES:
        points = _points(found, prime)
        if points is not None:
            return _doubled_area(found, *points, prime) == _doubled_box(found, prime)
    # All primes divide some W: of a million points one in two does, of ten million all of them.
    return True


def _points(found: Subdivision, prime: int) -> tuple[Whole, Whole] | None:
    """x and y of all corners, one cell after another; None where the prime divides a W."""
    used, places = np.unique(found.polygons.points, return_inverse=True)
    lines = _lines(found, prime)
    (a, b, c), (p, q, r) = (lines[found.plane.points[end][used]].T for end in ("one", "other"))
    W = (a * q - b * p) % prime
    if not W.all():
        return None
    inverse = residues.inverses(W, prime)
    x, y = ((b * r - c * q) % prime * inverse % prime, (c * p - a * r) % prime * inverse % prime)
    return x[places], y[places]


def _doubled_area(found: Subdivision, x: Whole, y: Whole, prime: int) -> int:
    after = found.polygons.following
    return int(((x * y[after] - x[after] * y) % prime).sum()) % prime


def _doubled_box(found: Subdivision, prime: int) -> int:
    (left, below), (right, above) = _corners(found, prime)
    return int(2 * (right - left) * (above - below) % prime)


def _lines(found: Subdivision, prime: int) -> Int[np.ndarray, "lines 3"]:
    """Of all lines; the sides of the box come first."""
    of_lines, network = found.plane.lines, _NetworkModulo(found, prime)
    lines = np.zeros((len(of_lines), 3), dtype=np.int64)
    (left, below), (right, above) = _corners(found, prime)
    lines[:4] = np.array([[0, 1, -below], [-1, 0, right], [0, -1, above], [1, 0, -left]]) % prime
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

    def rows(self, layer: int, cells: Indices, units: Indices) -> Int[np.ndarray, "lines 3"]:
        """Rows (a, b, c) of single units, each on one cell of the layer below."""
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
