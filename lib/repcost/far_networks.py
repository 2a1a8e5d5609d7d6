"""Networks beside the ends of the range of floats, moved to its middle without rounding.

What `repcost.scales` does to arrays, unit by unit. Activations are positively homogeneous: what a
unit receives may be divided by a power of two if those who listen to it multiply by it. So every
network is, exactly, one whose units receive at most one, between powers of two at its inputs and
its outputs. There nothing overflows, and what underflows is less than `rounding.TINY`. Ends of what
is measured there come back by `scales.scaled_back`.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int

from repcost.deep_networks import DeepNet
from repcost.rounding import TINY

__all__ = ["Middle", "in_the_middle", "size_exponents"]

# Numbers of units differ from layer to layer.
Exponents = Int[np.ndarray, " _"]
Weight = Float[np.ndarray, "_ _"]
Floats = Float[np.ndarray, "..."]

# Networks whose units all stay within 2^-40 and 2^40 are left as they are.
_ROOM = 40
# Of what is zero: so small that it never is the largest.
_ZERO = -(2**40)


@dataclass(frozen=True, eq=False)
class Middle:
    """`net` is the network for points divided by 2^exponents[0], and its outputs by the last.

    exponents: of inputs, hidden layers and outputs; all outputs have the same.
    """

    net: DeepNet
    exponents: tuple[Exponents, ...]

    def points(self, X: Floats) -> Floats:
        """Points of the given network as points of this one."""
        return _shifted(X, -self.exponents[0])

    def weight(self, layer: int, weight: Weight) -> Weight:
        """A matrix for this layer of the given network, as one of this."""
        return _between(weight, self.exponents[layer], self.exponents[layer + 1])

    @property
    def top(self) -> int:
        """Outputs are those of `net` times 2^top."""
        return int(self.exponents[-1][0]) if len(self.exponents[-1]) else 0

    @property
    def lost(self) -> float:
        """More than what numbers that were moved below all floats can change at the outputs."""
        return TINY if any(part.any() for part in self.exponents) else 0.0


def in_the_middle(net: DeepNet, reach: Exponents) -> Middle:
    """The network for points whose coordinates are below 2^reach in size."""
    exponents = _at_some_size(net, _received(net, reach))
    sizes = np.concatenate([np.append(part, 0) for part in exponents])
    if np.abs(sizes[sizes > _ZERO // 2]).max() <= _ROOM:
        return Middle(net, tuple(np.zeros_like(part) for part in exponents))
    weights = [
        _between(weight, *ends)
        for weight, ends in zip(net.weights, pairwise(exponents), strict=True)
    ]
    biases = [_shifted(bias, -here) for bias, here in zip(net.biases, exponents[1:], strict=True)]
    return Middle(net.with_layers(weights, biases), tuple(exponents))


def size_exponents(X: Floats) -> Exponents:
    """Of each column the least e with all entries below 2^e in size."""
    return _exponents(X).max(axis=0, initial=_ZERO)


def _received(net: DeepNet, reach: Exponents) -> list[Exponents]:
    """Powers of two that bound what the units of each layer receive."""
    found = [reach]
    for weight, bias in zip(net.weights, net.biases, strict=True):
        terms = np.column_stack([weight, bias])
        shifts = np.append(found[-1], 0)
        top = (_exponents(terms) + shifts).max(axis=1, initial=_ZERO)
        sums = _shifted(np.abs(terms), shifts - top[:, None]).sum(axis=1)
        found.append(np.where(sums > 0, top + np.frexp(sums)[1], _ZERO))
    # Distances between outputs add up squares, so these have one power in common.
    common = found[-1].max(initial=_ZERO)
    found[-1] = np.full_like(found[-1], common if common > _ZERO // 2 else 0)
    return found


def _at_some_size(net: DeepNet, exponents: list[Exponents]) -> list[Exponents]:
    """Units that receive nothing as large as the others, where what they send stays below one.

    So other matrices than those of the network (`Middle.weight`) can be moved there as well.
    """
    found = list(exponents)
    for layer, weight in enumerate(net.weights[1:], start=1):
        nothing = found[layer] <= _ZERO // 2
        most = found[layer].max(initial=_ZERO)
        sent = (_exponents(weight) - found[layer + 1][:, None]).max(axis=0, initial=_ZERO)
        room = np.minimum(
            0 if most <= _ZERO // 2 else most, np.where(sent > _ZERO // 2, -sent, most)
        )
        found[layer] = np.where(nothing, room, found[layer])
    return found


def _exponents(X: Floats) -> Int[np.ndarray, "..."]:
    return np.where(X == 0, _ZERO, np.frexp(X)[1].astype(np.int64))


def _between(weight: Weight, below: Exponents, here: Exponents) -> Weight:
    return _shifted(weight, below - here[:, None])


def _shifted(X: Floats, by: Int[np.ndarray, "..."]) -> Floats:
    """X times 2^by. Beyond 2^5000 either way, nothing is left of any float."""
    return np.ldexp(X, np.clip(by, -5000, 5000).astype(np.int32))
