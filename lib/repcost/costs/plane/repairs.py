"""From proposals to networks with a true price: what rounding left over is paid for (Fact 7)."""

from dataclasses import dataclass

import numpy as np

from repcost.costs.linear_layers.phi import linear_layers_cost
from repcost.costs.plane.arcs import Direction, spread_direction
from repcost.costs.plane.parallel_units import parallel_network
from repcost.costs.plane.samples import NormalisedSamples
from repcost.costs.plane.units import ThresholdUnits
from repcost.networks import TwoLayer
from repcost.rounding import UNIT

# For so little fewer units are better.
_AS_CHEAP = 1e-10
# Shortfalls above this are mended by units of their own, below it by hats that are only priced.
_ROUNDING = 2.0**-45
# A hat of height r and width 2 gap has slopes r/gap, so path norm 4 r/gap; .01 is for rounding.
_HAT = 4.01


@dataclass(frozen=True, eq=False)
class PricedNetwork:
    """A network, and an upper end of R_L that an exact interpolant next to it has."""

    network: TwoLayer
    cost: float


def repaired(
    samples: NormalisedSamples, net: TwoLayer, along: Direction, depth: int
) -> PricedNetwork:
    """Units along one direction make up for shortfalls, and hats for what even these leave.

    Hats along one direction cost what one unit with their path norms in sum costs, so that unit
    is priced with the network. Infinite if points of different values meet along the direction.
    """
    shortfalls = samples.shortfalls(net)
    if np.abs(shortfalls).max() > _ROUNDING:
        patch = parallel_network(samples, shortfalls, along)
        if patch is not None:
            net = _side_by_side(net, patch)
            shortfalls = samples.shortfalls(net)
    gap = _least_gap(samples, along)
    if gap <= 0:
        return PricedNetwork(net, np.inf)
    W, a = np.vstack([net.W, along]), np.append(net.a, _HAT * np.abs(shortfalls).sum() / gap)
    return PricedNetwork(net, linear_layers_cost(TwoLayer(W, a), depth).upper)


def best_repaired(
    samples: NormalisedSamples, proposals: list[ThresholdUnits], depth: int
) -> PricedNetwork:
    """The network of fewest units among the cheapest that come of the proposals."""
    along = spread_direction(samples.points)
    networks = []
    for proposal in proposals:
        net = proposal.refitted(samples.points, samples.values).network(samples.points)
        networks.append(repaired(samples, net, along, depth))
    limit = min(net.cost for net in networks) * (1 + _AS_CHEAP)
    cheapest = (net for net in networks if net.cost <= limit)
    return min(cheapest, key=lambda priced: priced.network.width)


def _least_gap(samples: NormalisedSamples, along: Direction) -> float:
    """Between levels of <along, x>, from below; 0 if the values are no function of the level."""
    first, level = samples.levels(along)
    at_level = samples.given_values[first]
    if (at_level[level] != samples.given_values).any():
        return 0.0
    t = np.sort(samples.points[first] @ along)
    return float(np.diff(t).min(initial=np.inf)) - 8 * UNIT * float(np.abs(along).sum())


def _side_by_side(one: TwoLayer, other: TwoLayer) -> TwoLayer:
    pairs = ((one.W, other.W), (one.a, other.a), (one.b, other.b))
    W, a, b = (np.concatenate(pair) for pair in pairs)
    return TwoLayer(W, a, b, one.c + other.c)
