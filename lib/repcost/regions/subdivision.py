"""The domain cut into cells: every unit cuts the cells of the units before it.

In space, in the plane and on intervals all cells are cut at once (`plane_subdivision`). The whole
line (`intervals`) and boxes of more variables (`polytopes`) are cut one cell after the other, by
anything that has `halves`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Generic, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.regions.filling import fill
from repcost.regions.maps import AffineMap, WholeLayer, map_at, whole_layers
from repcost.regions.plane_cells import PlaneCells
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.polytopes import Polytope

Watch = Callable[[Iterable], Iterable]
# Affine functions [a, ..., c], whole numbers, one for each unit.
Lines = Sequence[Sequence[int]]


@runtime_checkable
class Divisible(Protocol):
    """What can be cut: into the two parts on which an affine function keeps its sign."""

    def halves(self, line: Sequence[int]) -> Iterator[tuple[bool, Self]]: ...


Cut = TypeVar("Cut", bound=Divisible)


@dataclass(frozen=True, eq=False)
class Cell(Generic[Cut]):
    """A part of the domain where no unit changes sides, with the network's exact map there."""

    shape: Cut
    map: AffineMap

    @cached_property
    def jacobian(self) -> Float[np.ndarray, "m d"]:
        return self.map.jacobian

    @cached_property
    def offset(self) -> Float[np.ndarray, " m"]:
        return self.map.offset

    @cached_property
    def rank(self) -> int:
        return self.map.rank


def cells(
    net: DeepNet, low: Corner, high: Corner, watch: Watch = iter
) -> PlaneCells | list[Cell[Polytope]]:
    """The cells of a network in a box; `watch` sees the cells of each layer go by.

    In more than three variables, a cell is proven at its centre.
    """
    if len(low) < 4:
        return plane_cells(net, low, high, watch)
    layers = whole_layers(net)
    start = Cell(Polytope.box(low, high), AffineMap.identity(len(low)).through(layers[0]))
    found = cut_by_layers(net, layers, [start], watch)
    # Programmes in floats may see a cell on the wrong side of a unit, so the map is made afresh.
    proven = [(cell.shape, map_at(net, layers, cell.shape.centre)) for cell in found]
    return [Cell(shape, map) for shape, map in proven if map is not None]


def plane_cells(net: DeepNet, low: Corner, high: Corner, watch: Watch = iter) -> PlaneCells:
    """The same in up to three variables; one is two, the second of them mute in [0, 1]."""
    if len(low) == 1:
        net, low, high = _with_mute_variable(net), np.append(low, 0.0), np.append(high, 1.0)
    found = Subdivision(net, low, high, watch)
    if not fill(found):
        raise AssertionError("the cells do not fill the domain; please report this network")
    return PlaneCells(found)


def has_few_cells(net: DeepNet, most: int) -> bool:
    """Whether as many generic hyperplanes as there are hidden units make so few cells."""
    units = sum(net.widths[1:-1])
    return sum(comb(units, k) for k in range(net.widths[0] + 1)) <= most


def cut_by_layers(
    net: DeepNet, layers: Sequence[WholeLayer], found: list[Cell[Cut]], watch: Watch = iter
) -> list[Cell[Cut]]:
    """Cells with what the first layer receives there become those of the whole network."""
    for layer in layers[1:]:
        found = [
            Cell(shape, cell.map.activated(active, net.activation).through(layer))
            for cell in watch(found)
            for shape, active in parts_by_sign(cell.shape, cell.map.rows.tolist())
        ]
    return found


def parts_by_sign(shape: Cut, received: Lines) -> list[tuple[Cut, tuple[bool, ...]]]:
    """The parts of the shape on which each affine function keeps its sign, with these signs."""
    # One line after another: most lines meet few of the parts, and those stay as they are.
    parts: list[tuple[Cut, tuple[bool, ...]]] = [(shape, ())]
    for line in received:
        if any(line[:-1]):
            parts = [
                (half, (*signs, on)) for part, signs in parts for on, half in part.halves(line)
            ]
        else:  # constant on the shape, perhaps zero: there is nothing to cut along
            parts = [(part, (*signs, line[-1] > 0)) for part, signs in parts]
    return parts


def _with_mute_variable(net: DeepNet) -> DeepNet:
    first = np.hstack([net.weights[0], np.zeros((len(net.weights[0]), 1))])
    return net.with_layers([first, *net.weights[1:]], net.biases)
