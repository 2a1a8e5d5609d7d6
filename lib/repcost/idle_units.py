"""Hidden units that do nothing: those without a source are constant zero, others are never seen.

A source is an input, or a bias that is not zero. A unit works if it lies on a path of weights that
are not zero from a source to an output.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Bool

from repcost.deep_networks import DeepNet

Which = Bool[np.ndarray, " _"]


def used_units(net: DeepNet) -> list[Which]:
    """Of each hidden layer, which units have a path from a source and one to an output."""
    if min(net.widths) and all(weight.all() for weight in net.weights):
        return [np.ones(width, dtype=bool) for width in net.widths[1:-1]]
    there = [(weight != 0).astype(float) for weight in net.weights]
    into, on = [np.ones(net.widths[0], dtype=bool)], [np.ones(net.widths[-1], dtype=bool)]
    # Products of zeros and ones count the neighbours that have a path.
    for ties, bias in zip(there[:-1], net.biases, strict=False):
        into.append((ties @ into[-1] > 0) | (bias != 0))
    for ties in there[:0:-1]:
        on.append(on[-1] @ ties > 0)
    return [source & seen for source, seen in zip(into[1:], on[:0:-1], strict=True)]


def only_units(net: DeepNet, used: Sequence[Which]) -> DeepNet:
    """The network without its other hidden units; itself if there are none."""
    if all(each.all() for each in used):
        return net
    kept = [np.ones(net.widths[0], dtype=bool), *used, np.ones(net.widths[-1], dtype=bool)]
    weights = [
        weight[here][:, below]
        for weight, (below, here) in zip(net.weights, pairwise(kept), strict=True)
    ]
    biases = [bias[here] for bias, here in zip(net.biases, kept[1:], strict=True)]
    return net.with_layers(weights, biases)
