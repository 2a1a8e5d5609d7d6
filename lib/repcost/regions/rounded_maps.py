"""Affine maps of all cells of a subdivision, rounded once, and the ranks of their Jacobians.

Maps are computed as two floats with a bound of what they are off by (`two_floats`). Where all that
lies within the bound rounds to one float, that is the exact number rounded once; elsewhere whole
numbers say what it is. A rank is at least that of a minor which is larger than what floats may be
off by, and at most the number of units of any layer that pass something on.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from repcost.integers import Whole, nearest_floats
from repcost.regions.minors import Minors
from repcost.regions.pairs import Pair
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.rows import Rows
from repcost.regions.tables import Indices

Maps = Float[np.ndarray, "cells columns outputs"]

# That are computed for each cell and unit.
_NUMBERS = 2


def rounded_maps(found: Subdivision) -> Maps:
    """The columns of each matrix, then the offset; OverflowError if one is no float."""
    return _rounded(found, lambda maps: maps, lambda rows: rows)


def rounded_differences(found: Subdivision) -> Maps:
    """The same of the first half of the outputs minus the second half."""
    m = found.net.widths[-1] // 2
    return _rounded(
        found,
        lambda maps: maps[..., :m] - maps[..., m:],
        lambda rows: rows[:m] - rows[m:],
    )


def _rounded(
    found: Subdivision, in_pairs: Callable[[Pair], Pair], exactly: Callable[[Whole], Whole]
) -> Maps:
    """Of what is made of the outputs in the one way and in the other."""
    if found.is_small:
        every = (found.plane.whole.outputs(cell) for cell in range(len(found)))
        return np.stack([nearest_floats(exactly(map.rows), map.exponent).T for map in every])
    parts = []
    for cells in found.shares(_NUMBERS):
        rows = found.rows.again(found.net.depth - 1, cells, doubled=True)
        assert rows.low is not None
        pairs = in_pairs(Pair(rows.high, rows.low, rows.off))
        maps, sure = pairs.rounded(_shifts(found))
        for place in np.flatnonzero(~sure.all(axis=(1, 2))).tolist():
            exact = found.plane.whole.outputs(int(cells[place]))
            maps[place] = nearest_floats(exactly(exact.rows), exact.exponent).T
        parts.append(maps)
    return np.concatenate(parts)


def are_floats(found: Subdivision) -> bool:
    """Whether all entries of all maps are surely below 2^1000."""
    sizes = np.frexp(found.bounds[-1].size)[1] + _shifts(found)[:, 0]
    return bool((sizes < 1000).all())


def _shifts(found: Subdivision) -> Int[np.ndarray, "columns 1"]:
    """Entries of the network are those in the middle of the floats times 2 to these."""
    top = found.middle.top
    return np.append(top - found.middle.exponents[0], top)[:, None]


def ranks(found: Subdivision) -> Int[np.ndarray, " cells"]:
    """Of the exact Jacobians."""
    if found.is_small:
        return np.array([found.plane.whole.outputs(cell).rank for cell in range(len(found))])
    return np.concatenate([_ranks(found, cells) for cells in found.shares(_NUMBERS)])


def _ranks(found: Subdivision, cells: Indices) -> Int[np.ndarray, " cells"]:
    layer, most = found.net.depth - 1, _most(found, cells)
    least = _least(found.rows.again(layer, cells))
    rest = np.flatnonzero(least < most)
    if len(rest):
        least[rest] = _least(found.rows.again(layer, cells[rest], doubled=True))
    for place in np.flatnonzero(least < most).tolist():
        least[place] = found.plane.whole.outputs(int(cells[place])).rank
    return least


def _least(rows: Rows) -> Int[np.ndarray, " cells"]:
    """How many rows are surely independent, by minors of the largest ones."""
    high, errors = rows.high[:, :-1].swapaxes(1, 2), rows.errors(slice(-1))
    found, here = np.zeros(len(high), dtype=np.int64), np.arange(len(high))
    if not high.shape[1]:
        return found
    minors = Minors(high, np.broadcast_to(errors[..., None], high.shape))
    for rank in range(1, min(high.shape[1:]) + 1):
        sizes = np.abs(minors.values)
        found[(sizes > minors.off).any(axis=(1, 2))] = rank
        if rank < min(high.shape[1:]):
            # The row with the largest minor, and each other one beside it.
            best = here[:, None], sizes.max(axis=2).argmax(axis=1)[:, None]
            minors = Minors(minors.values[best], minors.off[best], rank).with_row(high, errors)
    return found


def _most(found: Subdivision, cells: Indices) -> Int[np.ndarray, " cells"]:
    """No more than there are variables and outputs, or units that pass something on."""
    variables = (~found.bounds[-1].zero[:, :-1]).any(axis=0).sum()
    most = np.full(len(cells), min(int(variables), found.net.widths[-1]))
    if found.net.activation.is_relu:
        for layer, here in enumerate(found.tree.ancestors(found.net.depth - 1, cells)):
            most = np.minimum(most, found.tree.pattern(layer, here).sum(axis=1))
    return most
