"""Networks whose units are all parallel: each direction is a problem of one variable (Fact 10)."""

from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize_scalar

from repcost.costs.attained import cheapest_network
from repcost.costs.line import interpolate_line
from repcost.costs.plane.directions import Direction, Values, unit_vectors
from repcost.costs.plane.prices import Prices
from repcost.costs.plane.samples import NormalisedSamples
from repcost.networks import TwoLayer

# Directions whose cost is looked at, and how many of the lowest valleys are followed down.
_ANGLES = 720
_BEST_ANGLES = 4
# What stands for infinity where costs are subtracted.
_STEEPEST = 1e100


def best_parallel(samples: NormalisedSamples) -> tuple[TwoLayer, Direction] | None:
    """The cheapest network found whose units are all parallel, and their direction.

    The cost drops where points of equal value meet on one level, so those directions are tried as
    well as the lowest of many. None if two points of different values meet in each of them.
    """
    directions = _lowest_directions(samples) + _directions_where_equals_meet(samples)
    found = [(parallel_network(samples, samples.values, along), along) for along in directions]
    nets = [(net, along) for net, along in found if net]
    return min(nets, key=lambda pair: pair[0].path_norm) if nets else None


def parallel_network(
    samples: NormalisedSamples, values: Values, along: Direction
) -> TwoLayer | None:
    """The cheapest with all units along one direction; None if values is no function of <along, x>.

    `values` belong to the samples' points and may be others than theirs.
    """
    first, level = samples.levels(along)
    t, at_level = samples.points[first] @ along, values[first]
    # Levels are told apart exactly, but the programme of one variable needs them apart as floats.
    if (at_level[level] != values).any() or not np.diff(np.sort(t)).all():
        return None
    net = cheapest_network(interpolate_line(t, at_level).function)
    return TwoLayer(net.W * along, net.a, net.b, net.c)


def line_prices(samples: NormalisedSamples, along: Direction) -> Prices:
    """The certificate of the values as a function of <along, x>; zero if points meet there."""
    t = samples.points @ along
    order = np.argsort(t)
    prices = np.zeros(len(t))
    if (np.diff(t[order]) > 0).all():
        prices[order] = interpolate_line(t[order], samples.values[order]).certificate
    return prices


def line_costs(t: Float[np.ndarray, "n m"], values: Values) -> Float[np.ndarray, " m"]:
    """R_2 of the points (t_i, values_i) of each column; infinite if two t meet.

    Theorem 3.3 of Savarese et al. (2019), for the piecewise linear interpolant.
    """
    order = np.argsort(t, axis=0)
    runs = np.diff(np.take_along_axis(t, order, axis=0), axis=0)
    rises = np.diff(values[order], axis=0)
    distinct = (runs > 0).all(axis=0)
    slopes = rises / np.where(distinct, runs, 1.0)
    variation = np.abs(np.diff(slopes, axis=0)).sum(axis=0)
    with_ends = (variation + np.abs(slopes[0] + slopes[-1])) / 2
    return np.where(distinct, np.maximum(variation, with_ends), np.inf)


def _lowest_directions(samples: NormalisedSamples) -> list[Direction]:
    """The bottoms of the deepest valleys of the cost as a function of the direction."""
    # A half turn is enough: a unit and its reverse are both in the dictionary.
    angles = np.pi * np.arange(_ANGLES) / _ANGLES
    costs = line_costs(samples.points @ unit_vectors(angles).T, samples.values)
    lowest = np.flatnonzero((costs <= np.roll(costs, 1)) & (costs <= np.roll(costs, -1)))
    deepest = lowest[np.argsort(costs[lowest])][:_BEST_ANGLES]
    return [_bottom(samples, angle) for angle in angles[deepest]]


def _bottom(samples: NormalisedSamples, angle: float) -> Direction:
    """The direction of least cost near the angle."""
    nearby = (angle - np.pi / _ANGLES, angle + np.pi / _ANGLES)
    found: Any = minimize_scalar(
        _cost_at, bounds=nearby, args=(samples,), method="bounded", options={"xatol": 1e-9}
    )
    return unit_vectors(np.array(found.x))


def _cost_at(angle: float, samples: NormalisedSamples) -> float:
    t = samples.points @ unit_vectors(np.array([angle])).T
    # The search in one dimension takes differences of costs, so none may be infinite.
    return min(float(line_costs(t, samples.values)[0]), _STEEPEST)


def _directions_where_equals_meet(samples: NormalisedSamples) -> list[Direction]:
    """At right angles to the differences of points of equal value, of any length."""
    i, j = np.triu_indices(len(samples.values), 1)
    alike = samples.values[i] == samples.values[j]
    return list((samples.points[i] - samples.points[j])[alike][:, ::-1] * [-1, 1])
