"""Rescaling the neurons of a network changes its norm and not its function; the cheapest scales are
unique.

A unit scaled by e^u takes its incoming weights and bias times e^u and its outgoing weights times
e^-u, so the squared
norm is a sum of exponentials of differences of the u: convex. It has one minimiser if every hidden
unit lies on a path of weights that are not zero from a source (an input, or a bias that is not
zero) to an output; other units do nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import spsolve

from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer
from repcost.rounding import UNIT

# Numbers of units differ from layer to layer.
Scales = Float[np.ndarray, " _"]

# Beyond this, squares leave the range of floats.
_LARGEST_WEIGHT = 1e150
_MOST_STEPS = 500


def rebalance(net: DeepNet | TwoLayer) -> DeepNet:
    """The same function with the least sum of squared weights and biases that rescaling the hidden
    units can reach.

    Remark 6 of Jacot (2023), neuron by neuron, for ReLU and leaky units. Units without a path to an
    output or without a source (an input or a bias) are constant zero or unseen, and go. In every
    other one the squared weights and bias it receives then add up to those it sends
    (`neuron_imbalance` is zero).

    >>> steep = DeepNet([[[8.0]], [[0.5]]], [[0.0], [0.0]])
    >>> round(rebalance(steep).squared_norm, 12), round(rebalance(steep)([[1.0]]).item(), 12)
    (8.0, 4.0)
    """
    net = as_deep(net)
    if max(np.abs(part).max(initial=0.0) for part in (*net.weights, *net.biases)) > _LARGEST_WEIGHT:
        raise ValueError(
            f"net has weights beyond {_LARGEST_WEIGHT:g}; divide its layers by powers of two first"
        )
    log_paths = _log_paths(net)
    used = [np.isfinite(into + on) for into, on in log_paths]
    net = _only(used, net)
    start = _starting_scales(
        [(into[some], on[some]) for (into, on), some in zip(log_paths, used, strict=True)]
    )
    return _rescaled(net, _minimised(_Orbit.of(net), start)) if start.size else net


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
    upper, lower = net.squared_norm, float(_received(net, net.depth - 1).sum())
    ratio = np.ones(net.widths[-1])
    for layer in range(net.depth - 1, 0, -1):
        sent = ratio @ net.weights[layer] ** 2
        ratio = sent / _received(net, layer - 1)
        lower += float(sent @ (1 - np.log(ratio)))
    operations = sum(weight.size for weight in net.weights) + net.depth * (max(net.widths) + 20)
    return Bracket(
        max(lower - UNIT * operations * upper, 0.0), upper * (1 + UNIT * operations), "certified"
    )


def neuron_imbalance(net: DeepNet | TwoLayer) -> tuple[Scales, ...]:
    """Per hidden layer and unit: squared incoming weights and bias minus squared outgoing weights.

    Half the derivative of the squared norm by the logarithm of the unit's scale; Remark 6 of Jacot
    (2023).

    >>> [layer.tolist() for layer in neuron_imbalance(DeepNet([[[3.0]], [[2.0]]], [[1.0], [0.0]]))]
    [[6.0]]
    """
    net = as_deep(net)
    layers = range(1, net.depth)
    return tuple(_received(net, layer - 1) - (net.weights[layer] ** 2).sum(0) for layer in layers)


def imbalance(net: DeepNet | TwoLayer) -> Float[np.ndarray, " hidden"]:
    """|W_l|^2 + |b_l|^2 - |W_(l+1)|^2 for l = 1, ..., L - 1: zero at local minima, Proposition 12
    of Jacot (2023).

    >>> imbalance(DeepNet([[[3.0]], [[2.0]]], [[1.0], [0.0]])).tolist()
    [6.0]
    """
    return np.array([layer.sum() for layer in neuron_imbalance(net)])


@dataclass(frozen=True, eq=False)
class _Orbit:
    """sum over edges of exp(2 (log_size + u[into] - u[out_of])), where u[0] = 0 stands for inputs
    and outputs.
    """

    into: Int[np.ndarray, " edges"]
    out_of: Int[np.ndarray, " edges"]
    log_size: Float[np.ndarray, " edges"]

    @classmethod
    def of(cls, net: DeepNet) -> "_Orbit":
        number = _numbers(net)
        edges = []
        for weight, bias, below, here in zip(
            net.weights, net.biases, number, number[1:], strict=False
        ):
            rows, columns = np.nonzero(weight)
            edges.append((here[rows], below[columns], weight[rows, columns]))
            rows = np.flatnonzero(bias)
            edges.append((here[rows], np.zeros_like(rows), bias[rows]))
        into, out_of, size = (np.concatenate(parts) for parts in zip(*edges, strict=True))
        return cls(into, out_of, np.log(np.abs(size)))

    def squares(self, u: Scales) -> Float[np.ndarray, " edges"]:
        u = np.append(0.0, u)
        return np.exp(2 * (self.log_size + u[self.into] - u[self.out_of]))

    def newton(self, squares: Float[np.ndarray, " edges"], units: int) -> tuple[Scales, Scales]:
        """The gradient, and the step to the minimum of the quadratic model."""
        received = np.bincount(self.into, squares, units + 1)[1:]
        sent = np.bincount(self.out_of, squares, units + 1)[1:]
        inner = (self.into > 0) & (self.out_of > 0)
        where = self.into[inner] - 1, self.out_of[inner] - 1
        shared = coo_array((squares[inner], where), shape=(units, units)).tocsc()
        curvature = diags_array(received + sent, format="csc") - shared - shared.T
        gradient = received - sent
        return 2 * gradient, -spsolve(curvature.tocsc(), gradient) / 2


def _minimised(orbit: _Orbit, u: Scales) -> Scales:
    """Newton's method; a step that is too long for the quadratic model is shortened."""
    squares = orbit.squares(u)
    for _ in range(_MOST_STEPS):
        gradient, step = orbit.newton(squares, len(u))
        total, fall = squares.sum(), -float(gradient @ step)
        if fall <= 1e-24 * total:
            return u
        length = min(1.0, 2 / np.abs(step).max())
        # The last term is for rounding, where a step falls by no more than that.
        while orbit.squares(u + length * step).sum() > total * (1 + 1e-14) - 0.1 * length * fall:
            length /= 2
        u = u + length * step
        squares = orbit.squares(u)
    return u


