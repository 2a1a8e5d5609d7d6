"""The affine maps of a network in whole numbers, without rounding, where no unit changes sides."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.activations import Activation
from repcost.deep_networks import DeepNet
from repcost.integers import Whole, nearest_floats, reduced, whole_numbers


@dataclass(frozen=True, eq=False)
class WholeLayer:
    """Weights and biases as whole numbers over 2^exponent."""

    weight: Whole
    bias: Whole
    exponent: int


def whole_layers(net: DeepNet) -> list[WholeLayer]:
    """The layers of the network as the rationals that their floats are."""
    layers = []
    for weight, bias in zip(net.weights, net.biases, strict=True):
        (W, b), exponent = whole_numbers(weight, bias)
        layers.append(WholeLayer(W, b, exponent))
    return layers


@dataclass(frozen=True, eq=False)
class AffineMap:
    """x -> (A x + c) / 2^exponent with rows = [A | c], whole numbers."""

    rows: Whole
    # Kept in common by all cells of a layer, so that maps of neighbours can be compared.
    exponent: int

    @classmethod
    def identity(cls, dimension: int) -> "AffineMap":
        return cls(np.eye(dimension, dimension + 1, dtype=np.int64).astype(object), 0)

    def through(self, layer: WholeLayer) -> "AffineMap":
        """What the layer's units receive."""
        rows = layer.weight @ self.rows
        # The bias has the exponent of the layer only, the product that of both.
        rows[:, -1] += layer.bias * (1 << self.exponent)
        return AffineMap(rows, self.exponent + layer.exponent)

    def activated(self, active: Sequence[bool], activation: Activation) -> "AffineMap":
        """What the units pass on where those in `active` receive t >= 0 and the others t <= 0."""
        slopes, exponent = activation.whole_slopes(active)
        return AffineMap(self.rows * slopes[:, None], self.exponent + exponent)

    @property
    def jacobian(self) -> Float[np.ndarray, "m d"]:
        return nearest_floats(self.rows[:, :-1], self.exponent)

    @property
    def offset(self) -> Float[np.ndarray, " m"]:
        return nearest_floats(self.rows[:, -1], self.exponent)

    @property
    def rank(self) -> int:
        return len(reduced(self.rows[:, :-1])[1])


def map_at(
    net: DeepNet, layers: Sequence[WholeLayer], x: Float[np.ndarray, " d"]
) -> AffineMap | None:
    """The affine map around x, proven; None where a unit that depends on x receives zero at x."""
    # (x, 1) times a power of two, which changes no sign.
    (point,), exponent = whole_numbers(x)
    point = np.append(point, 1 << exponent)
    here = AffineMap.identity(len(x)).through(layers[0])
    for layer in layers[1:]:
        received = here.rows @ point
        # A unit that receives zero all around passes on zero, whichever slope is taken.
        depends = (here.rows[:, :-1] != 0).any(1)
        if ((received == 0) & depends).any():
            return None
        here = here.activated((received > 0).tolist(), net.activation).through(layer)
    return here
