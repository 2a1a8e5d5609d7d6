"""What the units of a layer receive on many cells: rows (w, c) in floats, with their errors.

Plain floats do for a few layers, with the one bound for all cells of `row_bounds`. That bound grows
faster than the rows do, so in deep networks rows become sums of two floats, with a bound for each
entry (`two_floats`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet
from repcost.regions.cell_tree import CellTree
from repcost.regions.pairs import Pair
from repcost.regions.row_bounds import GROWN, RowBounds
from repcost.regions.tables import Indices
from repcost.regions.two_floats import Entries, RightFactor, sizes, two_sum
from repcost.rounding import TINY, UNIT

# Rows whose bound is above this share of them become two floats.
_TOO_VAGUE = 1e-6
_ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Rows:
    """high is what is computed with; where rows are two floats, low is the rest.

    off: what each entry, with its rest, is off by at most; one for all cells, or each its own.
    """

    high: Entries
    off: Float[np.ndarray, "_ rows units"]
    low: Entries | None = None

    def of(self, cells: Indices) -> "Rows":
        off = self.off if len(self.off) == 1 else self.off[cells]
        return Rows(self.high[cells], off, None if self.low is None else self.low[cells])

    def errors(self, columns: slice = _ALL) -> Float[np.ndarray, "_ units"]:
        """What high is off by in the worst of some columns."""
        errors = self.off[:, columns].max(axis=1)
        if self.low is None:
            return errors
        return (errors + UNIT * np.abs(self.high[:, columns]).max(axis=1)) * GROWN

    def differences(self, ahead: Indices, other: Indices) -> "Rows":
        """Of pairs of units, in plain floats."""
        high = self.high[:, :, ahead] - self.high[:, :, other]
        off = self.off if self.low is None else self.off + UNIT * np.abs(self.high)
        off = off[:, :, ahead] + off[:, :, other] + UNIT * np.abs(high).max(axis=0, keepdims=True)
        return Rows(high, np.broadcast_to(off * GROWN + TINY, high.shape))

    @property
    def vague(self) -> bool:
        """Whether plain floats are no longer enough."""
        if self.low is not None or not self.high.size:
            return False
        largest = np.abs(self.high[:, :-1]).max(axis=1)
        return bool(np.median(self.errors()) > _TOO_VAGUE * np.median(largest))


class RowMaker:
    """Rows of a network in the middle of the floats, on the cells of a tree."""

    def __init__(self, net: DeepNet, bounds: list[RowBounds], tree: CellTree):
        self._net, self._bounds, self._tree = net, bounds, tree

    @cached_property
    def _factors(self) -> list[RightFactor]:
        return [RightFactor(weight) for weight in self._net.weights]

    def first(self) -> Rows:
        """Of the first layer on the whole box."""
        net = self._net
        high = np.concatenate([net.weights[0].T, net.biases[0][None]])[None]
        return Rows(high, self._bounds[0].error.T[None])

    def doubled(self) -> Rows:
        """The same as two floats."""
        high = self.first().high
        return Rows(high, np.where(high != 0, TINY, 0.0), np.zeros_like(high))

    def through(self, layer: int, cells: Indices, rows: Rows, places: Indices) -> Rows:
        """What the next layer receives on cells of this one, from what this one receives there.

        places: of the cells, in the rows.
        """
        if rows.low is not None:
            return self._doubly(layer, cells, rows, places)
        slopes = self._tree.slopes(layer, cells, self._net.activation)[:, None]
        weight = self._net.weights[layer + 1]
        passed_on = rows.high[places] * slopes
        columns = passed_on.shape[1]
        flat = passed_on.reshape(columns * len(cells), weight.shape[1])
        high = (flat @ weight.T).reshape(len(cells), columns, len(weight))
        high[:, -1] += self._net.biases[layer + 1]
        return Rows(high, self._bounds[layer + 1].error.T[None])

    def _doubly(self, layer: int, cells: Indices, rows: Rows, places: Indices) -> Rows:
        assert rows.low is not None
        factor = self._factors[layer + 1]
        received = Pair(rows.high, rows.low, rows.off)
        on, off = (
            factor.sliced(*received.times(slope).parts)
            for slope in self._net.activation.both_slopes
        )
        # What active units pass on, and what others do, is sliced once for all cells.
        product = factor(on.chosen(places, self._tree.pattern(layer, cells), off))
        high, low, error = product
        bias = np.zeros_like(high)
        bias[:, -1] += self._net.biases[layer + 1]
        high, rest = two_sum(high, bias)
        high, low = two_sum(high, low + rest)
        # Low parts are below 4 U of what they belong to, and were rounded once more.
        size = np.abs(high) + sizes(bias)
        return Rows(high, (error + 8 * UNIT**2 * size) * GROWN, low)

    def ascent(
        self, layers: int, cells: Indices, *, doubled: bool = False
    ) -> Iterator[tuple[Indices, Rows]]:
        """What so many layers and the next one receive, from the first one on.

        Each with cells of the layer below: `cells`, which are in order, or what they were cut from.
        """
        rows = self.doubled() if doubled else self.first()
        yield np.zeros(1, dtype=np.int64), rows
        for layer, (here, places) in enumerate(self._tree.ascent(layers, cells)):
            rows = self.through(layer, here, rows, places)
            yield here, rows

    def again(self, layer: int, cells: Indices, *, doubled: bool = False) -> Rows:
        """What one layer receives on cells, in order, of the layer below."""
        *_, (here, rows) = self.ascent(layer, cells, doubled=doubled)
        return rows if len(here) == len(cells) else rows.of(np.searchsorted(here, cells))
