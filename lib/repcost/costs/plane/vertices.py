"""The cheapest of finitely many units by linear programmes that new units join (Fact 6)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import linprog

from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.directions import (
    Directions,
    Points,
    Thresholds,
    Values,
    spread_direction,
)
from repcost.costs.plane.prices import Prices, earnings, relative_gap
from repcost.costs.plane.units import ThresholdUnits, unit_outputs

# Units that earn this much join.
_TOO_MUCH = 1 + 1e-13
# In one round so many times as there are points.
_JOINING = 3
# Units that earn less than 1 by so many times the gap leave, but none that earns more than this.
_LEAVING, _STAYING, _PROGRESS = 10, 0.99, 1e-6
# Columns are dense, so there is nothing for a presolver to find.
_OPTIONS = {
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
    "presolve": False,
}


@dataclass(frozen=True, eq=False)
class Candidates:
    """The units a linear programme chooses from: directions, and the points of their thresholds.

    outputs: of each at the points.
    """

    directions: Directions
    at: Thresholds
    outputs: Float[np.ndarray, "n g"]

    @classmethod
    def of(cls, directions: Directions, at: Thresholds, points: Points) -> "Candidates":
        return cls(directions, at, unit_outputs(points, directions, at))

    @classmethod
    def enough(cls, points: Points) -> "Candidates":
        """Along one direction, both ways: these interpolate anything."""
        along = spread_direction(points)
        both_ways = np.tile([along, -along], (len(points), 1))
        return cls.of(both_ways, np.repeat(np.arange(len(points)), 2), points)

    def joined(self, others: "Candidates") -> "Candidates":
        return Candidates(
            np.concatenate([self.directions, others.directions]),
            np.concatenate([self.at, others.at]),
            np.hstack([self.outputs, others.outputs]),
        )

    def chosen(self, which: Bool[np.ndarray, " g"]) -> "Candidates":
        return Candidates(self.directions[which], self.at[which], self.outputs[:, which])

    def earning(self, alpha: Prices, least: float) -> "Candidates":
        """Only those that earn this much."""
        return self.chosen(np.abs(alpha @ self.outputs) >= least)


def vertices(arcs: Arcs, values: Values, candidates: Candidates) -> Iterator[ThresholdUnits]:
    """The cheapest of the candidates; of these and of units that earn too much there; and so on.

    Until no unit does, or whoever asks has enough. A vertex needs no interior, so this is exact
    where data are degenerate and interior methods stall.
    """
    lowest = np.inf
    while (vertex := _vertex(candidates, values)) is not None:
        yield vertex
        # Units leave only where the cost falls, or else they might come and go for ever.
        if vertex.cost < lowest * (1 - _PROGRESS):
            lowest = vertex.cost
            gap = relative_gap(arcs, vertex.alpha, values)
            candidates = candidates.earning(vertex.alpha, min(1 - _LEAVING * gap, _STAYING))
        joining = _best_earners(arcs, vertex.alpha, _TOO_MUCH)
        # Without a newcomer the programme would be solved again as it was.
        if not len(joining.at):
            return
        candidates = candidates.joined(joining)


def _best_earners(arcs: Arcs, alpha: Prices, least: float) -> Candidates:
    """The units that earn most, and at least so much, among their neighbours in direction."""
    earned, towards = earnings(arcs, alpha)
    earned = np.abs(earned)
    # Neighbours on the circle follow each other; where it closes one too many does no harm.
    alone = np.diff(arcs.at, prepend=-1) != 0
    rising = alone | (earned >= np.roll(earned, 1))
    falling = np.roll(alone | (earned < np.roll(earned, 1)), -1)
    peaks = np.flatnonzero(rising & falling & (earned > least))
    best = peaks[np.argsort(-earned[peaks])][: _JOINING * len(arcs.points)]
    return Candidates.of(towards[best], arcs.at[best], arcs.points)


def _vertex(candidates: Candidates, values: Values) -> ThresholdUnits | None:
    """The cheapest of these units through the data with prices; None if the solver fails."""
    outputs, m = candidates.outputs, len(candidates.at)
    # Masses of both signs, each paid by its size, and a constant that is free.
    answer = linprog(
        np.append(np.ones(2 * m), 0.0),
        A_eq=np.hstack([outputs, -outputs, np.ones((len(values), 1))]),
        b_eq=values,
        bounds=[(0, None)] * (2 * m) + [(None, None)],
        method="highs-ds",
        options=_OPTIONS,
    )
    if answer.status != 0:
        return None
    masses = answer.x[:m] - answer.x[m:-1]
    used = np.flatnonzero(masses)
    alpha: Prices = np.asarray(answer.eqlin.marginals)
    directions, at = candidates.directions[used], candidates.at[used]
    return ThresholdUnits(directions, at, masses[used], float(answer.x[-1]), alpha)
