"""Deep networks as plain arrays: any depth, any number of outputs, ReLU or leaky activations."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from repcost.activations import Activation
from repcost.arrays import ArrayLike, finite_array, listed
from repcost.networks import TwoLayer, points_for

Matrix = Float[np.ndarray, "out in"]
Vector = Float[np.ndarray, " out"]


@dataclass(frozen=True, eq=False)
class DeepNet:
    """x -> W_L s(... s(W_1 x + b_1) ...) + b_L, with s(t) = t for t >= 0; points are rows.

    weights[l]: (out, in); biases[l]: (out,).
    negative_slope: s(t) = negative_slope * t for t < 0, the a of sigma_a in Section 2 of Jacot
        (2023); an `Activation` will do as well.

    >>> absolute = DeepNet([[[1.0], [-1.0]], [[1.0, 1.0]]], [[0.0, 0.0], [0.0]])
    >>> absolute([[-2.0], [3.0]]).tolist(), absolute.widths, absolute.squared_norm
    ([[2.0], [3.0]], (1, 2, 1), 4.0)
    """

    weights: tuple[Matrix, ...]
    biases: tuple[Vector, ...]
    activation: Activation

    def __init__(
        self,
        weights: Sequence[ArrayLike],
        biases: Sequence[ArrayLike],
        negative_slope: float | Activation = 0.0,
    ):
        W, b = _arrays(weights, "weights", 2), _arrays(biases, "biases", 1)
        _check_shapes(W, b)
        # Frozen means that only the constructor may do this.
        object.__setattr__(self, "weights", W)
        object.__setattr__(self, "biases", b)
        object.__setattr__(self, "activation", Activation.checked(negative_slope))

    @classmethod
    def from_two_layer(cls, net: TwoLayer) -> "DeepNet":
        """The same function as a DeepNet of depth two with one output."""
        net = as_two_layer(net)
        return cls([net.W, net.a[None, :]], [net.b, [net.c]])

    def with_layers(self, weights: Sequence[ArrayLike], biases: Sequence[ArrayLike]) -> "DeepNet":
        """Another network with the same activation."""
        return DeepNet(weights, biases, self.activation)

    @property
    def negative_slope(self) -> float:
        """What the activation multiplies negative numbers by."""
        return self.activation.negative_slope

    @property
    def depth(self) -> int:
        """The number of weight matrices, L."""
        return len(self.weights)

    @property
    def widths(self) -> tuple[int, ...]:
        """Inputs, hidden layers, outputs: n_0, ..., n_L."""
        return (self.weights[0].shape[1], *(len(weight) for weight in self.weights))

    @property
    def squared_norm(self) -> float:
        """Sum of squares of all weights and biases: what R(f; L) of Jacot (2023) minimises.

        Infinite beyond the range of floats.
        """
        with np.errstate(over="ignore"):
            return float(sum(np.sum(part**2) for part in (*self.weights, *self.biases)))

    def preactivations(self, X: ArrayLike) -> list[Float[np.ndarray, "n out"]]:
        """What the units of each layer receive at the rows of X; the last entry is the output."""
        X = points_for(X, self.widths[0])
        received = [X @ self.weights[0].T + self.biases[0]]
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            received.append(self.activation(received[-1]) @ weight.T + bias)
        return received

    def __call__(self, X: ArrayLike) -> Float[np.ndarray, "n m"]:
        """Outputs (n, m) at the rows of X, (n, d)."""
        return self.preactivations(X)[-1]

    def jacobians(self, X: ArrayLike) -> Float[np.ndarray, "n m d"]:
        """The derivative at each row of X; on a kink that of the side that is not active."""
        *hidden, outputs = self.preactivations(X)
        # From the inputs up: cheaper than from the outputs down where there are fewer inputs.
        product = np.broadcast_to(self.weights[0], (len(outputs), *self.weights[0].shape))
        for received, weight in zip(hidden, self.weights[1:], strict=True):
            product = weight @ (self.activation.slopes(received)[:, :, None] * product)
        return product


def _split(weight: Float[np.ndarray, "_ _"], share: float) -> Float[np.ndarray, "_ _"]:
    """weight / share; ValueError where that is beyond the range of floats."""
    with np.errstate(over="ignore"):
        divided = weight / share
    if not np.isfinite(divided).all():
        raise ValueError(
            "net has weights too large for two leaky units each; divide its layers by powers of two"
        )
    return divided


def _arrays(parts: Sequence[ArrayLike], name: str, ndim: int) -> tuple[np.ndarray, ...]:
    layers = enumerate(listed(parts, name, "arrays, one per layer"))
    return tuple(finite_array(part, f"{name}[{layer}]", ndim) for layer, part in layers)


def _check_shapes(W: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> None:
    """ValueError unless each layer has as many biases as rows, and takes what the one below has."""
    if not W or len(W) != len(b):
        raise ValueError(
            f"a network needs as many biases as weights, at least one; got {len(b)} and {len(W)}"
        )
    for layer, (weight, bias) in enumerate(zip(W, b, strict=True)):
        if len(weight) != len(bias):
            raise ValueError(
                f"weights[{layer}] has {len(weight)} rows, biases[{layer}] {len(bias)} entries"
            )
    for layer, (below, weight) in enumerate(pairwise(W), start=1):
        if weight.shape[1] != len(below):
            raise ValueError(
                f"weights[{layer}] takes {weight.shape[1]} inputs, but the layer below has "
                f"{len(below)}; weights[l] is (out, in)"
            )


def as_deep(net: DeepNet | TwoLayer, name: str = "net") -> DeepNet:
    """The network as a DeepNet; ValueError for anything else."""
    # A DeepNet is returned as it is: networks are never changed, so none is copied.
    if isinstance(net, TwoLayer):
        return DeepNet.from_two_layer(net)
    if not isinstance(net, DeepNet):
        raise ValueError(f"{name} must be a DeepNet or a TwoLayer, not {type(net).__name__}")
    return net


def as_two_layer(net: TwoLayer | DeepNet, name: str = "net") -> TwoLayer:
    """The network as a TwoLayer: one hidden layer of ReLU units, one output; ValueError if not."""
    if isinstance(net, TwoLayer):
        return net
    if not isinstance(net, DeepNet):
        made = "TwoLayer(W, a, b, c) makes one"
        raise ValueError(f"{name} must be a TwoLayer, not {type(net).__name__}; {made}")
    if net.depth != 2 or net.widths[-1] != 1 or not net.activation.is_relu:
        kind = f"depth {net.depth}, {net.widths[-1]} outputs and {net.activation}"
        raise ValueError(f"{name} must have one hidden layer of ReLUs and one output, not {kind}")
    return TwoLayer(net.weights[0], net.weights[1][0], net.biases[0], net.biases[1][0])


def leaky_network(net: DeepNet, negative_slope: float) -> DeepNet:
    """The function of a ReLU network by leaky units, two for each: slope `negative_slope` below 0.

    Corollary 1 of Jacot (2023), with the sign that makes it true (printed: minus):
    (s(t) + a s(-t)) / (1 - a^2) = [t]_+ for s with slope a below zero, -1 < a < 1.

    >>> leaky = leaky_network(DeepNet([[[1.0]], [[2.0]]], [[1.0], [0.0]]), 0.5)
    >>> leaky([[3.0], [-2.0]]).tolist(), leaky.widths
    ([[8.0], [0.0]], (1, 2, 1))
    """
    net = as_deep(net)
    if not net.activation.is_relu:
        raise ValueError(
            f"net must have ReLU units, but its negative_slope is {net.negative_slope:g}"
        )
    a = Activation.checked(negative_slope).negative_slope
    weights, biases = [], []
    for layer, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
        if layer:
            # (1 - a) (1 + a), as 1 - a^2 cancels where a is close to one.
            weight = _split(np.hstack([weight, a * weight]), (1 - a) * (1 + a))
        if layer < net.depth - 1:
            # A unit that receives t has a twin that receives -t.
            weight, bias = np.vstack([weight, -weight]), np.append(bias, -bias)
        weights.append(weight)
        biases.append(bias)
    return DeepNet(weights, biases, a)
