"""Networks with a few affine pieces by hand: maxima, folds, islands, the identity of the line."""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import block_diag

from repcost.activations import Activation
from repcost.arrays import ArrayLike, finite_array, same_length
from repcost.deep_networks import DeepNet
from repcost.scalars import positive_number, real_number, whole_depth


def maximum_network(A: ArrayLike, c: ArrayLike) -> DeepNet:
    """x -> max_i <a_i, x> + c_i, pair by pair, for the rows of A.

    The corollary of Section 2 of Jacot (2023) on depth: d + 1 affine functions take 1 + log2(d + 1)
    layers, rounded up. A pair is max(s, t) = [s - t]_+ + [t]_+ - [-t]_+.

    >>> net = maximum_network([[1.0], [-1.0], [0.0]], [0.0, 0.0, 2.0])
    >>> net([[-3.0], [1.0], [5.0]]).ravel().tolist(), net.depth
    ([3.0, 2.0, 5.0], 3)
    """
    weights, biases = [finite_array(A, "A", 2)], [finite_array(c, "c", 1)]
    same_length(A=weights[0], c=biases[0])
    if not len(weights[0]):
        raise ValueError("A is empty; give at least one affine function")
    if max(np.abs(part).max(initial=0.0) for part in (*weights, *biases)) > 1e300:
        raise ValueError("A and c must have no number beyond 1e300; divide them by a power of two")
    # Each round halves the number of candidates; one that has no partner is carried as [t] - [-t].
    while len(weights[-1]) > 1:
        pairs, alone = divmod(len(weights[-1]), 2)
        units = block_diag(*[[[1, -1], [0, 1], [0, -1]]] * pairs, *[[[1], [-1]]] * alone)
        values = np.asarray(block_diag(*[[[1, 1, -1]]] * pairs, *[[[1, -1]]] * alone))
        # The layer below is affine: its outputs become what the new units receive.
        weights[-1], biases[-1] = units @ weights[-1], units @ biases[-1]
        weights.append(values)
        biases.append(np.zeros(len(values)))
    return DeepNet(weights, biases)


def fold_network() -> DeepNet:
    """(x, y) -> (x, y + |x|): a bijection of the plane that is not linear.

    For the rules of ranks under bijections, item 4 of Theorem 4 of Jacot (2023).

    >>> fold_network()([[-2.0, 1.0]]).tolist()
    [[-2.0, 3.0]]
    """
    parts = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    # x = [x] - [-x], and |x| = [x] + [-x].
    return DeepNet([parts, [[1, -1, 0, 0], [1, 1, 1, -1]]], [np.zeros(4), np.zeros(2)])


def islands_network(centres: ArrayLike, steepness: float = 3.0) -> DeepNet:
    """Output 0 is zero, the sea; output i is 1 - steepness |x - c_i|_1: a diamond around centre i.

    Islands that do not touch have no point where three classes meet, and yet the sea borders all of
    them: no function of one number does that.

    >>> islands_network([[0.0, 0.0], [2.0, 0.0]])([[2.0, 0.0], [1.0, 0.0]]).tolist()
    [[0.0, -5.0, 1.0], [0.0, -2.0, -2.0]]
    """
    centres, steepness = finite_array(centres, "centres", 2), real_number(steepness, "steepness")
    if not centres.size:
        raise ValueError(f"centres has shape {centres.shape}; give at least one point")
    number, d = centres.shape
    first = np.vstack([np.eye(d), -np.eye(d)] * number)
    # Output 0 is the sea, which no unit tells anything.
    last = np.vstack([np.zeros(len(first)), -steepness * np.kron(np.eye(number), np.ones(2 * d))])
    # The units of one island: the positive parts of +-(x - c), whose sum is |x - c|_1.
    thresholds = (first * np.repeat(centres, 2 * d, axis=0)).sum(1)
    return DeepNet([first, last], [-thresholds, np.append(0.0, np.ones(number))])


def whole_line(depth: int) -> DeepNet:
    """The identity of the whole line by ReLUs: its positive and its negative part are carried.

    It costs two a layer, and no ReLU network does it for less.

    >>> whole_line(4)([[-1e6], [2.0]]).ravel().tolist(), whole_line(4).squared_norm
    ([-1000000.0, 2.0], 8.0)
    """
    depth = whole_depth(depth, built=True)
    carried = [np.eye(2)] * (depth - 2)
    nothing = [np.zeros(2)] * (depth - 1)
    return DeepNet([[[1], [-1]], *carried, [[1, -1]]], [*nothing, [0]])


