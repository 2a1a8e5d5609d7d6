"""The cheapest of finitely many units by linear programmes that new units join (Fact 6)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linprog

from repcost.costs.plane.arcs import Arcs, Directions, Points, Thresholds, Values, spread_direction
from repcost.costs.plane.prices import Prices, earnings, proven_cost
from repcost.costs.plane.units import ThresholdUnits, unit_outputs

_MOST_ROUNDS = 12
# Where the noise of the cone programme ends and its units begin.
_NOISE = 1e-7
# Units that earn this much join: at first those near the optimum too, later only what is missing.
_NEARLY_ENOUGH, _TOO_MUCH = 1 - 1e-5, 1 + 1e-13
_TOLERANCES = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class Candidates:
    """The units a linear programme chooses from: directions, and the points of their thresholds."""

    directions: Directions
    at: Thresholds

    @classmethod
    def beside(cls, proposal: ThresholdUnits, points: Points) -> "Candidates":
        """The proposal's own units, and along one direction enough to interpolate anything."""
        own = proposal.larger_than(_NOISE)
        along = spread_direction(points)
        both_ways = np.tile([along, -along], (len(points), 1))
        return cls(own.directions, own.at).joined(both_ways, np.repeat(np.arange(len(points)), 2))

    def joined(self, directions: Directions, at: Thresholds) -> "Candidates":
        return Candidates(
            np.concatenate([self.directions, directions]), np.concatenate([self.at, at])
        )


def vertex_units(
    arcs: Arcs, values: Values, proposal: ThresholdUnits, rtol: float
) -> list[ThresholdUnits]:
    """Improvements of the proposal, until prices prove that no more than `rtol` is left.

    A vertex needs no interior, so this is exact where data are degenerate and interior methods
    stall.
    """
    candidates, alpha = Candidates.beside(proposal, arcs.points), proposal.alpha
    found: list[ThresholdUnits] = []
    while len(found) < _MOST_ROUNDS:
        earned, towards = earnings(arcs, alpha)
        joining = _best_earners(earned, 2 * len(values), _TOO_MUCH if found else _NEARLY_ENOUGH)
        candidates = candidates.joined(towards[joining], arcs.at[joining])
        # Without a newcomer the programme would be solved again as it was.
        vertex = _vertex(arcs.points, values, candidates) if len(joining) or not found else None
        if vertex is None:
            break
        found.append(vertex)
        alpha = vertex.alpha
        if vertex.cost - proven_cost(arcs, alpha, values) <= rtol * vertex.cost:
            break
    return found


def _best_earners(
    earned: Float[np.ndarray, " g"], count: int, least: float
) -> Int[np.ndarray, " best"]:
    """The arcs whose best units earn most, if they earn more than `least`."""
    ranked = np.argsort(-earned)[:count]
    return ranked[earned[ranked] > least]


def _vertex(points: Points, values: Values, candidates: Candidates) -> ThresholdUnits | None:
    """The cheapest of these units through the data with prices; None if the solver fails."""
    outputs = unit_outputs(points, candidates.directions, candidates.at)
    m = len(candidates.at)
    # Masses of both signs, each paid by its size, and a constant that is free.
    answer = linprog(
        np.append(np.ones(2 * m), 0.0),
        A_eq=np.hstack([outputs, -outputs, np.ones((len(values), 1))]),
        b_eq=values,
        bounds=[(0, None)] * (2 * m) + [(None, None)],
        method="highs-ds",
        options=_TOLERANCES,
    )
    if answer.status != 0:
        return None
    masses = answer.x[:m] - answer.x[m:-1]
    used = np.flatnonzero(masses)
    alpha: Prices = np.asarray(answer.eqlin.marginals)
    directions, at = candidates.directions[used], candidates.at[used]
    return ThresholdUnits(directions, at, masses[used], float(answer.x[-1]), alpha)
