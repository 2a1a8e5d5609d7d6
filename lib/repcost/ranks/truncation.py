"""How far a network is from one that passes through few numbers at a given layer.

Network and truncation run side by side as one network with twice the outputs, so that its cells are
those on which both are affine.
"""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike
from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Corner, Domain, box
from repcost.far_networks import Middle, in_the_middle, size_exponents
from repcost.networks import TwoLayer
from repcost.ranks.straight_paths import image
from repcost.regions.plane_cells import PlaneCell
from repcost.regions.subdivision import has_few_cells, plane_cells
from repcost.rounding import TINY, UNIT, gamma
from repcost.scalars import whole_number
from repcost.scales import at_size_one, lengths, scaled_back

Matrix = Float[np.ndarray, "out in"]
Vector = Float[np.ndarray, " out"]

# Points at which networks of three and more variables may be compared.
_SAMPLE = 1000
_CELLS_OF_SPACE = 100_000


def truncation_error(net: DeepNet | TwoLayer, domain: Domain, *, layer: int, rank: int) -> Bracket:
    """The largest distance on a box between the network and its truncation at weights[layer].

    The truncation has the nearest matrix of that rank (up to rounding) in place of weights[layer],
    and the bias with which nothing changes at the middle of the box. Its bottleneck rank
    (Definition 2 of Jacot (2023)) is at most `rank`, so this is how well the layer passes for a
    bottleneck. In one and two variables certified up to rounding, at the corners of the regions of
    both, and in three if there are at most some eighty units in both; beyond, the lower end is the
    largest of 1,000 fixed points, and the upper one a product of norms, which may be far too large.
    For floats of any size.

    >>> thin, turn = [[1.0, 0.0], [0.0, 0.01]], [[1.0, 0.0], [0.0, 1.0]]
    >>> net = DeepNet([thin, turn], [[9.0, 9.0], [0.0, 0.0]])
    >>> round(truncation_error(net, ([-1, -1], [1, 1]), layer=0, rank=1).value, 12)
    0.01
    """
    net = as_deep(net)
    low, high = box(domain, net.widths[0])
    layer = whole_number(layer, "layer", 0, net.depth - 1, of="places in weights")
    rank = whole_number(rank, "rank", 0, min(net.weights[layer].shape), of=f"weights[{layer}]")
    middle = in_the_middle(net, size_exponents(np.stack([low, high])))
    weight = middle.weight(layer, _nearest(net.weights[layer], rank))
    lower, upper, reason = _bounds(middle, middle.points(low), middle.points(high), layer, weight)
    return Bracket(*scaled_back(lower, upper, middle.top), "certified", "lower", reason=reason)


def _bounds(
    middle: Middle, low: Corner, high: Corner, layer: int, weight: Matrix
) -> tuple[float, float, str]:
    """The error from both sides, and why they may be far apart; all in the middle of the floats."""
    net, centre = middle.net, (low + high) / 2
    # Without a bias of its own the truncation would be far off where the box is far from zero.
    bias = _agreeing_bias(net, layer, weight, centre)
    twins = _side_by_side(net, layer, weight, bias)
    if len(low) < 3 or (len(low) == 3 and has_few_cells(twins, _CELLS_OF_SPACE)):
        lower, upper = _at_corners(twins, low, high, middle.lost)
        return lower, upper, "the error is as small as its rounding" if 2 * lower < upper else ""
    lower, rounding = _at_points(twins, low, high)
    # An activation moves two points no further apart than they were.
    below = _product_of_norms(net.weights[:layer])
    above = _product_of_norms(net.weights[layer + 1 :])
    # Points of the box lie within half its diagonal from the middle, where nothing changes.
    dropped = np.linalg.norm(net.weights[layer] - weight, 2)
    most = dropped * below * np.linalg.norm(high - low) / 2
    upper = float((most + _rounding(net, layer, centre)) * above * (1 + 1e-9))
    ends = max(0.0, lower - rounding), max(lower, upper) + rounding
    why = "too many cells to list" if len(low) == 3 else "more than three variables"
    return *ends, f"{why}: points from below, norms from above"


