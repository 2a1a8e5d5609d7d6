"""How far the outputs of a network reach over a box: proven bounds, as fractions."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from repcost.activations import Activation
from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.integers import whole_numbers
from repcost.regions.maps import WholeLayer, whole_layers
from repcost.regions.plane_cells import PlaneCells
from repcost.regions.subdivision import has_few_cells, plane_cells
from repcost.regions.tables import Indices
from repcost.rounding import TINY, UNIT

# Least and most.
Reach = tuple[Fraction, Fraction]

# It is asked several times for each layer of a network, and these take a tenth of a second.
_CELLS_OF_SPACE = 10_000


def extent(net: DeepNet, low: Corner, high: Corner) -> list[Reach]:
    """Between which numbers each output stays.

    The exact ones for a single layer, for one and two variables, and for three up to some forty
    hidden units.
    """
    has_cells = len(low) < 3 or (len(low) == 3 and has_few_cells(net, _CELLS_OF_SPACE))
    if net.depth > 1 and has_cells:
        return _over_cells(net, low, high)
    # Interval arithmetic forgets that units share their inputs: true bounds, but not the least.
    (bottom, top), exponent = whole_numbers(low, high)
    reach = [
        (Fraction(x, 1 << exponent), Fraction(y, 1 << exponent))
        for x, y in zip(bottom, top, strict=True)
    ]
    first, *others = whole_layers(net)
    reach = _through(first, reach)
    for layer in others:
        reach = _through(layer, [_activated(*ends, net.activation) for ends in reach])
    return reach


def _over_cells(net: DeepNet, low: Corner, high: Corner) -> list[Reach]:
    """An affine function is largest and smallest at corners."""
    per_cell, found = [], plane_cells(net, low, high)
    for cell in (found[place] for place in _perhaps_extreme(found).tolist()):
        rows, exponent = cell.map.rows.tolist(), cell.map.exponent
        per_cell.append([cell.shape.reach(row, exponent) for row in rows])
    return [
        (min(least for least, _ in ends), max(most for _, most in ends))
        for ends in zip(*per_cell, strict=True)
    ]


def _perhaps_extreme(found: PlaneCells) -> Indices:
    """The cells where some output may be largest or smallest, by floats."""
    # Far from the middle of the floats, rounding may be larger than is said below.
    if found.found.middle.lost:
        return np.arange(len(found))
    owners = found.found.shapes.corners.owners
    X, J, c = found.shapes.rounded.vertices, found.jacobians[owners], found.maps[owners, -1]
    values = np.einsum("kij,kj->ki", J, X) + c
    # Numbers and sums are rounded once each, six times in a row at the most.
    off = 8 * UNIT * (np.einsum("kij,kj->ki", np.abs(J), np.abs(X)) + np.abs(c)) + TINY
    below, above = values - off, values + off
    extreme = (below <= above.min(axis=0)) | (above >= below.max(axis=0))
    return np.unique(owners[extreme.any(axis=1)])


def _through(layer: WholeLayer, reach: Sequence[Reach]) -> list[Reach]:
    """Interval arithmetic."""
    least, most = np.array(reach, dtype=object).reshape(len(reach), 2).T
    # A positive weight takes the least to the least, a negative one the most.
    up, down = np.maximum(layer.weight, 0), np.minimum(layer.weight, 0)
    ends = up @ least + down @ most + layer.bias, up @ most + down @ least + layer.bias
    one = Fraction(1 << layer.exponent)
    return [(x / one, y / one) for x, y in zip(*ends, strict=True)]


def _activated(least: Fraction, most: Fraction, activation: Activation) -> Reach:
    """The activation is monotone on both sides of zero."""
    turns = [least, most, *([Fraction(0)] if least < 0 < most else [])]
    values = [activation.exactly(t) for t in turns]
    return min(values), max(values)
