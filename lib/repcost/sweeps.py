"""The cheapest scales of a shallow or wide network by sweeps: each unit in turn at its best.

Write x for the square of a unit's scale. In squares it receives r x and sends s / x, where r and s
are sums over the units beside it,

    r = sum of W^2 / x_below + b^2,    s = sum of x_above W^2,

and x = sqrt(s / r) makes the two equal, the least that they can add up to. All units of one layer
can be set at once, as none of them sees another: two products of a matrix and a vector. So a sweep
over the layers costs little more than reading the weights, and never raises the norm. This is how
Stock et al. (2019, "Equi-normalization of neural networks") rescale, without touching the weights.

Errors shrink by a factor in each sweep. In a network of few layers that is a half or less; along a
chain of L layers it is cos^2(pi / L), so deep networks are left to Newton's method (`rescaling`),
as is every network whose sweeps turn out to be slow, or whose squares may leave the floats.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet

# Numbers of units differ from layer to layer.
Scales = Float[np.ndarray, " _"]
Squares = Float[np.ndarray, "_ _"]

# Squares that are zero or within these have products with squared scales, and those are within them
# too, among the floats.
_SMALLEST, _LARGEST = 1e-120, 1e120
# Beyond this depth sweeps only pay in wide layers, where a step of Newton's is dear: so many units
# per layer.
_SHALLOW, _UNITS_PER_LAYER = 8, 16
# The last sweep changes no x by a larger part than this; then rounding is what is left.
_STEADY = 2e-13
# After each of so many sweeps it is asked how many more will be needed; at most these.
_SWEEPS_BETWEEN, _MOST_SWEEPS = 4, 400


def swept_scales(net: DeepNet) -> Scales | None:
    """The logarithms of all scales, or None where Newton's method is needed.

    All hidden units have a path from a source and one to an output.

    >>> (2 * swept_scales(DeepNet([[[8.0]], [[0.5]]], [[0.0], [0.0]]))).tolist() == [np.log(1 / 16)]
    True
    """
    if not _is_for_sweeps(net):
        return None
    layers = _Layers.of(net)
    x = _settled(layers) if layers.keep_their_digits(net) else None
    return None if x is None else np.log(np.concatenate(x)) / 2


def _is_for_sweeps(net: DeepNet) -> bool:
    hidden = net.widths[1:-1]
    return bool(hidden) and net.depth <= max(_SHALLOW, max(hidden) / _UNITS_PER_LAYER)


def _are_near_one(squares: np.ndarray, wanted: np.ndarray | bool) -> bool:
    """Whether these positive numbers are, or those of them that are wanted."""
    if squares.max(initial=0.0) > _LARGEST:
        return False
    # The usual case needs no table.
    small = squares.min(initial=1.0) < _SMALLEST
    return not (small and np.any((squares < _SMALLEST) & wanted))


@dataclass(frozen=True, eq=False)
class _Layers:
    """Squares of weights and biases, layer by layer."""

    weights: list[Squares]
    biases: list[Scales]

    @classmethod
    def of(cls, net: DeepNet) -> "_Layers":
        return cls([weight**2 for weight in net.weights], [bias**2 for bias in net.biases])

    def keep_their_digits(self, net: DeepNet) -> bool:
        """Whether the squares of all that is not zero in the network are near one."""
        pairs = zip((*self.weights, *self.biases), (*net.weights, *net.biases), strict=True)
        return all(_are_near_one(squares, part != 0) for squares, part in pairs)

    def sweep(self, x: list[Scales]) -> None:
        """Every hidden layer once, from the inputs up; x of a layer is what follows the x below."""
        below = np.ones(self.weights[0].shape[1])
        for layer in range(len(x)):
            above = x[layer + 1] if layer + 1 < len(x) else np.ones(len(self.weights[-1]))
            received = self.weights[layer] @ below + self.biases[layer]
            x[layer] = np.sqrt((above @ self.weights[layer + 1]) / received)
            below = 1 / x[layer]


def _settled(layers: _Layers) -> list[Scales] | None:
    """Squared scales at which a sweep changes nothing; None if that is far off."""
    x, last = [np.ones(len(bias)) for bias in layers.biases[:-1]], np.inf
    for _ in range(_MOST_SWEEPS // _SWEEPS_BETWEEN):
        for _ in range(_SWEEPS_BETWEEN - 1):
            layers.sweep(x)
        before = x.copy()
        layers.sweep(x)
        change = max(_change(*both) for both in zip(before, x, strict=True))
        if change <= _STEADY:
            return x if all(_are_near_one(each, True) for each in x) else None
        if not _sweeps_to_come(change, change / last) <= _MOST_SWEEPS:
            return None
        last = change
    return None


def _change(before: Scales, after: Scales) -> float:
    return float(np.abs(after / before - 1).max(initial=0.0))


def _sweeps_to_come(change: float, ratio: float) -> float:
    """Until the change is small enough, if it goes on falling by this ratio."""
    if not ratio < 1:
        return np.inf
    return _SWEEPS_BETWEEN * np.log(_STEADY / change) / np.log(ratio) if ratio > 0 else 0.0
