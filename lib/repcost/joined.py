"""Networks made of two: one after the other, and side by side."""

import numpy as np

from repcost.deep_networks import DeepNet


def composed(outer: DeepNet, inner: DeepNet) -> DeepNet:
    """x -> outer(inner(x)): the last layer of one and the first of the other, both affine, become
    one.

    Property 3 of a rank in Section 3 of Jacot (2023) is about these. Both have the same activation.

    >>> double = DeepNet([[[2.0]]], [[1.0]])
    >>> composed(double, double)([[1.0]]).tolist()
    [[7.0]]
    """
    _same_activation(outer, inner)
    if inner.widths[-1] != outer.widths[0]:
        raise ValueError(
            f"outer takes {outer.widths[0]} variables, but inner has {inner.widths[-1]} outputs"
        )
    weight, bias = outer.weights[0], outer.biases[0]
    weights = [*inner.weights[:-1], weight @ inner.weights[-1], *outer.weights[1:]]
    biases = [*inner.biases[:-1], weight @ inner.biases[-1] + bias, *outer.biases[1:]]
    return DeepNet(weights, biases, inner.negative_slope)


def added(one: DeepNet, other: DeepNet) -> DeepNet:
    """x -> one(x) + other(x), by networks of one depth side by side, whose last biases add up.

    Property 4 of a rank in Section 3 of Jacot (2023), and item 3 of its Theorem 4. Both have the
    same activation.

    >>> up, down = DeepNet([[[1.0]], [[1.0]]], [[0], [2]]), DeepNet([[[-1.0]], [[1.0]]], [[0], [3]])
    >>> added(up, down)([[-4.0]]).tolist(), added(up, down).widths
    ([[9.0]], (1, 2, 1))
    """
    _same_activation(one, other)
    ends = [(net.depth, net.widths[0], net.widths[-1]) for net in (one, other)]
    if ends[0] != ends[1]:
        raise ValueError(
            f"networks have different (depth, variables, outputs): {ends[0]} and {ends[1]}"
        )
    last = one.depth - 1
    weights = []
    for layer, (A, B) in enumerate(zip(one.weights, other.weights, strict=True)):
        below, above = layer > 0, layer < last
        top, bottom = np.zeros((len(A), B.shape[1])), np.zeros((len(B), A.shape[1]))
        if below and above:
            weights.append(np.block([[A, top], [bottom, B]]))
        else:
            weights.append(np.hstack([A, B]) if below else np.vstack([A, B]) if above else A + B)
    biases = [np.append(a, b) for a, b in zip(one.biases[:-1], other.biases[:-1], strict=True)]
    return DeepNet(weights, [*biases, one.biases[-1] + other.biases[-1]], one.negative_slope)


def _same_activation(one: DeepNet, other: DeepNet) -> None:
    if one.negative_slope != other.negative_slope:
        raise ValueError(
            f"networks have different activations: {one.negative_slope:g} and {other.negative_slope:g}"
        )
