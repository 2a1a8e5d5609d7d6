"""What a network found by somebody pays for a given function, and whether it has that function.

For the open questions of the book: a construction is a record if its `per_layer` lies below what is
known, and its `miss` is rounding.
"""

from dataclasses import dataclass

import numpy as np

from repcost.balance import rebalanced_norm
from repcost.bounds import Bracket
from repcost.conventions import PER_LAYER
from repcost.costs.per_layer import deepened
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Domain
from repcost.joined import added
from repcost.networks import TwoLayer
from repcost.regions import linear_regions


@dataclass(frozen=True)
class Score:
    """per_layer: squares of all weights and biases over the depth, once the units are rescaled.

    miss: the largest difference from the function at a corner of a region. Both are affine in each,
    so it is the largest on the domain, up to rounding.
    """

    depth: int
    per_layer: Bracket
    miss: float


def score(net: DeepNet | TwoLayer, target: DeepNet | TwoLayer, domain: Domain) -> Score:
    """What `net` pays, and how far it is from the function of `target` on the box `domain`.

    In one and two variables.

    >>> line, twice = DeepNet([[[1.0]]], [[0.0]]), DeepNet([[[2.0]], [[0.5]]], [[0.0], [0.0]])
    >>> found = score(twice, line, ([0.0], [1.0]))
    >>> found.depth, 1.0 in found.per_layer, found.miss
    (2, True, 0.0)
    """
    net, target = as_deep(net), as_deep(target, "target")
    depth = max(net.depth, target.depth)
    ours, theirs = (deepened(each, depth, domain) for each in (net, target))
    difference = added(ours, _negated(theirs))
    corners = [region.vertices for region in linear_regions(difference, domain)]
    miss = np.abs(difference(np.vstack(corners))).max()
    paid = rebalanced_norm(net)
    # A quotient is rounded once.
    lower = np.nextafter(paid.lower / net.depth, -np.inf)
    upper = np.nextafter(paid.upper / net.depth, np.inf)
    per_layer = Bracket(float(lower), float(upper), "certified", counts=PER_LAYER)
    return Score(net.depth, per_layer, float(miss))


def _negated(net: DeepNet) -> DeepNet:
    weights = [*net.weights[:-1], -net.weights[-1]]
    return net.with_layers(weights, [*net.biases[:-1], -net.biases[-1]])
