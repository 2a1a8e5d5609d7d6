"""The cheapest two layers: programmes find the arcs, and then the units on them (Facts 3, 6, 7)."""

import math
from collections.abc import Iterator
from itertools import chain, islice

import numpy as np
from jaxtyping import Bool

from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.cone_programme import units_on_arcs
from repcost.costs.plane.directions import Values
from repcost.costs.plane.patterns import Patterns
from repcost.costs.plane.prices import Prices, earnings, relative_gap
from repcost.costs.plane.sharpening import sharpened
from repcost.costs.plane.units import ThresholdUnits
from repcost.costs.plane.vertices import Candidates, vertices

# Which arcs have a unit that is added, and which one that is taken off.
Signed = tuple[Bool[np.ndarray, " g"], Bool[np.ndarray, " g"]]

# At this gap the arcs are known: those that earn less than 1 by so many times the gap are out.
_ROUGH, _OUT = 1e-3, 10.0
_ROUGH_ROUNDS, _CONE_ROUNDS, _FINE_ROUNDS = 60, 5, 12
# As far as the cone programme's solver goes, and where its noise begins.
_TOLERANCE, _NOISE = 1e-13, 1e-7


def cheapest_units(arcs: Arcs, values: Values, rtol: float) -> list[ThresholdUnits]:
    """Ever better units through the data, with prices, until these prove what is asked for."""
    # Linear programmes alone would only halve the angle to the best direction in each round. So
    # they say which arcs matter, and a small cone programme finds the units on these.
    gap, alpha = np.inf, np.zeros(len(values))
    start = Candidates.enough(arcs.points)
    for vertex in islice(vertices(arcs, values, start), _ROUGH_ROUNDS):
        gap, alpha = relative_gap(arcs, vertex.alpha, values), vertex.alpha
        if gap <= rtol:
            return [vertex]
        if gap <= _ROUGH:
            break
    units = units_near(arcs, values, alpha, max(0.0, 1 - _OUT * gap), _TOLERANCE)
    return refined(arcs, values, units, rtol)


def refined(
    arcs: Arcs, values: Values, proposal: ThresholdUnits, rtol: float
) -> list[ThresholdUnits]:
    """The proposal sharpened, or else vertices of its units and more, until prices prove them."""
    found: list[ThresholdUnits] = []
    for units in chain([proposal], _vertices_beside(arcs, values, proposal)):
        sharp = sharpened(units, arcs.points, values)
        found += [units, sharp] if sharp else [units]
        gap = min(relative_gap(arcs, each.alpha, values) for each in found[-2:])
        # The proposal itself is full of a solver's noise.
        if gap <= rtol and found[-1] is not proposal:
            break
    return found


def _vertices_beside(
    arcs: Arcs, values: Values, proposal: ThresholdUnits
) -> Iterator[ThresholdUnits]:
    own = Patterns.of(proposal.larger_than(_NOISE), arcs.points).units
    start = Candidates.of(own.directions, own.at, arcs.points)
    start = start.joined(Candidates.enough(arcs.points))
    # Nothing of this is done before the first vertex is asked for.
    yield from islice(vertices(arcs, values, start), _FINE_ROUNDS)


def units_near(
    arcs: Arcs, values: Values, prices: Prices, least: float, tolerance: float
) -> ThresholdUnits:
    """The cheapest units on the arcs that earn at least so much, which others join.

    prices: nearly those of this problem; of any others it takes longer.
    """
    earned = earnings(arcs, prices)[0]
    bar = least * min(1.0, float(np.abs(earned).max()))
    added, taken = earned >= bar, -earned >= bar
    units = _on_arcs(arcs, values, (added, taken), tolerance)
    for _ in range(_CONE_ROUNDS):
        earned = earnings(arcs, units.alpha)[0]
        most = float(np.abs(earned).max())
        # Where the arcs do not interpolate, prices are a direction in which all is earned.
        interpolates = math.isclose(units.cost, units.alpha @ values, rel_tol=1e-3)
        if interpolates and most <= 1 + 10 * tolerance:
            break
        # Of those that are missing some are as near from below.
        bar = 2 - most if interpolates else least * most
        added, taken = added | (earned >= bar), taken | (-earned >= bar)
        units = _on_arcs(arcs, values, (added, taken), tolerance)
    return units


def _on_arcs(arcs: Arcs, values: Values, signed: Signed, tolerance: float) -> ThresholdUnits:
    """The cheapest units on the arcs where they are added, and on those where they are taken."""
    known = np.concatenate([np.flatnonzero(each) for each in signed])
    signs = np.repeat([1.0, -1.0], [each.sum() for each in signed])
    return units_on_arcs(arcs.chosen(known), signs, values, tolerance)
