"""Networks made of two: one after the other, and side by side."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet, as_deep

# Two networks need not have the same widths.
Weight = Float[np.ndarray, "_ _"]


def composed(outer: DeepNet, inner: DeepNet) -> DeepNet:
    """x -> outer(inner(x)): the last layer of one and the first of the other become one.

    Both of these are affine, so their matrices are multiplied. Property 3 of a rank in Section 3
    of Jacot (2023) is about such networks. Both have the same activation.

    >>> double = DeepNet([[[2.0]]], [[1.0]])
    >>> composed(double, double)([[1.0]]).tolist()
    [[7.0]]
    """
    outer, inner = as_deep(outer, "outer"), as_deep(inner, "inner")
    _same_activation(outer, inner)
    if inner.widths[-1] != outer.widths[0]:
        raise ValueError(
            f"outer takes {outer.widths[0]} variables, but inner has {inner.widths[-1]} outputs"
        )
    # A (B x + b) + a = (A B) x + (A b + a).
    weight, bias = outer.weights[0], outer.biases[0]
    with np.errstate(over="ignore", invalid="ignore"):
        product, moved = weight @ inner.weights[-1], weight @ inner.biases[-1] + bias
    _check_finite("outer and inner", product, moved)
    weights = [*inner.weights[:-1], product, *outer.weights[1:]]
    return inner.with_layers(weights, [*inner.biases[:-1], moved, *outer.biases[1:]])


def added(one: DeepNet, other: DeepNet) -> DeepNet:
    """x -> one(x) + other(x), by networks of one depth side by side, whose last biases add up.

    Property 4 of a rank in Section 3 of Jacot (2023), and item 3 of its Theorem 4. Both have the
    same activation.

    >>> up, down = DeepNet([[[1.0]], [[1.0]]], [[0], [2]]), DeepNet([[[-1.0]], [[1.0]]], [[0], [3]])
    >>> added(up, down)([[-4.0]]).tolist(), added(up, down).widths
    ([[9.0]], (1, 2, 1))
    """
    one, other = as_deep(one, "one"), as_deep(other, "other")
    _same_activation(one, other)
    ends = [(net.depth, net.widths[0], net.widths[-1]) for net in (one, other)]
    if ends[0] != ends[1]:
        raise ValueError(
            f"networks have different (depth, variables, outputs): {ends[0]} and {ends[1]}"
        )
    # Outputs are added up, so their biases are; those of hidden units stand side by side.
    hidden = zip(one.biases[:-1], other.biases[:-1], strict=True)
    with np.errstate(over="ignore"):
        biases = [*map(np.concatenate, hidden), one.biases[-1] + other.biases[-1]]
        weights = _summed(list(zip(one.weights, other.weights, strict=True)))
    _check_finite("one and other", weights[-1], biases[-1])
    return one.with_layers(weights, biases)


def _summed(pairs: Sequence[tuple[Weight, Weight]]) -> list[Weight]:
    """The weights of two networks that share inputs and outputs, and nothing in between."""
    if len(pairs) == 1:
        return [pairs[0][0] + pairs[0][1]]
    # Inputs go to both, outputs are added up, and hidden units see their own network only.
    first, *inner, last = pairs
    return [np.vstack(first), *(_diagonal(*pair) for pair in inner), np.hstack(last)]


def _diagonal(A: Weight, B: Weight) -> Weight:
    return np.block(
        [
            [A, np.zeros((len(A), B.shape[1]))],
            [np.zeros((len(B), A.shape[1])), B],
        ]
    )


def _check_finite(names: str, *parts: np.ndarray) -> None:
    """ValueError where numbers of the two networks make one beyond the range of floats."""
    if not all(np.isfinite(part).all() for part in parts):
        raise ValueError(
            f"{names} together have weights or biases beyond the range of floats; "
            "divide the last layer of one by a power of two"
        )


def _same_activation(one: DeepNet, other: DeepNet) -> None:
    if one.activation != other.activation:
        raise ValueError(
            f"networks have different activations: {one.activation} and {other.activation}"
        )
