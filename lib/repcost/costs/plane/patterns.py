"""Which units a solver means: those of one pattern at the points are one unit (Fact 7)."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.optimize import linprog

from repcost.arrays import distinct_rows
from repcost.costs.plane.directions import Direction, Points
from repcost.costs.plane.units import ThresholdUnits, unit_outputs

# The places of some units, or for each unit whether it is one of them.
Some = Int[np.ndarray, " some"] | Bool[np.ndarray, " k"]
# Of the one and of the other unit of each pair.
Places = Int[np.ndarray, " p"]

# A solver's angles smaller than this are none.
_ANGLE = 1e-5


@dataclass(frozen=True, eq=False)
class Patterns:
    """Units of different patterns: on which sides of its line each one has the points.

    sides: 1 in front, 0 on the line, -1 behind.
    """

    units: ThresholdUnits
    sides: Int[np.ndarray, "k n"]

    @classmethod
    def of(cls, units: ThresholdUnits, points: Points) -> "Patterns":
        """Units of one sign and one pattern added up: between them the values are linear."""
        across = points - points[units.at][:, None]
        heights = np.einsum("knd,kd->kn", across, units.directions)
        near = np.abs(heights) <= _ANGLE * np.linalg.norm(across, axis=2)
        sides = np.where(near, 0, np.sign(heights)).astype(int)
        keys = np.column_stack([sides, np.sign(units.masses)])
        _, first, group = distinct_rows(keys)
        vectors = np.zeros((len(first), 2))
        np.add.at(vectors, group, units.directions * np.abs(units.masses)[:, None])
        masses = np.sign(units.masses[first])
        added = units.with_vectors(vectors, units.at[first], masses)
        return cls(added, sides[first]).straightened(points)

    @property
    def held(self) -> Bool[np.ndarray, " k"]:
        """The units whose line passes two points; the others may turn."""
        return (self.sides == 0).sum(axis=1) > 1

    def chosen(self, which: Some) -> "Patterns":
        return Patterns(self.units.chosen(which), self.sides[which])

    def straightened(self, points: Points) -> "Patterns":
        """Held units turned until their line passes the points exactly."""
        directions = self.units.directions.copy()
        for k in np.flatnonzero(self.held):
            directions[k] = _across(points[self.sides[k] == 0], directions[k])
        return replace(self, units=replace(self.units, directions=directions))

    def active(self, points: Points) -> "Patterns":
        """Only units whose share of the mass is larger than what they fail to earn.

        An interior method leaves one of the two small.
        """
        outputs = unit_outputs(points, self.units.directions, self.units.at)
        missing = 1 - np.abs(self.units.alpha @ outputs)
        sizes = np.abs(self.units.masses)
        return self.chosen(sizes > missing * sizes.max(initial=0.0))

    def unsplit(self, points: Points) -> "Patterns":
        """The same function and mass, with at most two pairs of units that look both ways.

        As [-t]_+ = [t]_+ - t, mass may move between the two ways if the linear parts
        add up to nothing, and interior methods leave some everywhere. A vertex of these choices
        has it at one end, but for two pairs.
        """
        one, other = self._pairs()
        if not len(one):
            return self
        masses = self.units.masses.copy()
        total = masses[one] + masses[other]
        vectors = self.units.directions[one] * total[:, None]
        share = _vertex_of_shares(vectors, masses[other] / total)
        masses[one], masses[other] = total * (1 - share), total * share
        return Patterns(replace(self.units, masses=masses), self.sides).chosen(masses != 0)

    def _pairs(self) -> tuple[Places, Places]:
        """Places of units of one sign on one line that look both ways."""
        keys = np.column_stack([np.sign(self.units.masses).astype(int), self.sides])
        place = {key.tobytes(): k for k, key in enumerate(keys)}
        # The other way what was in front is behind; the sign, which comes first, is the same.
        keys[:, 1:] *= -1
        others = np.array([place.get(key.tobytes(), -1) for key in keys], dtype=int)
        one = np.flatnonzero(others > np.arange(len(others)))
        return one, others[one]


def _vertex_of_shares(
    vectors: Float[np.ndarray, "p 2"], shares: Float[np.ndarray, " p"]
) -> Float[np.ndarray, " p"]:
    """Shares of the vectors with the same sum, of which all but two are 0 or 1."""
    answer = linprog(
        np.zeros(len(shares)),
        A_eq=vectors.T,
        b_eq=vectors.T @ shares,
        bounds=(0, 1),
        method="highs-ds",
    )
    return answer.x if answer.status == 0 else shares


def _across(on_line: Points, towards: Direction) -> Direction:
    """At right angles to the line through points, on the side of a direction near that."""
    along = on_line[np.argmax(np.abs(on_line - on_line[0]).sum(axis=1))] - on_line[0]
    if not along.any():
        return towards  # a map has rounded them to one point, which lies on many lines

    across = np.array([-along[1], along[0]]) / np.hypot(*along)
    return across * np.sign(across @ towards)
