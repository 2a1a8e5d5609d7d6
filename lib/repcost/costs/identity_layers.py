"""Where identity layers may be put into a network without changing its function on a box.

An identity layer with the activation of the network does nothing to values that are not
negative. So V maps what some layer receives to values that, shifted, stay above 0 on the box;
they pass through as many identity layers as are wanted; and U, with the shift taken back, makes
of them what that layer made before: U V is its weight. V is the identity, the weight itself,
or, if the weight has a lower rank, a few of its rows. U, the shift and the new bias are exact
fractions until the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.integers import rank_exceeds, reduced, whole_numbers
from repcost.regions.extent import Reach, extent

# Python's Fractions, in an array of objects.
Fractions = np.ndarray


@dataclass(frozen=True, eq=False)
class Insertion:
    """weights[layer] = U V, and V times what comes in, plus shift, is never negative."""

    layer: int
    V: Float[np.ndarray, "r in"]
    U: Fractions
    shift: list[Fraction]

    def network(self, net: DeepNet, depth: int) -> DeepNet:
        """`net` with V, identities and U in place of that layer, `depth` layers in all."""
        # Two layers, V and U, take the place of one.
        width, copies = len(self.V), depth - net.depth - 1
        bias = _fractions(net.biases[self.layer]) - self.U @ np.array(self.shift, dtype=object)
        weights = [self.V, *[np.eye(width)] * copies, self.U.astype(float)]
        try:
            first, last = np.array(self.shift, dtype=float), np.array(bias, dtype=float)
        except OverflowError:
            raise ValueError(
                "domain is so large that identity layers would need biases beyond all floats; "
                "divide it, or the weights, by a power of two"
            ) from None
        biases = [first, *[np.zeros(width)] * copies, last]
        before, after = slice(self.layer), slice(self.layer + 1, None)
        return net.with_layers(
            [*net.weights[before], *weights, *net.weights[after]],
            [*net.biases[before], *biases, *net.biases[after]],
        )


def insertions(net: DeepNet, low: Corner, high: Corner) -> Iterator[Insertion]:
    """At each layer: before it, after it, and inside it if its weights have a lower rank."""
    for layer, weight in enumerate(net.weights):
        into, out = np.eye(weight.shape[1]), _fractions(np.eye(len(weight)))
        if layer and net.activation.is_relu:  # such units pass on nothing negative
            yield Insertion(layer, into, _fractions(weight), [Fraction(0)] * len(into))
        else:
            reach = _reach(net, layer, into, low, high)
            yield _not_negative(layer, into, _fractions(weight), reach)
        reach = _reach(net, layer, weight, low, high)
        yield _not_negative(layer, weight, out, reach)
        if (factors := _row_factors(weight)) is not None:
            rows, U = factors
            yield _not_negative(layer, weight[rows], U, [reach[row] for row in rows])


def _reach(
    net: DeepNet, layer: int, V: Float[np.ndarray, "r in"], low: Corner, high: Corner
) -> list[Reach]:
    """Bounds of the entries of V times what comes into this layer."""
    weights, biases = [*net.weights[:layer], V], [*net.biases[:layer], np.zeros(len(V))]
    return extent(net.with_layers(weights, biases), low, high)


def _not_negative(
    layer: int, V: Float[np.ndarray, "r in"], U: Fractions, reach: list[Reach]
) -> Insertion:
    """Every row of V is turned to its cheaper sign, and then shifted as far as it must be."""
    shifts = [(max(-least, Fraction(0)), max(most, Fraction(0))) for least, most in reach]
    signs = np.array([1 if as_is <= flipped else -1 for as_is, flipped in shifts])
    return Insertion(layer, signs[:, None] * V, U * signs, [min(pair) for pair in shifts])


def _row_factors(weight: Float[np.ndarray, "out in"]) -> tuple[list[int], Fractions] | None:
    """Rows and fractions U with weight = U weight[rows] exactly; None unless they are few."""
    rank = int(np.linalg.matrix_rank(weight)) if weight.size else 0
    # The floats' rank is only believed with a proof; a factor as wide as a side is of no use.
    if rank == min(weight.shape) or rank_exceeds(weight, rank):
        return None
    (numbers,), _ = whole_numbers(weight)
    # Elimination on the transpose: its pivot columns are independent rows of the weight.
    echelon, rows = reduced(numbers.T)
    shares = [
        [Fraction(x, row[pivot]) for x in row] for row, pivot in zip(echelon, rows, strict=True)
    ]
    return rows, np.array(shares, dtype=object).reshape(rank, len(weight)).T


def _fractions(array: Float[np.ndarray, "..."]) -> Fractions:
    """Floats as the fractions that they are."""
    flat = np.array([Fraction(x) for x in array.ravel().tolist()], dtype=object)
    return flat.reshape(array.shape)
