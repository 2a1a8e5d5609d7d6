"""Which units are active on the cells of each hidden layer, and which cell each was cut from."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float

from repcost.activations import Activation
from repcost.regions.tables import Indices, Table

Pattern = Bool[np.ndarray, "cells units"]


class CellTree:
    """Cells of a layer are numbered as they come; the whole box is the one cell below them all."""

    def __init__(self, units: Sequence[int]):
        self.units = tuple(units)
        # A bit for each unit.
        self._layers = [
            Table(bits=(np.uint8, ((width + 7) // 8,)), parent=(np.int64, ())) for width in units
        ]

    def __len__(self) -> int:
        """How many cells the last layer has."""
        return len(self._layers[-1]) if self._layers else 1

    def append(self, layer: int, pattern: Pattern, parent: Indices) -> Indices:
        return self._layers[layer].append(bits=np.packbits(pattern, axis=1), parent=parent)

    def parents(self, layer: int, cells: Indices) -> Indices:
        return self._layers[layer]["parent"][cells]

    def pattern(self, layer: int, cells: Indices) -> Pattern:
        bits = self._layers[layer]["bits"][cells]
        return np.unpackbits(bits, axis=1, count=self.units[layer]).astype(bool)

    def slopes(
        self, layer: int, cells: Indices, activation: Activation
    ) -> Float[np.ndarray, "cells units"]:
        return np.where(self.pattern(layer, cells), *activation.both_slopes)

    def ancestors(self, layers: int, cells: Indices) -> list[Indices]:
        """Of cells of the last of so many layers, the cells of each of them, from below."""
        found = [cells][:layers]
        for layer in range(layers - 1, 0, -1):
            found.append(self.parents(layer, found[-1]))
        return found[::-1]

    def ascent(self, layers: int, cells: Indices) -> Iterator[tuple[Indices, Indices]]:
        """The same, but each cell once, in order, and the place of its parent in the list before.

        cells: in order.
        """
        found = [_once(cells)][:layers]
        for layer in range(layers - 1, 0, -1):
            found.append(_once(self.parents(layer, found[-1])))
        before = np.zeros(1, dtype=np.int64)
        for layer, here in enumerate(found[::-1]):
            yield here, np.searchsorted(before, self.parents(layer, here))
            before = here


def _once(cells: Indices) -> Indices:
    """Of numbers in order."""
    return cells[np.diff(cells, prepend=-1) > 0]


def in_order(pattern: Pattern, parent: Indices) -> Indices:
    """Parents one after another, and of each the cells where its first unit is active first."""
    packed = np.packbits(~pattern, axis=1)
    # Eight bytes are one key, the first of them the highest.
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    keys = np.ascontiguousarray(padded).view(">u8")
    return np.lexsort((*keys.T[::-1], parent))
