"""Networks and boxes of space that are made to defeat floats."""

import numpy as np

from repcost import DeepNet
from tests.hostile_plane import (
    CUBE,
    cancelling,
    concurrent,
    drawn,
    duplicated,
    of_all_sizes,
    scaled,
    shaken,
    subnormal,
    thirds,
    unheard,
    without_biases,
)

# Planes through sides and corners of the cube, twice, and thinner than any sample.
_BY_HAND = {
    "no units": (DeepNet([np.zeros((0, 3)), np.zeros((1, 0))], [[], [1.0]]), CUBE),
    "linear": (DeepNet([[[1.0, 2.0, 3.0]]], [[0.5]]), CUBE),
    "dead": (DeepNet([[[1, 0, 0]], [[1]], [[1]]], [[-2], [0], [0]]), CUBE),
    "diagonals": (
        DeepNet(
            [[[1, 1, 0], [1, -1, 0], [0, 1, 1], [2, 2, 0], [1, 1, 1]], [[1] * 5]], [[0] * 5, [0]]
        ),
        CUBE,
    ),
    "corners cut off": (
        DeepNet([[[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]], [[1] * 4]], [[-1] * 4, [0]]),
        CUBE,
    ),
    "octahedron": (
        DeepNet(
            [[[i, j, 1] for i in (1, -1) for j in (1, -1)] * 2, [[1] * 8]],
            [[1] * 4 + [-1] * 4, [0]],
        ),
        CUBE,
    ),
    "thin": (
        DeepNet([[[1, 0, 0], [1, 0, 0]], [[1, -1]]], [[0, -(2.0**-1000)], [0]]),
        CUBE,
    ),
    "overflow": (
        DeepNet(
            [[[1.1 * 2.0**1020, -0.9 * 2.0**1020, 2.0**1000]], [[1]]],
            [[-0.9 * 1.999 * 2.0**1023], [0]],
        ),
        ([15] * 3, [16] * 3),
    ),
}
_BOXES = {
    "far box": ([1e8, 1e8, -1e8], [1e8 + 1, 1e8 + 2, 1 - 1e8]),
    "thin box": ([0.1, -1, -1], [0.1 + 1e-13, 1, 1]),
    "one ulp": ([0.1] * 3, [np.nextafter(0.1, 1)] * 3),
    "large box": ([-1e12, -1e9, -1], [1e12, 1e10, 1]),
    "huge box": ([-(2.0**1000), -(2.0**-1000), -1], [2.0**999, 2.0**-1001, 1]),
    "tiny box": ([5e-324, -1e-323, 0], [1e-322, 1e-322, 1e-320]),
    "thirds": ([-1 / 3, -0.1, 0.1], [2 / 3, 0.7, 0.3]),
}


def hostile(seed):
    """Pairs of a network and a box, by name."""
    slope = (0.0, 0.3, -0.7)[seed % 3]
    nets = {
        "duplicated": duplicated(5, seed, slope, d=3),
        "one ulp apart": duplicated(5, seed, slope, ulps=1, d=3),
        "concurrent": concurrent(4, seed, d=3),
        "without biases": without_biases(3, 4, 4, 2, seed=seed, slope=slope),
        "whole": drawn(3, 4, 4, 2, seed=seed, slope=slope, kind="whole"),
        "thirds": thirds(4, seed, slope, d=3),
        "cancelling": cancelling(seed, slope, n=4, d=3),
        "deep": drawn(3, *[3] * 8, 2, seed=seed, slope=slope),
        "huge": scaled(drawn(3, 4, 3, 2, seed=seed), [300, 300, 300]),
        "tiny": scaled(drawn(3, 4, 3, 2, seed=seed), [-300, -300, -300]),
        "up and down": scaled(drawn(3, 4, 3, 2, seed=seed, slope=slope), [-500, 600, -400]),
        "of all sizes": of_all_sizes(seed, slope, d=3),
        "subnormal": subnormal(seed, d=3),
        "unheard": unheard(seed, slope, n=4, d=3),
    }
    nets |= {f"shaken by {size}": shaken(size, seed, 4, 3) for size in (1e-17, 1e-15, 1e-12, 1e-6)}
    found = {name: (net, CUBE) for name, net in nets.items()}
    found |= {name: (drawn(3, 4, 3, 2, seed=seed), box) for name, box in _BOXES.items()}
    return found | (_BY_HAND if seed == 0 else {})
