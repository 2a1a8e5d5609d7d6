"""How far a network is from one that passes through few numbers at a given layer."""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike
from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Corner, Domain, box
from repcost.integers import nearest_floats
from repcost.networks import TwoLayer
from repcost.ranks.straight_paths import image
from repcost.regions.subdivision import cells
from repcost.rounding import UNIT, gamma

Matrix = Float[np.ndarray, "out in"]

# Points at which networks of three and more variables are compared.
_SAMPLE = 1000


def truncation_error(net: DeepNet | TwoLayer, domain: Domain, *, layer: int, rank: int) -> Bracket:
    """The largest distance on the box `domain` between the network and its truncation at
    weights[layer].

    The truncation has the nearest matrix of that rank (up to rounding) in place of weights[layer],
    and the bias with which nothing changes at the middle of the box. Its bottleneck rank
    (Definition 2 of Jacot (2023)) is at most `rank`, so this is how well the layer passes for a
    bottleneck. In one and two variables certified up to rounding, at the corners of the regions of
    both; beyond, the lower end is the largest of 1,000 fixed points, and the upper one a product of
    norms, which may be far too large.

    >>> net = DeepNet([[[1.0, 0.0], [0.0, 0.01]], [[1.0, 0.0], [0.0, 1.0]]], [[9.0, 9.0], [0.0, 0.0]])
    >>> round(truncation_error(net, ([-1, -1], [1, 1]), layer=0, rank=1).value, 12)
    0.01
    """
    net = as_deep(net)
    low, high = box(domain, net.widths[0])
    if layer not in range(net.depth):
        raise ValueError(f"layer must be a place in weights, 0 to {net.depth - 1}, not {layer}")
    if rank not in range(min(net.weights[layer].shape) + 1):
        raise ValueError(
            f"rank must be 0 to {min(net.weights[layer].shape)} for weights[{layer}], not {rank}"
        )
    weight = _nearest(net.weights[layer], rank)
    middle = net.preactivations([(low + high) / 2])
    passed = net.activation(middle[layer - 1][0]) if layer else (low + high) / 2
    bias = middle[layer][0] - weight @ passed
    twins = _side_by_side(net, layer, weight, bias)
    if len(low) < 3:
        return _at_corners(twins, low, high)
    lower, rounding = _at_points(twins, low, high)
    # An activation moves two points no further apart than they were.
    below, above = (
        _product_of_norms(net.weights[:layer]),
        _product_of_norms(net.weights[layer + 1 :]),
    )
    most = np.linalg.norm(net.weights[layer] - weight, 2) * below * np.linalg.norm(high - low) / 2
    upper = float((most + _rounding(net, layer, (low + high) / 2)) * above * (1 + 1e-9))
    return Bracket(max(0.0, lower - rounding), max(lower, upper) + rounding, "certified", "lower")


def _nearest(weight: Matrix, rank: int) -> Matrix:
    """The nearest matrix of that rank."""
    U, s, V = np.linalg.svd(weight, full_matrices=False)
    return (U[:, :rank] * s[:rank]) @ V[:rank]


def _product_of_norms(weights: Sequence[np.ndarray]) -> float:
    return math.prod((float(np.linalg.norm(weight, 2)) for weight in weights), start=1.0)


def _rounding(net: DeepNet, layer: int, x: Corner) -> float:
    """More than what rounding adds to what the layer, or its truncation, receives at x."""
    size = np.linalg.norm(x)
    for weight, bias in zip(net.weights[: layer + 1], net.biases, strict=False):
        size = np.linalg.norm(weight) * size + np.linalg.norm(bias)
    return float(10 * gamma(sum(net.widths) + 10 * net.depth) * size)


def _side_by_side(
    net: DeepNet, layer: int, weight: Matrix, bias: Float[np.ndarray, " out"]
) -> DeepNet:
    """The network whose outputs are those of the network, and those with another layer."""
    weights: list[ArrayLike] = [*net.weights[:layer], np.vstack([net.weights[layer], weight])]
    weights += [np.kron(np.eye(2), above) for above in net.weights[layer + 1 :]]
    biases = [*net.biases[:layer], np.append(net.biases[layer], bias)]
    biases += [np.tile(above, 2) for above in net.biases[layer + 1 :]]
    return DeepNet(weights, biases, net.negative_slope)


def _at_corners(twins: DeepNet, low: Corner, high: Corner) -> Bracket:
    """On a cell the difference is affine and its norm convex, so it is largest at a corner."""
    m = twins.widths[-1] // 2
    lower = upper = 0.0
    for cell in cells(twins, low, high):
        rows, exponent = cell.map.rows, cell.map.exponent
        difference = nearest_floats(rows[:m] - rows[m:], exponent)
        corners = np.column_stack([cell.shape.vertices, np.ones(len(cell.shape.vertices))])
        sizes = np.linalg.norm(corners @ difference.T, axis=1)
        # Corners and entries are rounded once, and three products are added up.
        rounding = (
            8 * UNIT * np.linalg.norm(np.abs(corners) @ np.abs(difference).T, axis=1)
            + (m + 4) * UNIT * sizes
        )
        lower, upper = (
            max(lower, float((sizes - rounding).max())),
            max(upper, float((sizes + rounding).max())),
        )
    return Bracket(lower, upper, "certified", "lower")


def _at_points(twins: DeepNet, low: Corner, high: Corner) -> tuple[float, float]:
    """The largest difference at fixed points, and its rounding."""
    X = np.random.default_rng(0).uniform(low, high, (_SAMPLE, len(low)))
    seen = image(twins, X, X)
    one, other = np.split(seen.values[:, 0], 2, axis=1)
    sizes = np.linalg.norm(one - other, axis=1)
    largest = int(sizes.argmax())
    return float(sizes[largest]), 2 * float(seen.error[largest, 0])
