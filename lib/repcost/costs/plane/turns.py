"""As a direction turns around a point, other points pass its line one at a time (Fact 5)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from repcost.costs.plane.directions import Points, angle_across
from repcost.rounding import UNIT

# Around each of n points there are m = 2 (n - 1) critical directions.
Passing = Int[np.ndarray, "n m"]
Counted = Float[np.ndarray, "n two_m"]
Slopes = Float[np.ndarray, "n m 2"]


@dataclass(frozen=True, eq=False)
class Turns:
    """Around each x_j, in the order of angles in [0, 2 pi).

    angles: the critical directions, at right angles to some x_i - x_j.
    passing: the i of each, twice in a row of two turns.
    counted: what it adds to the points in front: in the first turn all that are in front where
        the second one starts enter, in the second one points enter (1) and leave (-1).
    """

    angles: Float[np.ndarray, "n m"]
    passing: Int[np.ndarray, "n two_m"]
    counted: Counted

    @classmethod
    def around(cls, points: Points) -> "Turns":
        """About points that are distinct."""
        n = len(points)
        others = np.nonzero(~np.eye(n, dtype=bool))[1].reshape(n, n - 1)
        # Counterclockwise a point leaves where the direction is a quarter turn past it.
        leaving = angle_across(points[others] - points[:, None]) % (2 * np.pi)
        entering = (leaving + np.pi) % (2 * np.pi)
        angles = np.concatenate([leaving, entering], axis=1)
        order = np.argsort(angles, axis=1, kind="stable")
        in_front = np.concatenate([np.zeros_like(leaving), leaving < entering], axis=1)
        sides = np.repeat([[-1.0] * (n - 1) + [1.0] * (n - 1)], n, axis=0)
        counted = [np.take_along_axis(part, order, axis=1) for part in (in_front, sides)]
        passing = np.take_along_axis(np.tile(others, 2), order, axis=1)
        angles = np.take_along_axis(angles, order, axis=1)
        return cls(angles, np.tile(passing, 2), np.concatenate(counted, axis=1))

    def slopes(self, points: Points, weights: Float[np.ndarray, " n"]) -> tuple[Slopes, float]:
        """g = the sum of weights_i (x_i - x_j) over points in front, after each direction.

        And what the additions round off at most: each is off by a rounding of its result.
        """
        terms = (points[self.passing] - points[:, None]) * (self.counted * weights[self.passing])[
            ..., None
        ]
        sums = np.cumsum(terms, axis=1)
        rounded = 2 * UNIT * float(np.abs(sums).sum(axis=(1, 2)).max())
        return sums[:, self.angles.shape[1] :], rounded
