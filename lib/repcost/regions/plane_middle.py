"""Networks for bounds by floats: in the middle of the range, where what is zero stays what is zero.

`repcost.far_networks` moves what units receive next to one. Two things are left to do.
"""

import numpy as np

from repcost.deep_networks import DeepNet
from repcost.far_networks import Middle


def nothing_vanishes(middle: Middle, given: DeepNet) -> DeepNet:
    """What became zero on its way to the middle as the smallest float: zeros mean something."""
    if not middle.lost:
        return middle.net
    weights, biases = (
        [
            np.where((there == 0) & (here != 0), np.copysign(2.0**-1074, here), there)
            for here, there in zip(before, after, strict=True)
        ]
        for before, after in (
            (given.weights, middle.net.weights),
            (given.biases, middle.net.biases),
        )
    )
    return given.with_layers(weights, biases)


def heard(net: DeepNet) -> DeepNet:
    """The same function without weights of units that are always zero, which may be of any size."""
    weights, silent = [], np.zeros(net.widths[0], dtype=bool)
    for weight, bias in zip(net.weights, net.biases, strict=True):
        weights.append(np.where(silent, 0.0, weight) if silent.any() else weight)
        silent = (weights[-1] == 0).all(axis=1) & (bias == 0)
    changed = any(new is not old for new, old in zip(weights, net.weights, strict=True))
    return net.with_layers(weights, net.biases) if changed else net
