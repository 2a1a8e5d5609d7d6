"""Networks and boxes of the plane, and some of space, that are made to defeat floats."""

import numpy as np
from numpy.random import default_rng

from repcost import DeepNet
from repcost.datasets import random_network

SQUARE = ([-1.0, -1.0], [1.0, 1.0])
CUBE = ([-1.0] * 3, [1.0] * 3)


def drawn(*widths, seed=0, slope=0.0, kind="normal"):
    return random_network(*widths, rng=default_rng(seed), kind=kind, negative_slope=slope)


def duplicated(n, seed, slope=0.0, ulps=0, d=2):
    """Units twice, one of them the other way around, up to so many units in the last place."""
    net = drawn(d, n, n, 2, seed=seed, slope=slope)
    W, b = [w.copy() for w in net.weights], [x.copy() for x in net.biases]
    for layer in range(2):
        half = n // 2
        W[layer][half:], b[layer][half:] = W[layer][: n - half], b[layer][: n - half]
        for _ in range(ulps):
            W[layer][half] = np.nextafter(W[layer][half], np.inf)
        W[layer][n - 1] *= -3
        b[layer][n - 1] *= -3
        # A unit of zeros, and one that is constant.
        W[layer][:2], b[layer][0] = 0, 0
    return DeepNet(W, b, slope)


def concurrent(n, seed, d=2):
    """All lines through one point, up to rounding, and no biases above."""
    rng = default_rng(seed)
    at, W = rng.uniform(-0.5, 0.5, d), rng.normal(size=(n, d))
    above = [rng.normal(size=(n, n)), rng.normal(size=(2, n))]
    return DeepNet([W, *above], [-(W @ at), np.zeros(n), np.zeros(2)])


def without_biases(*widths, seed=0, slope=0.0):
    net = drawn(*widths, seed=seed, slope=slope)
    return net.with_layers(net.weights, [0 * bias for bias in net.biases])


def shaken(size, seed, n=6, d=2):
    """Whole weights, so that lines coincide and meet in threes, and then nearly so."""
    rng, net = default_rng(seed), drawn(d, n, n, 2, seed=seed, kind="whole")
    W, b = ([part + size * rng.normal(size=part.shape) for part in net.weights], net.biases)
    return net.with_layers(W, b)


def thirds(n, seed, slope=0.0, d=2):
    """Entries k / 3 and k / 10, rounded: what would meet in a point misses it by a rounding."""
    rng = default_rng(seed)
    shapes, by = [(n, d), (n, n), (2, n)], (3, 10, 7)
    W = [rng.integers(-4, 5, shape) / k for shape, k in zip(shapes, by, strict=True)]
    return DeepNet(W, [rng.integers(-4, 5, n) / 3, rng.integers(-4, 5, n) / 10, [0, 0]], slope)


