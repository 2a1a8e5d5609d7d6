"""Branch and bound for several functions at once: which of them stay below their targets."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import lsq_linear

from repcost.rounding import TINY
from repcost.shallow.branching.nodes import Nodes, Queue
from repcost.shallow.branching.ranges import Sides, by_cap, by_half_spaces, by_terms
from repcost.shallow.branching.weak_duals import WeakDual, lowered

Functions = Float[np.ndarray, "T N"]

# Numbers in the arrays of a batch: enough to keep products of matrices busy, few enough to stay in
# the cache. And steps of the ascent for a node.
_BATCH, _STEPS = 32_000, 10
# Where ranges have become this much narrower, in sum, the bounds are worth a second ascent.
_NARROWER = 0.9


@dataclass(frozen=True, eq=False)
class Proof:
    """What is known of max sum_i v_i relu(u_i.w) over |w| <= 1, for each function v of T.

    bounds: at least the maxima. heights: what was found at the unit vectors `atoms` (T, r).
    nodes: how many there were. is_complete: no node is left above its target.
    """

    bounds: Float[np.ndarray, " T"]
    heights: Float[np.ndarray, " T"]
    atoms: Float[np.ndarray, "T r"]
    nodes: int
    is_complete: bool


def proved(
    units: Float[np.ndarray, "N r"],
    functions: Functions,
    targets: Float[np.ndarray, " T"],
    most_nodes: int,
    spare: float | None = None,
) -> Proof:
    """Bounds that are no higher than the targets, if the maxima and the number of nodes allow it.

    What is found above a target ends the search. Or, if `spare` is given, the target is raised to
    that, and by `spare` of it.

    >>> proof = proved(np.eye(2), np.array([[3.0, 4.0]]), np.array([5.1]), 100)
    >>> proof.bounds.round(9).tolist(), proof.is_complete
    ([5.1], True)
    """
    search = _Search(units, functions, targets, spare)
    waiting, count = Queue(Nodes.roots(functions)), 0
    while len(waiting) and count < most_nodes and not search.has_failed:
        nodes = waiting.next(max(16, _BATCH // len(units)))
        count += len(nodes)
        nodes = nodes.only(nodes.bound > search.targets[nodes.tree])
        waiting.add(search.children(nodes))
    tree, left = waiting.bounds
    bounds = search.targets.copy()
    np.maximum.at(bounds, tree, left)
    above = left > search.targets[tree]
    return Proof(bounds, search.heights, search.atoms, count, not above.any())


class _Search:
    """The functions with what is known of them; their nodes come and go."""

    def __init__(
        self, units: np.ndarray, functions: Functions, targets: np.ndarray, spare: float | None
    ):
        self.units, self.functions, self.spare = units, functions, spare
        # A target is never so low that the rounding of a bound exceeds it.
        least = 1e-9 * np.abs(functions).sum(axis=1)
        self.targets = np.maximum(targets, np.maximum(least, TINY))
        self.heights = np.zeros(len(functions))
        self.atoms = np.zeros((len(functions), units.shape[1]))
        self.has_failed = False
        self.lipschitz = float(np.linalg.norm(units, 2) ** 2)

    def children(self, nodes: Nodes) -> Nodes:
        """What is left of these nodes, each cut in two; leaves are done with."""
        before = self._widths(nodes)
        nodes, sides = self._narrowed(self._within_half_spaces(nodes))
        if self._widths(nodes) < _NARROWER * before:
            nodes, sides = self._narrowed(self._within_half_spaces(nodes))
        w = self._trials(nodes)
        self._note(nodes.tree, w)
        is_open = np.any(self._open(nodes), axis=1)
        self._finish(nodes.only(np.flatnonzero(~is_open)))
        above = np.flatnonzero(is_open & (nodes.bound > self.targets[nodes.tree]))
        nodes, sides, w = nodes.only(above), sides.only(above), w[above]
        return _split(nodes, sides, self._worst(nodes, w))

    def _widths(self, nodes: Nodes) -> float:
        return float((nodes.high - nodes.low)[self.functions[nodes.tree] > 0].sum())

    def _narrowed(self, nodes: Nodes) -> tuple[Nodes, Sides]:
        """The nodes that may exceed their targets, with better bounds on narrower ranges."""
        v, target = self.functions[nodes.tree], self.targets[nodes.tree]
        ranges = v, nodes.low, nodes.high
        theta, bound = lowered(self.units, self.lipschitz, *ranges, nodes.theta, target, _STEPS)
        nodes.theta, nodes.bound = theta, np.minimum(nodes.bound, bound)
        dual = WeakDual.of(self.units, *ranges, theta)
        low, high = by_cap(self.units, dual, target, nodes.low, nodes.high)
        sides = by_terms(v, theta, dual, target, low, high)
        nodes.low, nodes.high = sides.ends
        alive = (nodes.bound > target) & np.all(nodes.low <= nodes.high, axis=1)
        return nodes.only(alive), sides.only(alive)

    def _within_half_spaces(self, nodes: Nodes) -> Nodes:
        wanted = self._open(nodes)
        if not nodes.sides.any() or not wanted.any():
            return nodes
        v, target = self.functions[nodes.tree], self.targets[nodes.tree]
        dual = WeakDual.of(self.units, v, nodes.low, nodes.high, nodes.theta)
        ranges = nodes.low, nodes.high, wanted
        nodes.low, nodes.high = by_half_spaces(self.units, nodes.sides, dual, target, *ranges)
        return nodes.only(np.all(nodes.low <= nodes.high, axis=1))

    def _open(self, nodes: Nodes) -> np.ndarray:
        return (nodes.low < 0) & (nodes.high > 0) & (self.functions[nodes.tree] > 0)

    def _trials(self, nodes: Nodes) -> Float[np.ndarray, "B r"]:
        q = nodes.theta @ self.units
        return q / np.maximum(np.linalg.norm(q, axis=1), 1e-300)[:, None]

    def _note(self, tree: np.ndarray, w: Float[np.ndarray, "B r"]) -> None:
        """Keep the highest of these neurons, and raise targets that they exceed."""
        reached = np.einsum("bn,bn->b", np.maximum(w @ self.units.T, 0.0), self.functions[tree])
        for i in np.flatnonzero(reached > self.heights[tree]):
            if reached[i] > self.heights[tree[i]]:
                self.heights[tree[i]], self.atoms[tree[i]] = reached[i], w[i]
        exceeded = self.heights > self.targets
        raised = np.where(exceeded, self.heights * (1 + (self.spare or 0.0)), 0.0)
        self.targets = np.maximum(self.targets, raised)
        self.has_failed |= bool(exceeded.any()) and self.spare is None

    def _finish(self, leaves: Nodes) -> None:
        """Where all signs of v_i > 0 are known, the maximum without the ranges is a distance.

        The function with these signs is nowhere above the one that is bounded, so that leaving out
        the ranges takes it no higher than the target, or has found something higher.
        """
        for i in range(len(leaves)):
            v = self.functions[leaves.tree[i]]
            theta = _of_nearest(self.units, v, (leaves.low[i] >= 0) & (v > 0))
            leaf = Nodes.roots(v[None])
            leaf.theta = theta[None]
            self._note(leaves.tree[i : i + 1], self._trials(leaf))
            low = np.where((v > 0) & (leaves.low[i] >= 0), 0.0, leaf.low)
            high = np.where((v > 0) & (leaves.low[i] < 0), 0.0, leaf.high)
            bound = WeakDual.of(self.units, v[None], low, high, leaf.theta).bound
            tree = leaves.tree[i]
            self.targets[tree] = max(self.targets[tree], min(bound.item(), leaves.bound[i]))

    def _worst(self, nodes: Nodes, w: Float[np.ndarray, "B r"]) -> np.ndarray:
        """The open point of each node at which the secant is furthest above the relu."""
        v, is_open = self.functions[nodes.tree], self._open(nodes)
        width = np.where(is_open, nodes.high - nodes.low, 1.0)
        z = np.clip(w @ self.units.T, nodes.low, nodes.high)
        secant = nodes.high * (z - nodes.low) / width
        # And a little of the widest gap, for trials at the end of a range.
        gap = secant - np.maximum(z, 0.0) - 1e-3 * nodes.high * nodes.low / width
        return np.where(is_open, v * gap, -np.inf).argmax(axis=1)


def _split(nodes: Nodes, sides: Sides, at: np.ndarray) -> Nodes:
    """Both sides of each node at one point, but for those that are empty."""
    rows = np.arange(len(nodes))
    halves = []
    for sign, low, high in ((1, sides.above, sides.high), (-1, sides.low, sides.below)):
        half = nodes.only(rows)
        half.low[rows, at], half.high[rows, at] = low[rows, at], high[rows, at]
        half.sides[rows, at] = sign
        halves.append(half.only(low[rows, at] <= high[rows, at]).parts)
    return Nodes(**{name: np.concatenate([half[name] for half in halves]) for name in halves[0]})


def _of_nearest(units: np.ndarray, v: np.ndarray, active: np.ndarray) -> np.ndarray:
    """theta that is v at the active points, between v and 0 where v < 0: the shortest sum."""
    theta = np.where(active, v, 0.0)
    free = np.flatnonzero(v < 0)
    if len(free):
        bounds = v[free], np.zeros(len(free))
        found = lsq_linear(units[free].T, -(theta @ units), bounds, method="bvls")
        theta[free] = np.clip(found.x, *bounds)
    return theta
