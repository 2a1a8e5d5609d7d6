"""From proposals to networks with a true price: what rounding left over is paid for (Fact 8)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.costs.linear_layers.phi import linear_layers_cost
from repcost.costs.plane.directions import (
    Direction,
    Directions,
    Points,
    Values,
    spread_direction,
    unit_vectors,
)
from repcost.costs.plane.parallel_units import parallel_network
from repcost.costs.plane.samples import NormalisedSamples
from repcost.costs.plane.units import ThresholdUnits
from repcost.networks import TwoLayer
from repcost.rounding import UNIT

# For so little fewer units are better.
_AS_CHEAP = 1e-10
# Shortfalls above this, for each unit of path norm, are mended by units of their own, below it by
# hats that are only priced.
_ROUNDING = 2.0**-46
# A hat of height r and width 2 gap has slopes r/gap, so path norm 4 r/gap; .01 is for rounding.
_HAT = 4.01
# Levels of points are known to this, for each unit of |direction|_1.
_LEVEL = 8 * UNIT
# Directions in which hats are looked for.
_ANGLES = np.pi / 90 * np.arange(90)


@dataclass(frozen=True, eq=False)
class PricedNetwork:
    """A network, and an upper end of R_L that an exact interpolant next to it has."""

    network: TwoLayer
    cost: float


@dataclass(frozen=True, eq=False)
class Hats:
    """For each point a direction and, from below, how near another level comes along it."""

    directions: Directions
    gaps: Float[np.ndarray, " n"]

    @classmethod
    def anywhere(cls, points: Points) -> "Hats":
        """Each point has the direction, of many, along which the others stay farthest away."""
        directions = unit_vectors(_ANGLES)
        heights = points @ directions.T
        order = np.argsort(heights, axis=0)
        steps = np.diff(np.take_along_axis(heights, order, axis=0), axis=0)
        # A hat has to end before both neighbours, and the outermost points have one.
        nearest = np.minimum(
            np.pad(steps, [(1, 0), (0, 0)], constant_values=np.inf),
            np.pad(steps, [(0, 1), (0, 0)], constant_values=np.inf),
        )
        gaps = np.empty_like(nearest)
        np.put_along_axis(gaps, order, nearest, axis=0)
        best = np.argmax(gaps, axis=1)
        return cls(directions[best], gaps.max(axis=1) - _LEVEL * np.sqrt(2))

    @classmethod
    def along(cls, samples: NormalisedSamples, direction: Direction) -> "Hats":
        """All in one direction, along which points may share a level and then share a hat."""
        first, level = samples.levels(direction)
        at_level = samples.given_values[first]
        gap = -1.0
        if (at_level[level] == samples.given_values).all():
            t = np.sort(samples.points[first] @ direction)
            gap = float(np.diff(t).min(initial=np.inf)) - _LEVEL * float(np.abs(direction).sum())
        n = len(samples.values)
        return cls(np.tile(direction, (n, 1)), np.full(n, gap))

    def beside(self, net: TwoLayer, shortfalls: Values) -> TwoLayer:
        """The network with a unit in place of each hat, that has the path norm of the hat."""
        used = shortfalls != 0
        sizes = _HAT * np.abs(shortfalls[used]) / self.gaps[used]
        W, a = np.vstack([net.W, self.directions[used]]), np.append(net.a, sizes)
        return TwoLayer(W, a)


def repaired(
    samples: NormalisedSamples,
    net: TwoLayer,
    depth: int,
    *,
    patch: Direction,
    along: Direction | None = None,
) -> PricedNetwork:
    """Units in the direction `patch` make up for shortfalls, and hats for what even these leave.

    Hats are all `along` one direction if it is given. Infinite where two points are so close that
    they have none, or where points of different values meet along the direction.
    """
    shortfalls = samples.shortfalls(net)
    if np.abs(shortfalls).max() > _ROUNDING * (1 + net.path_norm):
        mended = parallel_network(samples, shortfalls, patch)
        if mended is not None:
            net = _side_by_side(net, mended)
            shortfalls = samples.shortfalls(net)
    hats = Hats.anywhere(samples.points) if along is None else Hats.along(samples, along)
    if (hats.gaps <= 0).any():
        return PricedNetwork(net, np.inf)
    return PricedNetwork(net, linear_layers_cost(hats.beside(net, shortfalls), depth).upper)


def best_repaired(
    samples: NormalisedSamples, proposals: list[ThresholdUnits], depth: int
) -> PricedNetwork:
    """The network of fewest units among the cheapest that come of the proposals."""
    patch = spread_direction(samples.points)
    networks = []
    for proposal in proposals:
        net = proposal.refitted(samples.points, samples.values).network(samples.points)
        networks.append(repaired(samples, net, depth, patch=patch))
    limit = min(net.cost for net in networks) * (1 + _AS_CHEAP)
    cheapest = (net for net in networks if net.cost <= limit)
    return min(cheapest, key=lambda priced: priced.network.width)


def _side_by_side(one: TwoLayer, other: TwoLayer) -> TwoLayer:
    pairs = ((one.W, other.W), (one.a, other.a), (one.b, other.b))
    W, a, b = (np.concatenate(pair) for pair in pairs)
    return TwoLayer(W, a, b, one.c + other.c)
