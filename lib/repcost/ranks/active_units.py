"""Which units are active next to a point, proved.

A point may lie on a kink, or on the border of the domain. So what is asked for is the side of each
unit along a path that leaves the point: at x + t v for all small t > 0. There a network is affine,
and if no unit that can move is at zero along the whole path, all points around it are in the inside
of one linear region. Floats decide where a bound on their rounding allows it, whole numbers
elsewhere.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Float

from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.far_networks import in_the_middle, size_exponents
from repcost.integers import whole_numbers
from repcost.regions.maps import AffineMap, WholeLayer, whole_layers
from repcost.rounding import TINY, UNIT

__all__ = ["ActiveUnits"]

Point = Float[np.ndarray, " d"]
# Numbers of units differ from layer to layer.
Units = Bool[np.ndarray, " _"]
Floats = Float[np.ndarray, " _"]

# What bounds of rounding are enlarged by for their own rounding.
_GROWN = 1 + 2.0**-40
# Directions that are tried before a point is given up, as one where units only touch zero.
_DIRECTIONS = 3


class ActiveUnits:
    """The units of a network over a box."""

    def __init__(self, net: DeepNet, low: Corner, high: Corner):
        self.net, self.low, self.high = net, low, high
        # In the middle of the floats nothing overflows, and what underflows is below TINY.
        self._middle = in_the_middle(net, size_exponents(np.stack([low, high])))
        self._sizes = [np.abs(weight) for weight in self._middle.net.weights]
        # Only points that floats leave in doubt ask for whole numbers.
        self._layers: list[WholeLayer] = []

    def around(self, x: Point) -> list[Units] | None:
        """Per hidden layer who is active next to x in the box; None if that was not decided."""
        found = self._by_floats(x)
        if found is not None:
            return found
        tries = (self._in_whole_numbers(x, direction) for direction in self._inward(x))
        return next((found for found in tries if found is not None), None)

    def _by_floats(self, x: Point) -> list[Units] | None:
        net = self._middle.net
        here, off, active = self._middle.points(x), np.zeros(len(x)), []
        live = np.ones(len(x), dtype=bool)
        hidden = zip(net.weights[:-1], self._sizes, net.biases, strict=False)
        for weight, size, bias in hidden:
            received, off = _received(weight, size, bias, here, off)
            live = _can_move(weight, live)
            if (live & ~(np.abs(received) > off)).any():
                return None
            active.append(received > 0)
            live = live & self._passes(active[-1])
            here = net.activation(received)
            # Activations move no two numbers apart; the last term is for their own rounding.
            off = (off + UNIT * np.abs(here)) * _GROWN + TINY
        return active

    def _in_whole_numbers(self, x: Point, direction: Point) -> list[Units] | None:
        """The same along x + t direction: the network on that path is one of one variable, t."""
        layers = self._whole_layers()
        (columns,), exponent = whole_numbers(np.column_stack([direction, x]))
        path, active, live = AffineMap(columns, exponent), [], np.ones(len(x), dtype=bool)
        for layer, weight in zip(layers[:-1], self.net.weights, strict=False):
            path = path.through(layer)
            slope, start = path.rows.T
            live = _can_move(weight, live)
            side = np.where(start == 0, slope, start)
            if (live & (side == 0)).any():
                return None
            active.append((side > 0).astype(bool))
            live = live & self._passes(active[-1])
            path = path.activated(active[-1].tolist(), self.net.activation)
        return active

    def _whole_layers(self) -> list[WholeLayer]:
        self._layers = self._layers or whole_layers(self.net)
        return self._layers

    def _inward(self, x: Point) -> Iterator[Point]:
        """Directions from x that do not leave the box at once, in no special position."""
        rng = np.random.default_rng(0)
        # Halves first: sums of corners may be too large for floats.
        towards = np.where(x <= self.low / 2 + self.high / 2, 1.0, -1.0)
        for _ in range(_DIRECTIONS):
            yield towards * rng.integers(1, 2**20, len(x))

    def _passes(self, active: Units) -> Units:
        """Whose changes go on to the next layer."""
        return self.net.activation.slopes(np.where(active, 1.0, -1.0)) != 0


def _received(
    weight: Float[np.ndarray, "_ _"],
    size: Float[np.ndarray, "_ _"],
    bias: Floats,
    here: Floats,
    off: Floats,
) -> tuple[Floats, Floats]:
    """What units receive, and by how much that may be off if `here` is off by `off`."""
    received = weight @ here + bias
    rounding = (weight.shape[1] + 3) * UNIT * (size @ (np.abs(here) + off) + np.abs(bias))
    return received, (size @ off + rounding) * _GROWN + TINY


def _can_move(weight: Float[np.ndarray, "_ _"], live: Units) -> Units:
    """Units that hear of one that can; the others are constant around the point."""
    return (weight[:, live] != 0).any(axis=1)
