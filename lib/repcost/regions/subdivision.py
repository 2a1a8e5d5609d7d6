"""The domain cut into cells: every unit clips the cells of the units before it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar, runtime_checkable

import numpy as np

from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.integers import whole_numbers
from repcost.regions.maps import AffineMap, WholeLayer, map_at, whole_layers
from repcost.regions.polygons import Polygon, fill
from repcost.regions.polytopes import Polytope

Watch = Callable[[Iterable], Iterable]
# Exact for one and two variables, by linear programmes beyond.
Shape = Polygon | Polytope
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


def cells(net: DeepNet, low: Corner, high: Corner, watch: Watch = iter) -> list[Cell[Shape]]:
    """The cells of a network in a box; `watch` sees the cells of each layer go by.

    One variable is two, the second of them mute in [0, 1]. In more than two, a cell is proven at
    its centre.
    """
    if len(low) == 1:
        return cells(_with_mute_variable(net), np.append(low, 0.0), np.append(high, 1.0), watch)
    domain = rectangle(low, high) if len(low) == 2 else Polytope.box(low, high)
    layers = whole_layers(net)
    start: Cell[Shape] = Cell(domain, AffineMap.identity(len(low)).through(layers[0]))
    found = cut_by_layers(net, layers, [start], watch)
    if isinstance(domain, Polygon):
        if not fill(domain, [cell.shape for cell in found if isinstance(cell.shape, Polygon)]):
            raise AssertionError("the cells do not fill the domain; please report this network")
        return found
    # Programmes in floats may see a cell on the wrong side of a unit, so the map is made afresh.
    proven = [(cell.shape, map_at(net, layers, cell.shape.centre)) for cell in found]
    return [Cell(shape, map) for shape, map in proven if map is not None]


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


def rectangle(low: Corner, high: Corner) -> Polygon:
    """The box in two variables as a polygon."""
    (bottom, top), exponent = whole_numbers(low, high)
    one = 1 << exponent
    # Below, right, above, left.
    return Polygon.between(
        [(0, one, -bottom[1]), (-one, 0, top[0]), (0, -one, top[1]), (one, 0, -bottom[0])]
    )


def _with_mute_variable(net: DeepNet) -> DeepNet:
    first = np.hstack([net.weights[0], np.zeros((len(net.weights[0]), 1))])
    return net.with_layers([first, *net.weights[1:]], net.biases)