def _agreeing_bias(net: DeepNet, layer: int, weight: Matrix, x: Corner) -> Vector:
    """The bias with which the layer receives at x what it does, with another matrix."""
    received = net.preactivations([x])
    passed = net.activation(received[layer - 1][0]) if layer else x
    return received[layer][0] - weight @ passed


def _nearest(weight: Matrix, rank: int) -> Matrix:
    """The nearest matrix of that rank."""
    # Divided by a power of two, as singular values may be larger than the largest float.
    small, exponent = at_size_one(weight)
    U, s, V = np.linalg.svd(small, full_matrices=False)
    # Eckart and Young: the largest singular values are kept.
    nearest = (U[:, :rank] * s[:rank]) @ V[:rank]
    return np.ldexp(nearest, exponent)


def _product_of_norms(weights: Sequence[np.ndarray]) -> float:
    return math.prod((float(np.linalg.norm(weight, 2)) for weight in weights), start=1.0)


def _rounding(net: DeepNet, layer: int, x: Corner) -> float:
    """More than what rounding adds to what the layer, or its truncation, receives at x."""
    size = np.linalg.norm(x)
    for weight, bias in zip(net.weights[: layer + 1], net.biases, strict=False):
        size = np.linalg.norm(weight) * size + np.linalg.norm(bias)
    return float(10 * gamma(sum(net.widths) + 10 * net.depth) * size)


def _side_by_side(net: DeepNet, layer: int, weight: Matrix, bias: Vector) -> DeepNet:
    """The network whose outputs are those of the network, and those with another layer."""
    weights: list[ArrayLike] = [*net.weights[:layer], np.vstack([net.weights[layer], weight])]
    weights += [np.kron(np.eye(2), above) for above in net.weights[layer + 1 :]]
    biases = [*net.biases[:layer], np.append(net.biases[layer], bias)]
    biases += [np.tile(above, 2) for above in net.biases[layer + 1 :]]
    return net.with_layers(weights, biases)


def _at_corners(twins: DeepNet, low: Corner, high: Corner, lost: float) -> tuple[float, float]:
    """On a cell the difference is affine and its norm convex, so it is largest at a corner."""
    found = plane_cells(twins, low, high)
    differences = np.ascontiguousarray(found.differences.swapaxes(1, 2))
    ends = [_largest_at_corners(*each) for each in zip(found, differences, strict=True)]
    lower, upper = (max(0.0, *end) for end in zip(*ends, strict=True))
    return max(0.0, lower - lost), upper + lost


def _largest_at_corners(
    cell: PlaneCell, difference: Float[np.ndarray, "m columns"]
) -> tuple[float, float]:
    """The largest difference at the corners of one cell, from below and from above."""
    m, vertices = len(difference), cell.shape.vertices
    # Rounded, it may vanish, although it is not zero.
    if not difference.any() and (cell.map.rows[:m] == cell.map.rows[m:]).all():
        return 0.0, 0.0
    corners = np.column_stack([vertices, np.ones(len(vertices))])
    sizes = lengths(corners @ difference.T)
    # Corners and entries are rounded once, and up to four products are added up.
    terms = lengths(np.abs(corners) @ np.abs(difference).T)
    rounding = 8 * UNIT * terms + (m + 4) * UNIT * sizes + TINY
    return float((sizes - rounding).max()), float((sizes + rounding).max())


def _at_points(twins: DeepNet, low: Corner, high: Corner) -> tuple[float, float]:
    """The largest difference at fixed points, and its rounding."""
    X = np.random.default_rng(0).uniform(low, high, (_SAMPLE, len(low)))
    seen = image(twins, X, X)
    one, other = np.split(seen.values[:, 0], 2, axis=1)
    sizes = lengths(one - other)
    largest = int(sizes.argmax())
    return float(sizes[largest]), 2 * float(seen.error[largest, 0])
