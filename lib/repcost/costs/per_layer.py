"""What each layer of a very deep network costs: between the rank of the Jacobian and the width of a
bottleneck.

From below the Jacobian at any point inside a linear region: a network of depth L is there a product
of L matrices.
From above an explicit network: somewhere in the given one its values are carried through identity
layers, which do nothing to what is not negative, and then all units are rescaled.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from repcost.arrays import whole_depth
from repcost.balance import rebalance
from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Corner, Domain, box
from repcost.integers import rank_exceeds, reduced, whole_numbers
from repcost.networks import TwoLayer
from repcost.regions import linear_regions
from repcost.regions.extent import Reach, extent
from repcost.rounding import UNIT, gamma


def cost_per_layer(net: DeepNet | TwoLayer, depth: int, domain: Domain) -> Bracket:
    """R(f; domain, L) / L: what the cheapest network of `depth` layers that equals `net` on the box
    costs per layer.

    Section 2 of Jacot (2023): the sum of squares of all weights and biases over L, any widths, the
    activation of `net`; L is at least the depth of `net`. Lower end: sum_k s_k(J)^(2/L),
    Proposition 3, the largest over the linear regions (in three and more variables over those
    found). Upper end: the network of `deepened`. Certified for exactly these floats.

    >>> line = DeepNet([[[1.0]]], [[0.0]])
    >>> cost_per_layer(line, 4, ([0.0], [1.0])).relative_gap < 1e-12
    True
    """
    net, depth = as_deep(net), whole_depth(depth, least=1)
    low, high = box(domain, net.widths[0])
    best = deepened(net, depth, (low, high))
    count = sum(part.size for part in (*best.weights, *best.biases))
    # One rounding a term of the sum and a few a weight; squares below the smallest float are lost.
    upper = best.squared_norm / depth * (1 + UNIT * (count + 60)) + count * 2.0**-1073
    jacobians = np.stack([region.jacobian for region in linear_regions(net, (low, high))])
    return Bracket(float(_schatten_from_below(jacobians, depth).max()), upper, "certified")


def deepened(net: DeepNet | TwoLayer, depth: int, domain: Domain) -> DeepNet:
    """The cheapest network found that has `depth` layers and equals `net` on the box, rebalanced.

    Identity layers carry what some layer receives, or a factor of it if its weights have a lower
    rank, or what it passes on, flipped and shifted until none of it is negative on the domain;
    every layer is tried. Up to the rounding of the weights its function is exactly that of `net`.

    >>> deepened(DeepNet([[[1.0]]], [[0.0]]), 3, ([0.0], [1.0])).weights
    (array([[1.]]), array([[1.]]), array([[1.]]))
    """
    net, depth = as_deep(net), whole_depth(depth, least=1)
    low, high = box(domain, net.widths[0])
    if depth < net.depth:
        raise ValueError(
            f"depth is {depth}, but net has {net.depth} layers; take at least {net.depth}"
        )
    if depth == net.depth:
        return rebalance(net)
    candidates = (bottleneck.network(net, depth) for bottleneck in _bottlenecks(net, low, high))
    return min(map(rebalance, candidates), key=lambda candidate: candidate.squared_norm)


@dataclass(frozen=True, eq=False)
class _Bottleneck:
    """weights[layer] = U V, and V times what the layer below passes on, plus shift, is nowhere
    negative.
    """

    layer: int
    V: Float[np.ndarray, "r in"]
    U: np.ndarray
    shift: list[Fraction]

    def network(self, net: DeepNet, depth: int) -> DeepNet:
        """`net` with V, identities and U in place of that layer. U, shift and bias are exact
        fractions until here.
        """
        width, copies = len(self.V), depth - net.depth - 1
        bias = _fractions(net.biases[self.layer]) - self.U @ np.array(self.shift, dtype=object)
        weights = [self.V, *[np.eye(width)] * copies, self.U.astype(float)]
        biases = [
            np.array(self.shift, dtype=float),
            *[np.zeros(width)] * copies,
            np.array(bias, dtype=float),
        ]
        before, after = slice(self.layer), slice(self.layer + 1, None)
        return DeepNet(
            [*net.weights[before], *weights, *net.weights[after]],
            [*net.biases[before], *biases, *net.biases[after]],
            net.negative_slope,
        )


def _bottlenecks(net: DeepNet, low: Corner, high: Corner) -> Iterator[_Bottleneck]:
    """At each layer: what comes in, what the layer makes of it, and less than both if its weights
    have a lower rank.
    """
    for layer, weight in enumerate(net.weights):
        into, out = np.eye(weight.shape[1]), _fractions(np.eye(len(weight)))
        if layer and not net.negative_slope:  # ReLU units pass on nothing negative
            yield _Bottleneck(layer, into, _fractions(weight), [Fraction(0)] * len(into))
        else:
            yield _not_negative(
                layer, into, _fractions(weight), _reach(net, layer, into, low, high)
            )
        reach = _reach(net, layer, weight, low, high)
        yield _not_negative(layer, weight, out, reach)
        if (factors := _row_factors(weight)) is not None:
            rows, U = factors
            yield _not_negative(layer, weight[rows], U, [reach[row] for row in rows])


def _reach(
    net: DeepNet, layer: int, V: Float[np.ndarray, "r in"], low: Corner, high: Corner
) -> list[Reach]:
    """Bounds of the entries of V times what comes into this layer."""
    below = DeepNet(
        [*net.weights[:layer], V], [*net.biases[:layer], np.zeros(len(V))], net.negative_slope
    )
    return extent(below, low, high)


def _not_negative(
    layer: int, V: Float[np.ndarray, "r in"], U: np.ndarray, reach: list[Reach]
) -> _Bottleneck:
    """Every row of V is flipped if its negative is less negative, and then shifted as far as it
    must be.
    """
    shifts = [(max(-least, Fraction(0)), max(most, Fraction(0))) for least, most in reach]
    signs = np.array([1 if as_is <= flipped else -1 for as_is, flipped in shifts])
    return _Bottleneck(layer, signs[:, None] * V, U * signs, [min(pair) for pair in shifts])


def _row_factors(weight: Float[np.ndarray, "out in"]) -> tuple[list[int], np.ndarray] | None:
    """Rows of the weights and fractions U with weight = U weight[rows] exactly, if that is fewer
    than both sides.
    """
    rank = int(np.linalg.matrix_rank(weight)) if weight.size else 0
    if rank == min(weight.shape) or rank_exceeds(weight, rank):
        return None
    (numbers,), _ = whole_numbers(weight)
    echelon, rows = reduced(numbers.T)
    shares = [
        [Fraction(x, row[pivot]) for x in row] for row, pivot in zip(echelon, rows, strict=True)
    ]
    return rows, np.array(shares, dtype=object).reshape(rank, len(weight)).T


def _fractions(array: Float[np.ndarray, "..."]) -> np.ndarray:
    """Floats as the fractions that they are, in an array of objects."""
    return np.array([Fraction(x) for x in array.ravel().tolist()], dtype=object).reshape(
        array.shape
    )


def _schatten_from_below(J: Float[np.ndarray, "n m d"], depth: int) -> Float[np.ndarray, " n"]:
    """sum_k s_k^(2/L) of matrices whose entries were rounded once.

    With U and V off orthogonality by e and f, U S V^T has singular values of at least (1 - e) (1 -
    f) s_k, and those of J are off by at most |J - U S V^T| (Weyl).
    """
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    k = s.shape[-1]
    product = (U * s[:, None, :]) @ Vt
    slips = [
        np.linalg.norm(np.swapaxes(Q, 1, 2) @ Q - np.eye(k), axis=(1, 2))
        for Q in (U, np.swapaxes(Vt, 1, 2))
    ]
    shrunk = 1 - 1.01 * sum(slips) - 4 * k * gamma(sum(J.shape[1:]))
    off = 1.01 * np.linalg.norm(J - product, axis=(1, 2)) + gamma(k + 4) * k * np.linalg.norm(
        J, axis=(1, 2)
    )
    below = np.maximum(s * shrunk[:, None] - off[:, None], 0.0)
    # The exponent is rounded too, and |log| of a float is below 750.
    return (below ** (2 / depth)).sum(1) * (1 - UNIT * (k + 20 + 1500 / depth))
