"""Ranks of Jacobians at points, proved: what is active there, and a rank modulo a prime.

At a point where it is proved which units are active (`active_units`), the Jacobian is a product of
known matrices, with residues modulo a prime; its rank there is never above the true one
(`residues`). Points where few units are active show few directions, so the search for points also
goes where more of them are.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from jaxtyping import Bool, Float

from repcost import residues
from repcost.deep_networks import DeepNet
from repcost.domains import Corner
from repcost.ranks.active_units import ActiveUnits

__all__ = ["rank_at", "search_points"]

Point = Float[np.ndarray, " d"]
Units = Bool[np.ndarray, " _"]

# Points that a search asks; in one and two variables fewer, as regions say the rest there.
_POINTS, _POINTS_IN_THE_PLANE = 64, 4
# Random points before the search goes uphill at every second one.
_AT_RANDOM = 4
_STEPS = 200


def rank_at(net: DeepNet, low: Corner, high: Corner, X: Iterable[Point], enough: int) -> int:
    """The largest rank of the Jacobian next to these points of the box, or `enough`."""
    units, jacobian, found = ActiveUnits(net, low, high), _JacobianModulo(net, enough), 0
    for x in X:
        if found == enough:
            break
        active = units.around(x)
        if active is not None and jacobian.most(active) > found:
            found = max(found, jacobian.rank(active))
    return found


def search_points(net: DeepNet, low: Corner, high: Corner) -> Iterator[Point]:
    """Points of the box, at random and where more units are active than elsewhere."""
    rng = np.random.default_rng(0)
    for k in range(_POINTS if len(low) > 2 else _POINTS_IN_THE_PLANE):
        share = rng.uniform(size=len(low))
        # Each share for itself: differences of corners may be too large for floats.
        x = np.clip(low * (1 - share) + high * share, low, high)
        yield _uphill(net, low, high, x) if k >= _AT_RANDOM and k % 2 else x


class _JacobianModulo:
    """U J V modulo a prime for the Jacobians J of one network, where U and V keep their ranks."""

    def __init__(self, net: DeepNet, enough: int):
        rng = np.random.default_rng(0)
        inputs, outputs = (
            residues.squeezed(size, enough, rng) for size in (net.widths[0], net.widths[-1])
        )
        first, *others = (residues.residues(weight) for weight in net.weights)
        self._first, self._others = residues.product(first, inputs.T), others
        self._outputs, self._enough = outputs, enough
        slopes = net.activation.slopes(np.array([-1.0, 1.0]))
        self._passes, self._slopes = slopes != 0, residues.residues(slopes)

    def most(self, active: list[Units]) -> int:
        """No rank is above the number of units of a layer that pass something on."""
        return min([self._enough, *(int(self._passes[on.astype(int)].sum()) for on in active)])

    def rank(self, active: list[Units]) -> int:
        product = self._first
        for weight, on in zip(self._others, active, strict=True):
            passed_on = product * self._slopes[on.astype(int)][:, None] % residues.PRIME
            product = residues.product(weight, passed_on)
        return residues.rank(residues.product(self._outputs, product))


def _uphill(net: DeepNet, low: Corner, high: Corner, x: Point) -> Point:
    """Towards points where more units are active, by a gradient in floats; whatever it finds.

    The gradient of the sum over hidden units of [1 - z / (root mean square of its layer)]_+.
    """
    half, best, most = high / 2 - low / 2, x, -1
    with np.errstate(all="ignore"):
        for step in range(_STEPS):
            received = net.preactivations(x[None])[:-1]
            active = min((int((z > 0).sum()) for z in received), default=0)
            if active > most:
                best, most = x, active
            if active == min(net.widths[1:-1], default=0):
                break
            climb = half * _gradient(net, [z[0] for z in received])
            length = np.abs(climb).max()
            if not 0 < length < np.inf:
                break
            # Steps shrink; the border itself is left to points that are given.
            x = x + half * (0.3 / (1 + step / 20)) * climb / length
            x = np.clip(x, low + 1e-6 * half, high - 1e-6 * half)
    return best


def _gradient(net: DeepNet, received: list[Float[np.ndarray, " _"]]) -> Point:
    above = np.zeros(net.widths[-2])
    for layer in reversed(range(net.depth - 1)):
        z = received[layer]
        size = np.sqrt(np.mean(z * z)) + 1e-300
        above = above + (z < 0.3 * size) / size
        # Units that are off would let nothing through, and could then not be turned on.
        above = net.weights[layer].T @ above
        if layer:
            below = received[layer - 1]
            above = above * np.maximum(net.activation.slopes(below), 0.1)
    return above
