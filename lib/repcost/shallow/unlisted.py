"""The steepest neuron where the faces are too many to list: a search, and proofs of it.

A coarse bound is had at once (`coarse`). Branch and bound (`branching`) proves the rest, for one
output.
"""

from functools import cached_property

import numpy as np
from jaxtyping import Float

from repcost.arrays import distinct_rows
from repcost.shallow.branching import UnitPoints, climbed, proved
from repcost.shallow.coarse import CoarseBound
from repcost.shallow.faces import unit_rows
from repcost.shallow.peaks import Peaks, sorted_peaks

Multiplier = Float[np.ndarray, "N m"]
Atoms = Float[np.ndarray, "k d"]

# Random starts of each of two kinds, in a search that a round can afford and in a thorough one.
_STARTS, _MANY = 30, 300
# Points times dimensions beyond which a node takes longer.
_SMALL = 2000
# First a bound this far above what is wanted is proved, so that something is proved where time is
# short. What is much nearer is nearly as hard as what is wanted.
_FIRST = 1.3


class Unlisted:
    """Searches and proofs for points Xt (N, d), in coordinates of their span."""

    def __init__(self, Xt: Float[np.ndarray, "N d"]):
        self.points = UnitPoints.of(Xt)
        self.inside = Xt @ self.points.frame
        self.coarse = CoarseBound(self.inside)
        # Every search begins elsewhere, and every run of a programme at the same places.
        self._random = np.random.default_rng(0)

    def searched(
        self, V: Multiplier, near: Float[np.ndarray, "n d"], thoroughly: bool = False
    ) -> tuple[Atoms, Float[np.ndarray, " k"]]:
        """Neurons that are steep, each once, from the given and from random ones."""
        random = self._starts(_MANY if thoroughly else _STARTS)
        starts = unit_rows(np.concatenate([near @ self.points.frame, *random]))
        w, heights = climbed(self.points.units, self.points.weights(V.T).T, starts)
        first = distinct_rows(w.round(6))[1]
        return w[first] @ self.points.frame.T, heights[first]

    @cached_property
    def _inverse(self) -> Float[np.ndarray, "r N"]:
        return np.linalg.pinv(self.inside)

    def _starts(self, count: int) -> list[Float[np.ndarray, "n r"]]:
        """Random neurons, and those that have random outputs, as far as there are any."""
        N, r = self.inside.shape
        outputs = self._random.normal(size=(count, N))
        return [self._random.normal(size=(count, r)), outputs @ self._inverse.T]

    def proved(self, v: Float[np.ndarray, " N"], enough: float, nodes: int, found: Peaks) -> Peaks:
        """The same with a bound that is no higher than `enough`, if that and `nodes` allow it.

        `found` is what a search has found, with a bound from elsewhere. What is steeper than
        `enough` ends the proof, and is among the peaks.
        """
        both = np.stack([v, -v])
        # Nodes of large problems take longer; these are as many as take about as long.
        nodes = min(nodes, _SMALL * nodes // self.inside.size)
        weights = self.points.weights(both)
        for level in (_FIRST, 1.0):
            if level * enough >= found.bound or nodes <= 0:
                continue
            proof = proved(self.points.units, weights, np.full(2, level * enough), nodes)
            nodes -= proof.nodes
            bound = float(self.points.bound_of_data(proof.bounds, both).max())
            atoms = np.concatenate([found.atoms, proof.atoms @ self.points.frame.T])
            heights = np.concatenate([found.heights, proof.heights])
            found = sorted_peaks(min(bound, found.bound), atoms, heights)
        return found
