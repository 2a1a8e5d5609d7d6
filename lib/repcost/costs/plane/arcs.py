"""Directions of units, cut into arcs on which the same points are active (Fact 3)."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.costs.plane.directions import (
    Directions,
    Points,
    Symmetric,
    Thresholds,
    cross,
    normalised,
    unit_vectors,
)
from repcost.costs.plane.turns import Turns

# Arcs must stay well below a half turn: their vectors are then the sums of their two ends.
_WIDEST = 2.1
# Sines of narrower arcs are too near to rounding for a solver.
_SLIVER = 1e-9


@dataclass(frozen=True, eq=False)
class Arcs:
    """Units with threshold at point `at`, directions from `first` to `last` (unit vectors).

    turns, place: which points are in front comes from the turn around `at`, after the critical
        direction of this number in all turns.
    distortion, size: the condition number of the matrix that moved the points here, and its norm
        times the largest point before; rounding is measured by them.
    """

    points: Points
    at: Thresholds
    first: Directions
    last: Directions
    turns: Turns
    place: Int[np.ndarray, " g"]
    distortion: float
    size: float

    @classmethod
    def around(cls, points: Points) -> "Arcs":
        """All arcs around all points, which are distinct; neighbours follow each other."""
        turns = Turns.around(points)
        # The first direction once more, a turn later, closes the circle.
        start, end = turns.angles, np.roll(turns.angles, -1, axis=1)
        end[:, -1] += 2 * np.pi
        start, end = start.ravel(), end.ravel()
        # Arcs of no width are left out, wide ones are halved.
        parts = (end > start) + (end - start > _WIDEST).astype(int)
        place = np.repeat(np.arange(len(parts)), parts)
        middle = (start + end)[place] / 2
        second = np.append(False, place[1:] == place[:-1])
        halved = parts[place] == 2
        first = unit_vectors(np.where(second, middle, start[place]))
        last = unit_vectors(np.where(halved & ~second, middle, end[place]))
        size = float(np.linalg.norm(points, axis=1).max())
        at = place // turns.angles.shape[1]
        return cls(points, at, first, last, turns, place, 1.0, size)

    def moved(self, point_map: Symmetric) -> "Arcs":
        """The arcs of the points A x, for a positive definite A: the same points stay in front."""
        # <v, A x> = <A v, x>, so what was the direction u = A v is now A^(-1) u.
        back = np.linalg.inv(point_map)
        norm = float(np.linalg.norm(point_map, 2))
        return replace(
            self,
            points=self.points @ point_map,
            first=normalised(self.first @ back),
            last=normalised(self.last @ back),
            distortion=self.distortion * norm * float(np.linalg.norm(back, 2)),
            size=self.size * norm,
        )

    def chosen(self, which: Int[np.ndarray, " some"] | Bool[np.ndarray, " g"]) -> "Arcs":
        """Only these arcs; for proposals, never for proofs."""
        parts = {name: getattr(self, name)[which] for name in ("at", "first", "last", "place")}
        return replace(self, **parts)

    def wide_enough(self) -> Bool[np.ndarray, " g"]:
        """Whether an arc is one that a solver can tell from a direction."""
        return cross(self.first, self.last) > _SLIVER

    def slopes(self, weights: Float[np.ndarray, " n"]) -> tuple[Directions, float]:
        """g = the sum of weights_i (x_i - x_j) over the points in front, and what it rounds off."""
        slopes, rounded = self.turns.slopes(self.points, weights)
        return slopes.reshape(-1, 2)[self.place], rounded

    def differences(self) -> Float[np.ndarray, "g n 2"]:
        """x_i - x_j for the points in front on each arc, zero for others."""
        across = self.points - self.points[self.at][:, None]
        # In the middle of an arc no sign is in doubt.
        heights = np.einsum("gnd,gd->gn", across, self.first + self.last)
        return across * (heights > 0)[:, :, None]
