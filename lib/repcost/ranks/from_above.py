"""The largest rank that a network can have over a box, from its weights alone.

Every Jacobian has the factor W_l, and the function passes through the numbers that layer l
receives, an affine image of what comes out of W_l. So neither rank of the network is above that of
a weight matrix; and rows and columns of units that are off on the whole box do not count.
"""

import numpy as np
from jaxtyping import Bool, Float

from repcost import residues
from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.far_networks import in_the_middle, size_exponents
from repcost.integers import rank_exceeds
from repcost.rounding import TINY, UNIT

__all__ = ["rank_from_above"]

Weight = Float[np.ndarray, "_ _"]
Units = Bool[np.ndarray, " _"]
Floats = Float[np.ndarray, " _"]

# What intervals are enlarged by for the rounding of their own arithmetic.
_GROWN = 1 + 2.0**-40


def rank_from_above(net: DeepNet, low: Corner, high: Corner) -> int:
    """An upper end of the bottleneck rank, and so of the rank of the Jacobian; a proof."""
    off = _off_everywhere(net, low, high)
    parts = [
        _without_zeros(weight[~here][:, ~below])
        for weight, below, here in zip(net.weights, off, off[1:], strict=False)
    ]
    most = min(min(net.widths), *(min(part.shape) for part in parts))
    for part in parts:
        most = min(most, _rank_at_most(part, most))
    return most


def _rank_at_most(weight: Weight, most: int) -> int:
    """`most`, or a smaller rank of the matrix that whole numbers prove."""
    rng = np.random.default_rng(0)
    rows, columns = (residues.squeezed(size, most, rng) for size in weight.shape)
    seen = residues.product(residues.product(rows, residues.residues(weight)), columns.T)
    # The rank modulo a prime is a lower bound, so only less than `most` of it says anything.
    found = residues.rank(seen)
    return found if found < most and not rank_exceeds(weight, found) else most


def _without_zeros(weight: Weight) -> Weight:
    return weight[weight.any(axis=1)][:, weight.any(axis=0)]


def _off_everywhere(net: DeepNet, low: Corner, high: Corner) -> list[Units]:
    """Of each layer, inputs to outputs, the units that pass on zero on the whole box.

    By interval arithmetic, in the middle of the floats, outward.
    """
    middle = in_the_middle(net, size_exponents(np.stack([low, high])))
    near, activation = middle.net, net.activation
    least, most = middle.points(low), middle.points(high)
    off = [np.zeros(len(low), dtype=bool)]
    can_be_off = activation.slopes(np.array([-1.0]))[0] == 0
    for weight, bias in zip(near.weights[:-1], near.biases[:-1], strict=True):
        least, most = _received(weight, bias, least, most)
        off.append((most <= 0) & can_be_off)
        least, most = _passed_on(activation, least, most)
    return [*off, np.zeros(net.widths[-1], dtype=bool)]


def _received(weight: Weight, bias: Floats, least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """The ends of what units receive."""
    up, down = np.maximum(weight, 0.0), np.minimum(weight, 0.0)
    sizes = np.abs(weight) @ np.maximum(np.abs(least), np.abs(most)) + np.abs(bias)
    rounding = (weight.shape[1] + 4) * UNIT * sizes * _GROWN + TINY
    return up @ least + down @ most + bias - rounding, up @ most + down @ least + bias + rounding


def _passed_on(activation, least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """Activations are monotone on both sides of zero, where they are zero."""
    ends = np.stack([activation(least), activation(most), np.zeros_like(least)])
    # Zero is among the values where both signs are; elsewhere an end stands in for it.
    ends[2] = np.where((least < 0) & (most > 0), 0.0, ends[0])
    rounding = 2 * UNIT * np.abs(ends).max(axis=0) + TINY
    return ends.min(axis=0) - rounding, ends.max(axis=0) + rounding
