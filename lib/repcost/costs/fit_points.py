"""Points on a line beside splines with few knots: sums over all of them of hat functions.

A spline is known by its values at its knots, and its squares by sums over the points of products of
hat functions, one for each knot: a matrix M of three diagonals.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from repcost.costs.fit_problem import Knots

Mask = Bool[np.ndarray, " _"]
# Of a spline with few knots: their numbers differ.
Few = Float[np.ndarray, " _"]
Diagonals = Float[np.ndarray, "2 _"]


@dataclass(frozen=True, eq=False)
class Points:
    """Where the points are, how many share an x, and the best value at each x alone."""

    x: Knots
    counts: Knots
    centres: Knots

    def squares(self, knots: Mask) -> Diagonals:
        """M, by its diagonal and the one below."""
        if knots.all():
            return np.stack([self.counts, 0.0 * self.counts])
        piece, falls, rises = self._hats(knots)
        diagonal = _summed(piece, self.counts * falls**2, self.counts * rises**2)
        return np.stack([diagonal, np.bincount(piece, self.counts * falls * rises, len(diagonal))])

    def pulls(self, knots: Mask) -> Few:
        """Sums of hat functions times `rest`."""
        piece, falls, rises = self._hats(knots)
        rest = self.counts * self.rest(knots)
        return _summed(piece, rest * falls, rest * rises)

    def rest(self, knots: Mask) -> Knots:
        """The centres, less the spline through those at the knots."""
        return self.centres - np.interp(self.x, self.x[knots], self.centres[knots])

    def _hats(self, knots: Mask) -> tuple[np.ndarray, Knots, Knots]:
        """For each point its piece between two knots, and their two hat functions there."""
        at = self.x[knots]
        piece = np.minimum(np.cumsum(knots) - 1, len(at) - 2)
        rises = np.clip((self.x - at[piece]) / np.diff(at)[piece], 0.0, 1.0)
        return piece, 1 - rises, rises


def _summed(piece: np.ndarray, left: Knots, right: Knots) -> Few:
    few = int(piece[-1]) + 2
    return np.bincount(piece, left, few) + np.bincount(piece + 1, right, few)
