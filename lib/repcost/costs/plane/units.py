"""Units with thresholds at given points: what the programmes propose, before it is a network."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.costs.plane.directions import Directions, Points, Symmetric, Thresholds, Values
from repcost.costs.plane.prices import Prices
from repcost.networks import TwoLayer

# The second one mends what the first one rounds.
_FITTING_STEPS = 2


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
        """The same function of x, if these are units of A x for a symmetric A (Fact 9)."""
        # <v, A x> = <A v, x>: what turns is the direction, and its new length goes to the mass.
        directions = self.directions @ point_map
        lengths = np.linalg.norm(directions, axis=1)
        directions = directions / np.where(lengths > 0, lengths, 1.0)[:, None]
        return replace(self, directions=directions, masses=self.masses * lengths)

    def chosen(self, which: Any) -> "ThresholdUnits":
        """Only these units."""
        return replace(
            self, directions=self.directions[which], at=self.at[which], masses=self.masses[which]
        )

    def with_vectors(
        self, vectors: Directions, at: Thresholds, signs: Float[np.ndarray, " g"]
    ) -> "ThresholdUnits":
        """Others, given by masses times directions, with the same constant and prices."""
        lengths = np.linalg.norm(vectors, axis=1)
        directions = vectors / np.where(lengths > 0, lengths, 1.0)[:, None]
        return replace(self, directions=directions, at=at, masses=lengths * signs)

    def larger_than(self, share: float) -> "ThresholdUnits":
        """Only the units above this share of the largest: a solver's zeros are small numbers."""
        return self.chosen(np.abs(self.masses) > share * np.abs(self.masses).max(initial=0.0))

    def refitted(self, points: Points, values: Values) -> "ThresholdUnits":
        """Masses changed a little, large ones more than small ones, until they interpolate."""
        outputs = unit_outputs(points, self.directions, self.at)
        # Columns are the larger, the larger the mass, so the least change is one of large masses.
        columns = np.column_stack([outputs * self.masses, np.ones(len(values))])
        units = self
        for _ in range(_FITTING_STEPS):
            shortfall = values - units.constant - outputs @ units.masses
            step = np.linalg.lstsq(columns, shortfall, rcond=1e-12)[0]
            masses = units.masses + step[:-1] * self.masses
            units = replace(units, masses=masses, constant=units.constant + float(step[-1]))
        return units

    def network(self, points: Points) -> TwoLayer:
        """<v, x - x_at> = <v, x> + b: thresholds become biases, each rounded."""
        bias = -np.einsum("gd,gd->g", self.directions, points[self.at])
        return TwoLayer(self.directions, self.masses, bias, self.constant)


def unit_outputs(
    points: Points, directions: Directions, at: Thresholds
) -> Float[np.ndarray, "n g"]:
    """[<direction, x_i - x_at>]_+, zero at the unit's own point without rounding."""
    return np.maximum(np.einsum("ngd,gd->ng", points[:, None] - points[at], directions), 0.0)
