"""A network along straight segments, with everything that rounding may change bounded.

On a segment the network is piecewise linear. The kinks need not be known exactly: between two
points of a segment, a unit that receives u at one and v at the other passes on what lies on the
chord of its two outputs, up to the bend of its activation times min(|u|, |v|) where the signs
differ. Next to a kink that is nothing but rounding, and it holds wherever the segment was divided.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.activations import Activation
from repcost.deep_networks import DeepNet
from repcost.rounding import TINY, UNIT, gamma
from repcost.scales import lengths

Ends = Float[np.ndarray, "paths d"]
Shares = Float[np.ndarray, " points"]
AtPoints = Float[np.ndarray, "paths points _"]
OnPieces = Float[np.ndarray, "paths pieces _"]


@dataclass(frozen=True, eq=False)
class Image:
    """The images of several segments, divided at the same shares of each.

    values: at the points of division; a piece lies between two neighbours.
    error: what separates the image of a piece from the chord of its two values is shorter.
    """

    values: AtPoints
    error: Float[np.ndarray, "paths pieces"]


def image(net: DeepNet, starts: Ends, ends: Ends) -> Image:
    """The images of the segments from starts[i] to ends[i], divided where units change sides.

    For networks that are `in_the_middle`: what underflows there is less than TINY.
    """
    points = _between(starts, ends, kinks(net, starts, ends))
    # The points, too, are rounded: each lies this close to its segment.
    sizes = (np.abs(starts) + np.abs(ends))[:, None]
    distance = 4 * UNIT * np.repeat(sizes, points.shape[1] - 1, axis=1)
    received, distance = _weighted(net, 0, points, distance)
    for layer in range(1, net.depth):
        distance = _activated(net.activation, received, distance)
        received, distance = _weighted(net, layer, net.activation(received), distance)
    # The bounds are sums of positive numbers, themselves rounded.
    return Image(received, 1.01 * lengths(distance) + TINY)


def kinks(net: DeepNet, starts: Ends, ends: Ends) -> Shares:
    """0, 1 and the shares of the segments at which a hidden unit changes sides, in order."""
    shares = np.array([0.0, 1.0])
    for layer in range(net.depth - 1):
        points = _between(starts, ends, shares)
        received = net.preactivations(points.reshape(-1, points.shape[2]))[layer]
        received = received.reshape(*points.shape[:2], -1)
        path, piece, unit = np.nonzero((received[:, :-1] < 0) != (received[:, 1:] < 0))
        u, v = received[path, piece, unit], received[path, piece + 1, unit]
        # Where the chord is zero. A little off is no harm: see the head of this file.
        crossing = shares[piece] + (shares[piece + 1] - shares[piece]) * (u / (u - v))
        shares = np.unique(np.concatenate([shares, crossing]))
    return shares


def _between(starts: Ends, ends: Ends, shares: Shares) -> Float[np.ndarray, "paths points d"]:
    return starts[:, None] * (1 - shares)[:, None] + ends[:, None] * shares[:, None]


def _weighted(
    net: DeepNet, layer: int, passed: AtPoints, distance: OnPieces
) -> tuple[AtPoints, OnPieces]:
    """What the layer receives, and how far from its chords the exact values may be."""
    weight, bias = net.weights[layer].T, net.biases[layer]
    # A sum of so many products, the bias, and the rounding of what is passed on.
    rounding = gamma(len(weight) + 2) * (np.abs(passed) @ np.abs(weight) + np.abs(bias))
    return passed @ weight + bias, distance @ np.abs(weight) + _larger_end(rounding)


def _activated(activation: Activation, received: AtPoints, distance: OnPieces) -> OnPieces:
    """How far what the units pass on may be from the chords."""
    u, v = received[:, :-1], received[:, 1:]
    bent = np.where((u < 0) != (v < 0), np.minimum(np.abs(u), np.abs(v)), 0.0)
    return distance + activation.bend * bent + UNIT * _larger_end(np.abs(received))


def _larger_end(values: AtPoints) -> OnPieces:
    return np.maximum(values[:, :-1], values[:, 1:])
