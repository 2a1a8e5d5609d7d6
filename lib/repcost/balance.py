"""Rescaling the neurons of a network changes its norm, not its function: the least of the norms.

For a positively homogeneous activation, a unit may take c > 0 times its weights and bias if those
who listen to it take 1/c times theirs. Where nothing can be gained so, each unit receives as much
as it sends, in squared weights (`neuron_imbalance` is zero). That place is found by sweeps over the
layers where these settle soon (`repcost.sweeps`), by Newton's method elsewhere
(`repcost.rescaling`), and `rebalanced_norm` proves how close to the least norm it is.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from repcost.bounds import Bracket
from repcost.conventions import ALL_OF_WEIGHTS_AND_BIASES
from repcost.deep_networks import DeepNet, as_deep
from repcost.idle_units import only_units, used_units
from repcost.networks import TwoLayer
from repcost.rescaling import Scales, cheapest_scales, rescaled
from repcost.rounding import TINY, UNIT
from repcost.scales import exponent_if_far, scaled_back
from repcost.sweeps import swept_scales

# Beyond this, squares leave the range of floats.
_LARGEST_WEIGHT = 1e150
# Largest weights within 2^-200 and 2^200 are near enough to one.
_ROOM = 200


def rebalance(net: DeepNet | TwoLayer) -> DeepNet:
    """The same function with the least squared norm that rescaling the hidden units can reach.

    Remark 6 of Jacot (2023), neuron by neuron, for ReLU and leaky units; weights and biases count.
    Units without a path to an output or without a source (an input or a bias) are constant zero or
    unseen, and go. In every other one the squared weights and bias it receives then add up to
    those it sends (`neuron_imbalance` is zero), up to the rounding of the whole norm. Weights may
    be as small as floats go, and as large as 1e150.

    >>> steep = DeepNet([[[8.0]], [[0.5]]], [[0.0], [0.0]])
    >>> round(rebalance(steep).squared_norm, 12), round(rebalance(steep)([[1.0]]).item(), 12)
    (8.0, 4.0)
    """
    net = _squarable(net)
    # Idle units go first: with them the norm has no least value.
    net = only_units(net, used_units(net))
    scales = swept_scales(net)
    if scales is None:
        scales = cheapest_scales(net)
    return rescaled(net, scales) if scales.size else net


def rebalanced_norm(net: DeepNet | TwoLayer) -> Bracket:
    """The least squared norm of `rebalance`, certified by the dual of this convex problem.

    Any flow from the sources to the outputs that no unit keeps or makes bounds the norm from below:
    for squares C of the weights and a flow f, sum of f (1 - log(f / C)). The flow here is that of
    the squared weights themselves, corrected from the outputs backwards.

    >>> least = rebalanced_norm(DeepNet([[[8.0]], [[0.5]]], [[0.0], [0.0]]))
    >>> 8.0 in least, least.relative_gap < 1e-12
    (True, True)
    """
    net = rebalance(net)
    # Far from one, squares leave the range of floats; there it is a power of two times another.
    exponent = exponent_if_far(*net.weights, *net.biases, room=_ROOM)
    near_one = net.with_layers(*(_divided(parts, exponent) for parts in (net.weights, net.biases)))
    lower, upper = _least_norm(near_one)
    ends = scaled_back(lower, upper, 2 * exponent)
    return Bracket(*ends, "certified", counts=ALL_OF_WEIGHTS_AND_BIASES)


def _least_norm(net: DeepNet) -> tuple[float, float]:
    """The bounds for a balanced network with a largest weight that is not far from one, or zero."""
    if not _largest(net):
        return 0.0, 0.0
    squares, received = _seen_squares(net)
    upper, lower = net.squared_norm, float(received[-1].sum())
    # The flow into a unit, divided by the squares that it receives; one at the outputs.
    ratio = np.ones(net.widths[-1])
    for layer in range(net.depth - 1, 0, -1):
        sent, enters = ratio @ squares[layer], received[layer - 1]
        ratio = sent / np.where(enters > 0, enters, 1.0)
        # Where nothing flows, the logarithm of the ratio is not asked for.
        lower += float(sent @ (1 - np.log(np.where(ratio > 0, ratio, 1.0))))
    # Every weight is squared, scaled and added once; a logarithm counts for a few operations.
    operations = sum(weight.size for weight in net.weights) + net.depth * (max(net.widths) + 20)
    rounding = UNIT * operations
    return max(lower - rounding * upper - TINY, 0.0), upper * (1 + rounding) + TINY


def _seen_squares(net: DeepNet) -> tuple[list[Float[np.ndarray, "_ _"]], list[Scales]]:
    """Squares of the weights, and what each unit receives of squares, layer by layer.

    A unit whose squares underflow passes no flow on: so what it sends is left out.
    """
    squares, received, seen = [], [], np.ones(net.widths[0], dtype=bool)
    for weight, bias in zip(net.weights, net.biases, strict=True):
        squares.append(np.where(seen, weight**2, 0.0))
        received.append(squares[-1].sum(1) + bias**2)
        seen = received[-1] > 0
    return squares, received


def neuron_imbalance(net: DeepNet | TwoLayer) -> tuple[Scales, ...]:
    """Per hidden layer and unit: squared incoming weights and bias minus squared outgoing weights.

    Half the derivative of the squared norm by the logarithm of the unit's scale; Remark 6 of Jacot
    (2023). Weights may be as large as 1e150; squares of those below 1e-162 are zero.

    >>> [layer.tolist() for layer in neuron_imbalance(DeepNet([[[3.0]], [[2.0]]], [[1.0], [0.0]]))]
    [[6.0]]
    """
    net = _squarable(net)
    layers = range(1, net.depth)
    return tuple(_received(net, layer - 1) - (net.weights[layer] ** 2).sum(0) for layer in layers)


def imbalance(net: DeepNet | TwoLayer) -> Float[np.ndarray, " hidden"]:
    """|W_l|^2 + |b_l|^2 - |W_(l+1)|^2 for l = 1, ..., L - 1: zero at local minima.

    Proposition 12 of Jacot (2023). For weights up to 1e150.

    >>> imbalance(DeepNet([[[3.0]], [[2.0]]], [[1.0], [0.0]])).tolist()
    [6.0]
    """
    return np.array([layer.sum() for layer in neuron_imbalance(net)])


def _received(net: DeepNet, layer: int) -> Scales:
    """The squared weights and bias of each unit that weights[layer] makes."""
    return (net.weights[layer] ** 2).sum(1) + net.biases[layer] ** 2


def _squarable(net: DeepNet | TwoLayer) -> DeepNet:
    """The network; ValueError if squares of its weights are no floats."""
    net = as_deep(net)
    if _largest(net) > _LARGEST_WEIGHT:
        raise ValueError(
            f"net has weights beyond {_LARGEST_WEIGHT:g}; divide its layers by powers of two first"
        )
    return net


def _largest(net: DeepNet) -> float:
    parts = (*net.weights, *net.biases)
    return float(max(max(part.max(initial=0.0), -part.min(initial=0.0)) for part in parts))


def _divided(parts: Sequence[np.ndarray], exponent: int) -> list[np.ndarray]:
    return [np.ldexp(part, -exponent) for part in parts]