def leaky_whole_line(negative_slope: float, depth: int) -> DeepNet:
    """The identity of the whole line by one leaky unit a layer, for an odd depth and a slope > 0.

    Every layer changes the sign, so that each of two numbers of opposite signs is leaked every
    other time. It costs a^(1/L) / a a layer, for the slope a.

    >>> leaky_whole_line(0.5, 3)([[-4.0], [1.0]]).round(12).ravel().tolist()
    [-4.0, 1.0]
    """
    depth = whole_depth(depth, 1, built=True)
    negative_slope = Activation.checked(negative_slope).negative_slope
    positive_number(negative_slope, "negative_slope", "leaky units pass on what is negative")
    if depth % 2 == 0:
        raise ValueError(f"depth must be odd, not {depth}: every layer changes the sign")
    # What a leaked number loses, (L - 1) / 2 times, is spread over all L weights.
    w = negative_slope ** (-(depth - 1) / (2 * depth))
    return DeepNet([[[-w]]] * (depth - 1) + [[[w]]], [[0]] * depth, negative_slope)


def remade_bend(depth: int) -> DeepNet:
    """The identity of [0, 1], with a unit in every hidden layer that bends at 1/2 and is not used.

    It costs L + 1, and with it every hidden layer has two directions, in the ratio 1 / root(15 L):
    the rate of our bound on the share of a second direction is attained.

    >>> remade_bend(9)([[0.25], [1.0]]).ravel().tolist(), round(remade_bend(9).squared_norm, 12)
    ([0.25, 1.0], 10.0)
    """
    depth = whole_depth(depth, built=True)
    # A layer costs 1 + (5/4) size^2, and all but the last have one such unit.
    size = (4 / 5 / (depth - 1)) ** 0.5
    middle = [[[1, 0], [size, 0]]] * (depth - 2)
    biases: Sequence = [[0, -size / 2]] * (depth - 1)
    return DeepNet([[[1], [size]], *middle, [[1, 0]]], [*biases, [0]])


def unused_constant(depth: int) -> DeepNet:
    """The identity of [0, 1], small in the middle, with a constant as large as it in every layer.

    Uncentred, every hidden layer then has two directions in one ratio, at a cost of L and a
    constant: without centring there is no bound. For an even depth.

    >>> unused_constant(4)([[0.5]]).round(12).tolist(), unused_constant(4).widths
    ([[0.5]], (1, 2, 2, 2, 1))
    """
    depth = whole_depth(depth, built=True)
    if depth % 2:
        raise ValueError(f"depth must be even, not {depth}: the sizes turn in the middle")
    # Minus the logarithm of the size in each layer; its steps are so small that all are cheap.
    shrunk = np.minimum(np.arange(depth + 1), np.arange(depth, -1, -1)) ** 0.4
    w, constant = np.exp(-np.diff(shrunk)), np.exp(-shrunk[1:-1])
    middle = [np.diag([weight, 0]) for weight in w[1:-1]]
    biases = np.stack([0 * constant, constant], axis=1)
    return DeepNet([[[w[0]], [0]], *middle, [[w[-1], 0]]], [*biases, [0]])


def used_constant(depth: int) -> DeepNet:
    """The identity of [0, 1], small in the middle, with a constant in every layer that is used.

    The size falls like 1 / (1 + l / 2) from either end. The unit that hands on adds the constant
    and takes it off by a bias. Rescaled as cheaply as possible, every hidden layer has two
    directions, uncentred, at a cost of L and a constant: balance does not help.

    >>> used_constant(4)([[0.5]]).round(12).tolist(), used_constant(4).widths
    ([[0.5]], (1, 2, 2, 2, 1))
    """
    depth = whole_depth(depth, built=True)
    size = 1 / (1 + np.minimum(np.arange(depth + 1), np.arange(depth, -1, -1)) / 2)
    # To be as cheap as a change of sizes it is handed on with the weight that it has as a value.
    w, constant = size[1:] / size[:-1], np.sqrt(0.5) * size[1:-1]
    pairs = zip(w, [0, *constant], strict=True)
    first, *later = [np.array([[weight, made], [0, 0]]) for weight, made in pairs]
    hidden = [first[:, :1], *later[:-1]]
    taken_off = -np.append(0, constant**2)
    biases = [*np.stack([taken_off[:-1], constant], axis=1), taken_off[-1:]]
    return DeepNet([*hidden, later[-1][:1]], biases)
