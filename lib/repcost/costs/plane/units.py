"""Units with thresholds at given points: what the programmes propose, before it is a network."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from repcost.costs.plane.arcs import Directions, Points, Symmetric, Thresholds, Values
from repcost.costs.plane.prices import Prices
from repcost.networks import TwoLayer

_FITTING_STEPS = 3


@dataclass(frozen=True, eq=False)
class ThresholdUnits:
    """sum_k masses_k [<directions_k, x - x_at>]_+ + constant, with unit directions (Fact 2).

    alpha: prices of the points from the dual of the programme that found the units.
    """

    directions: Directions
    at: Thresholds
    masses: Float[np.ndarray, " g"]
    constant: float
    alpha: Prices

    @property
    def cost(self) -> float:
        """The path norm: directions have length 1."""
        return float(np.abs(self.masses).sum())

    def moved(self, point_map: Symmetric) -> "ThresholdUnits":
        """The same function of x, if these are units of A x for a symmetric A (Fact 8)."""
        # <v, A x> = <A v, x>: what turns is the direction, and its new length goes to the mass.
        directions = self.directions @ point_map
        lengths = np.linalg.norm(directions, axis=1)
        directions = directions / np.where(lengths > 0, lengths, 1.0)[:, None]
        return replace(self, directions=directions, masses=self.masses * lengths)

    def larger_than(self, share: float) -> "ThresholdUnits":
        """Only the units above this share of the largest: a solver's zeros are small numbers."""
        kept = np.abs(self.masses) > share * np.abs(self.masses).max(initial=0.0)
        return replace(
            self, directions=self.directions[kept], at=self.at[kept], masses=self.masses[kept]
        )

    def refitted(self, points: Points, values: Values) -> "ThresholdUnits":
        """Turned and scaled a little, large units more than small ones, until they interpolate."""
        units = self
        for _ in range(_FITTING_STEPS):
            turns, constant = units._newton_step(points, values)
            directions = units.directions + turns
            lengths = np.linalg.norm(directions, axis=1)
            # A unit that would vanish is none that a small turn can mend.
            if not lengths.all():
                break
            units = replace(
                units,
                directions=directions / lengths[:, None],
                masses=units.masses * lengths,
                constant=units.constant + constant,
            )
        return units

    def network(self, points: Points) -> TwoLayer:
        """<v, x - x_at> = <v, x> + b: thresholds become biases, each rounded."""
        bias = -np.einsum("gd,gd->g", self.directions, points[self.at])
        return TwoLayer(self.directions, self.masses, bias, self.constant)

    def _newton_step(self, points: Points, values: Values) -> tuple[Directions, float]:
        """The least turn of the directions, and of the constant, that mends the values."""
        # Masses stand inside [.]_+, their signs outside. The column of a large unit is large, so
        # the least step in sum of squares turns it rather than the small ones.
        signs = np.sign(self.masses)
        across = (points[:, None] - points[self.at]) * np.abs(self.masses)[:, None]
        sums = np.einsum("nkd,kd->nk", across, self.directions)
        slopes = np.where((sums > 0)[..., None], across, 0.0) * signs[:, None]
        shortfall = values - self.constant - np.maximum(sums, 0.0) @ signs
        columns = np.hstack([slopes.reshape(len(values), -1), np.ones((len(values), 1))])
        step = np.linalg.lstsq(columns, shortfall, rcond=1e-12)[0]
        return step[:-1].reshape(-1, 2), float(step[-1])


def unit_outputs(
    points: Points, directions: Directions, at: Thresholds
) -> Float[np.ndarray, "n g"]:
    """[<direction, x_i - x_at>]_+, zero at the unit's own point without rounding."""
    return np.maximum(np.einsum("ngd,gd->ng", points[:, None] - points[at], directions), 0.0)