def _starting_scales(log_paths: Sequence[tuple[Scales, Scales]]) -> Scales:
    """Where the product of what reaches a unit and what it reaches would be spread evenly over the
    layers.

    For networks of width one without biases this is the minimiser, and it is the same for all
    networks of one orbit.
    """
    depth = len(log_paths) + 1
    scales = [
        layer / depth * (into + on) - into for layer, (into, on) in enumerate(log_paths, start=1)
    ]
    return np.concatenate([*scales, np.zeros(0)])


def _log_paths(net: DeepNet) -> list[tuple[Scales, Scales]]:
    """Per hidden layer: log of the root of the sum of squared products along all paths into a unit,
    and out of it.
    """
    with np.errstate(divide="ignore"):
        weights = [np.log(np.abs(weight)) for weight in net.weights]
        biases = [np.log(np.abs(bias)) for bias in net.biases]
    into = [np.zeros(net.widths[0])]
    for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
        into.append(np.logaddexp.reduce(2 * np.column_stack([weight + into[-1], bias]), axis=1) / 2)
    on = [np.zeros(net.widths[-1])]
    for weight in weights[:0:-1]:
        on.append(np.logaddexp.reduce(2 * (weight + on[-1][:, None]), axis=0) / 2)
    return list(zip(into[1:], on[:0:-1], strict=True))


def _only(used: Sequence[Bool[np.ndarray, " _"]], net: DeepNet) -> DeepNet:
    """The network without its other hidden units."""
    kept = [np.ones(net.widths[0], dtype=bool), *used, np.ones(net.widths[-1], dtype=bool)]
    weights = [
        weight[here][:, below]
        for weight, below, here in zip(net.weights, kept, kept[1:], strict=False)
    ]
    return DeepNet(
        weights,
        [bias[here] for bias, here in zip(net.biases, kept[1:], strict=True)],
        net.negative_slope,
    )


def _rescaled(net: DeepNet, u: Scales) -> DeepNet:
    """Every hidden unit scaled by the exponential of its entry of u."""
    scale = np.exp(np.append(0.0, u))
    scales = [scale[number] for number in _numbers(net)]
    weights = [
        weight * (here[:, None] / below)
        for weight, below, here in zip(net.weights, scales, scales[1:], strict=False)
    ]
    biases = [bias * here for bias, here in zip(net.biases, scales[1:], strict=True)]
    return DeepNet(weights, biases, net.negative_slope)


def _numbers(net: DeepNet) -> list[Int[np.ndarray, " units"]]:
    """Layer by layer the place of each unit in the list of hidden units, from 1; 0 for inputs and
    outputs.
    """
    ends = np.cumsum([1, *net.widths[1:-1]])
    hidden = [np.arange(start, stop) for start, stop in pairwise(ends)]
    return [
        np.zeros(net.widths[0], dtype=np.int64),
        *hidden,
        np.zeros(net.widths[-1], dtype=np.int64),
    ]


def _received(net: DeepNet, layer: int) -> Scales:
    """The squared weights and bias of each unit that weights[layer] makes."""
    return (net.weights[layer] ** 2).sum(1) + net.biases[layer] ** 2
