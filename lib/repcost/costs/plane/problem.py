"""One question of interpolation in the plane, as the search and its parts pass it on."""

from dataclasses import dataclass

from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.prices import Prices
from repcost.costs.plane.samples import NormalisedSamples
from repcost.costs.plane.two_layers import units_near
from repcost.costs.plane.units import ThresholdUnits

# Arcs that earn this much elsewhere may matter here.
_WORTH_A_LOOK = 0.8


@dataclass(frozen=True, eq=False)
class PlaneProblem:
    """What is asked: samples, the arcs around their points, how many layers, how exactly."""

    samples: NormalisedSamples
    arcs: Arcs
    depth: int
    rtol: float

    def proposal(self, arcs: Arcs, prices: Prices) -> ThresholdUnits:
        """The cheapest units for moved points, as exactly as the search needs them.

        prices: of points that were moved nearly so.
        """
        tolerance = min(1e-8, self.rtol / 100)
        return units_near(arcs, self.samples.values, prices, _WORTH_A_LOOK, tolerance)