def cancelling(seed, slope=0.0, n=8, d=2):
    """Differences of units that are nearly the same, twice."""
    net, rng = drawn(d, n, n, n, 2, seed=seed, slope=slope), default_rng(seed)
    W = [w.copy() for w in net.weights]
    for layer in (0, 1):
        W[layer][1::2] = W[layer][::2] * (1 + 2.0**-40 * rng.normal(size=(n // 2, 1)))
        W[layer + 1][:, 1::2] = -W[layer + 1][:, ::2]
    return net.with_layers(W, net.biases)


def scaled(net, exponents):
    """Layers times powers of two, with biases that follow."""
    totals = np.cumsum(exponents)
    W = [np.ldexp(w, e) for w, e in zip(net.weights, exponents, strict=True)]
    return net.with_layers(W, [np.ldexp(b, e) for b, e in zip(net.biases, totals, strict=True)])


def of_all_sizes(seed, slope=0.0, d=2):
    rng, net = default_rng(seed), drawn(d, 5, 5, 2, seed=seed, slope=slope)
    first, second = rng.integers(-600, 600, 5), rng.integers(-300, 300, (5, 5))
    W = [np.ldexp(net.weights[0], first[:, None]), np.ldexp(net.weights[1], second)]
    b = [np.ldexp(net.biases[0], first), *net.biases[1:]]
    return net.with_layers([*W, net.weights[2]], b)


def unheard(seed, slope=0.0, n=6, d=2):
    """Units that are always zero, with weights at the end of the range of floats after them."""
    net = drawn(d, n, n, n, 2, seed=seed, slope=slope)
    W, b = [w.copy() for w in net.weights], [x.copy() for x in net.biases]
    for layer in range(3):
        W[layer][0], b[layer][0] = 0, 0
        W[layer + 1][1:, 0] = 1.7e308
    return DeepNet(W, b, slope)


def subnormal(seed, d=2):
    """A first layer of subnormals, which leaky units pass on rounded."""
    net = drawn(d, 4, 4, 2, seed=seed, slope=0.3)
    return scaled(net, [-1070, 900, 0])


# Rows without units, with one line through a corner of the box, thinner than any sample.
_BY_HAND = {
    "no units": (DeepNet([np.zeros((0, 2)), np.zeros((1, 0))], [[], [1.0]]), SQUARE),
    "linear": (DeepNet([[[1.0, 2.0]]], [[0.5]]), SQUARE),
    "dead": (DeepNet([[[1, 0]], [[1]], [[1]]], [[-2], [0], [0]]), SQUARE),
    "diagonals": (DeepNet([[[1, 1], [1, -1], [2, 2]], [[1, 1, 1]]], [[0, 0, 0], [0]]), SQUARE),
    "thin": (DeepNet([[[1, 0], [1, 0]], [[1, -1]]], [[0, -(2.0**-1000)], [0]]), SQUARE),
    "overflow": (
        DeepNet([[[1.1 * 2.0**1020, -0.9 * 2.0**1020]], [[1]]], [[-0.9 * 1.999 * 2.0**1023], [0]]),
        ([15, 15], [16, 16]),
    ),
}
_BOXES = {
    "far box": ([1e8, 1e8], [1e8 + 1, 1e8 + 2]),
    "thin box": ([0.1, -1], [0.1 + 1e-13, 1]),
    "one ulp": ([0.1, 0.1], [np.nextafter(0.1, 1), np.nextafter(0.1, 1)]),
    "large box": ([-1e12, -1e9], [1e12, 1e10]),
    "huge box": ([-(2.0**1000), -(2.0**-1000)], [2.0**999, 2.0**-1001]),
    "tiny box": ([5e-324, -1e-323], [1e-322, 1e-322]),
    "thirds": ([-1 / 3, -0.1], [2 / 3, 0.7]),
}


def hostile(seed):
    """Pairs of a network and a box, by name."""
    slope = (0.0, 0.3, -0.7)[seed % 3]
    nets = {
        "duplicated": duplicated(6, seed, slope),
        "one ulp apart": duplicated(6, seed, slope, ulps=1),
        "concurrent": concurrent(5, seed),
        "without biases": without_biases(2, 6, 6, 2, seed=seed, slope=slope),
        "whole": drawn(2, 6, 6, 2, seed=seed, slope=slope, kind="whole"),
        "thirds": thirds(6, seed, slope),
        "cancelling": cancelling(seed, slope),
        "deep": drawn(2, *[5] * 10, 2, seed=seed, slope=slope),
        "huge": scaled(drawn(2, 5, 5, 2, seed=seed), [300, 300, 300]),
        "tiny": scaled(drawn(2, 5, 5, 2, seed=seed), [-300, -300, -300]),
        "up and down": scaled(drawn(2, 5, 5, 2, seed=seed, slope=slope), [-500, 600, -400]),
        "of all sizes": of_all_sizes(seed, slope),
        "subnormal": subnormal(seed),
        "unheard": unheard(seed, slope),
    }
    nets |= {f"shaken by {size}": shaken(size, seed) for size in (1e-17, 1e-15, 1e-12, 1e-6)}
    found = {name: (net, SQUARE) for name, net in nets.items()}
    found |= {name: (drawn(2, 5, 5, 2, seed=seed), box) for name, box in _BOXES.items()}
    return found | (_BY_HAND if seed == 0 else {})
