"""One question of interpolation in the plane, as the search and its parts pass it on."""

from dataclasses import dataclass

from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.cone_programme import cheapest_units
from repcost.costs.plane.samples import NormalisedSamples
from repcost.costs.plane.units import ThresholdUnits


@dataclass(frozen=True, eq=False)
class PlaneProblem:
    """What is asked: samples, the arcs around their points, how many layers, how exactly."""

    samples: NormalisedSamples
    arcs: Arcs
    depth: int
    rtol: float

    def proposal(self, arcs: Arcs) -> ThresholdUnits:
        """The cheapest units for moved points, as exactly as the search needs them."""
        return cheapest_units(arcs, self.samples.values, min(1e-7, self.rtol / 100))
