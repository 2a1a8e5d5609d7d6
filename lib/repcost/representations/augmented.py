"""Weights with their biases in one matrix, W_l = [w, b / beta], as Jacot et al. (2022) count them.

Layer l receives Z_l = S_{l-1} W_l^T with S_l = [sigma(Z_l), beta 1]: what multiplies the constant
is a weight like any other, and is paid for.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from repcost.activations import Activation
from repcost.arrays import ArrayLike, finite_array, listed, with_bias
from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer
from repcost.scalars import bias_constant

# One row per unit, its bias weight in the last column.
Weights = Float[np.ndarray, "_ _"]


def augmented_weights(net: DeepNet | TwoLayer, bias: float = 1.0) -> tuple[Weights, ...]:
    """W_l with the bias weights b_l / beta as last column, (n_l, n_{l-1} + 1).

    |W|^2 in the losses of Jacot et al. (2022) sums the squares of these.

    >>> augmented_weights(DeepNet([[[1.0, 2.0]]], [[3.0]]), bias=0.5)[0].tolist()
    [[1.0, 2.0, 6.0]]
    """
    net, bias = with_its_constant(net, bias)
    # With beta = 0 the biases are zero, and so is the column.
    layers = zip(net.weights, net.biases, strict=True)
    return tuple(np.column_stack([W, b / bias if bias else b]) for W, b in layers)


def network_of(
    weights: Sequence[ArrayLike], bias: float = 1.0, negative_slope: float | Activation = 0.0
) -> DeepNet:
    """The network with these W_l: the way back from `augmented_weights`.

    >>> network_of([[[1.0, 2.0, 6.0]]], bias=0.5).biases[0].tolist()
    [3.0]
    """
    bias = bias_constant(bias)
    parts = listed(weights, "weights", "matrices, one per layer")
    layers = [finite_array(W, f"weights[{i}]", 2) for i, W in enumerate(parts)]
    # The last column weighs the constant beta, so beta times it is the plain bias.
    plain, biases = [W[:, :-1] for W in layers], [bias * W[:, -1] for W in layers]
    return DeepNet(plain, biases, negative_slope)


def passage(
    net: DeepNet | TwoLayer, X: ArrayLike, bias: float = 1.0
) -> tuple[tuple[Float[np.ndarray, "n _"], Weights], ...]:
    """(S_{l-1}, W_l) of every layer: what it is sent at the rows of X, and what it makes of that.

    Straight from the definition, layer by layer, without any pseudo-inverse: Z_l is S_{l-1} W_l^T.

    >>> net = DeepNet([[[1.0], [-1.0]], [[1.0, 1.0]]], [[0.0, 0.0], [0.0]])
    >>> [(S @ W.T).tolist() for S, W in passage(net, [[-1.0], [2.0]])]
    [[[-1.0, 1.0], [2.0, -2.0]], [[1.0], [2.0]]]
    """
    net, bias = with_its_constant(net, bias)
    sent, layers = finite_array(X, "X", 2), []
    for W in augmented_weights(net, bias):
        S = with_bias(sent, bias)
        layers.append((S, W))
        sent = net.activation(S @ W.T)
    return tuple(layers)


def with_its_constant(net: DeepNet | TwoLayer, bias: float) -> tuple[DeepNet, float]:
    """Both, if the biases of the network can be had from this constant."""
    net, bias = as_deep(net), bias_constant(bias)
    if bias == 0 and any(b.any() for b in net.biases):
        raise ValueError(
            "bias is 0, but the network has biases; give the beta that multiplies its bias weights"
        )
    return net, bias
