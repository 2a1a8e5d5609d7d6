"""The steepest neuron where the faces are too many to list: a search, and proofs of it.

A coarse bound is had at once (`coarse`). Branch and bound (`branching`) proves the rest, for few
outputs.
"""

from functools import cached_property

import numpy as np
from jaxtyping import Float

from repcost.arrays import distinct_rows
from repcost.shallow.branching import UnitPoints, climbed, proved, proved_for_outputs
from repcost.shallow.coarse import CoarseBound
from repcost.shallow.faces import unit_rows
from repcost.shallow.peaks import Peaks, sorted_peaks

Multiplier = Float[np.ndarray, "N m"]
Atoms = Float[np.ndarray, "k d"]

# A bound, neurons in coordinates of the span, and the number of nodes.
_Proof = tuple[float, np.ndarray, int]

# Random starts of each of two kinds, in a search that a round can afford and in a thorough one.
_STARTS, _MANY = 30, 300
# Neurons that begin a proof for several outputs.
_STEEP = 200
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

    def proved(self, V: Multiplier, enough: float, nodes: int, found: Peaks) -> Peaks:
        """The same with a bound that is no higher than `enough`, if that and `nodes` allow it.

        `found` is what a search has found, with a bound from elsewhere. What is steeper than
        `enough` ends the proof, and is among the peaks.
        """
        # Nodes of large problems take longer; these are as many as take about as long.
        nodes = min(nodes, _SMALL * nodes // self.inside.size)
        proof = self._scalar if V.shape[1] == 1 else self._vector
        for level in (_FIRST, 1.0):
            if level * enough < found.bound and nodes > 0:
                bound, w, count = proof(V, level * enough, nodes, found)
                nodes -= count
                heights = np.linalg.norm(self._outputs(w, V), axis=1)
                atoms = np.concatenate([found.atoms, w @ self.points.frame.T])
                heights = np.concatenate([found.heights, heights])
                found = sorted_peaks(min(bound, found.bound), atoms, heights)
        return found

    def _outputs(self, w: Float[np.ndarray, "n r"], V: Multiplier) -> Float[np.ndarray, "n m"]:
        return np.maximum(w @ self.inside.T, 0.0) @ V

    def _scalar(self, V: Multiplier, target: float, nodes: int, found: Peaks) -> _Proof:
        both = np.stack([V[:, 0], -V[:, 0]])
        weights = self.points.weights(both)
        proof = proved(self.points.units, weights, np.full(2, target), nodes)
        bound = float(self.points.bound_of_data(proof.bounds, both).max())
        return bound, proof.atoms, proof.nodes

    def _vector(self, V: Multiplier, target: float, nodes: int, found: Peaks) -> _Proof:
        steep = found.atoms[:_STEEP] @ self.points.frame
        return proved_for_outputs(self.points, V, steep, target, nodes)
