"""What single units receive on single cells, as pairs of floats: from the unit down.

A row of weights goes down through the layers, each time with what the biases on the way add up to.
For one unit on each cell that is as much less work as a layer has units.
"""

from functools import cached_property

import numpy as np

from repcost.deep_networks import DeepNet
from repcost.regions.cell_tree import CellTree
from repcost.regions.pairs import Pair
from repcost.regions.tables import Indices
from repcost.regions.two_floats import RightFactor
from repcost.rounding import TINY


class UnitRows:
    """For a network in the middle of the floats, on the cells of a tree."""

    def __init__(self, net: DeepNet, tree: CellTree):
        self._tree, self._slopes = tree, net.activation.both_slopes
        # Biases are a last column.
        self._layers = [
            np.column_stack([weight, bias])
            for weight, bias in zip(net.weights, net.biases, strict=True)
        ]

    @cached_property
    def _factors(self) -> list[RightFactor]:
        return [RightFactor(layer.T) for layer in self._layers[:-1]]

    def __call__(self, layer: int, cells: Indices, units: Indices) -> Pair:
        """Rows (w, c) of units of a layer on cells of the layer below."""
        if layer == len(self._layers):
            ahead, other = np.divmod(units, len(self._layers[-1]))
            return self(layer - 1, cells, ahead) - self(layer - 1, cells, other)
        given = self._layers[layer][units]
        rows = Pair(given, np.zeros_like(given), np.where(given != 0, TINY, 0.0))
        for below in reversed(range(layer)):
            weights, offset = rows[:, :-1], rows[:, -1:]
            active = self._tree.pattern(below, cells)
            above, below_zero = (weights.times(slope) for slope in self._slopes)
            passed_on = above.where(active, below_zero)
            factor = self._factors[below]
            product = factor(factor.sliced(*(part[:, None] for part in passed_on.parts)))
            rows = Pair(*(part[:, 0] for part in product))
            rows = rows[:, :-1].beside(rows[:, -1:] + offset)
            cells = self._tree.parents(below, cells)
        return rows
