"""Better networks, from above only: best units for a metric and best metric for units (Fact 11)."""

from collections.abc import Iterator

from repcost.costs.plane.directions import Symmetric
from repcost.costs.plane.metrics import point_map_of_best_allotment
from repcost.costs.plane.problem import PlaneProblem
from repcost.costs.plane.repairs import PricedNetwork, best_repaired
from repcost.costs.plane.two_layers import refined
from repcost.costs.plane.units import ThresholdUnits

_MOST_ROUNDS = 6


def polished(
    problem: PlaneProblem, best: PricedNetwork, point_map: Symmetric, units: ThresholdUnits
) -> Iterator[PricedNetwork]:
    """Ever better networks than `best`, from units of points that `point_map` moved.

    One at a time, so that whoever interrupts keeps the last.
    """
    worthwhile = 1 - problem.rtol / 100
    for _ in range(_MOST_ROUNDS):
        found = _best_for(problem, point_map, units)
        if found.cost >= best.cost * worthwhile:
            return
        # Alternating may end in a place that is not the best: nothing below is proved here.
        best, point_map = found, point_map_of_best_allotment(found.network, problem.depth)
        yield best
        units = problem.proposal(problem.arcs.moved(point_map), units.alpha)


def _best_for(problem: PlaneProblem, point_map: Symmetric, units: ThresholdUnits) -> PricedNetwork:
    """The units sharpened in this metric, then priced by the best metric for them."""
    arcs, values = problem.arcs.moved(point_map), problem.samples.values
    proposals = refined(arcs, values, units, problem.rtol / 100)[-1:] or [units]
    of_given_points = [proposal.moved(point_map) for proposal in proposals]
    return best_repaired(problem.samples, of_given_points, problem.depth)
