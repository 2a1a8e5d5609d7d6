"""Prices that make the bound of `spanning_trees` large, by subgradient steps.

A price rises where the least tree has more than two edges and falls where it has one; the two
points with the smallest prices count as if the tour ended there. The trees are those of a sparse
graph, which has the nearest neighbours of each point, and every so often it gets the edges that
the least tree of all edges would have at the best prices.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from repcost.progress import bar
from repcost.ranks.spanning_trees import (
    EdgeCosts,
    Edges,
    Points,
    Prices,
    least_spanning_tree,
    nearest,
)

# More points take more steps, in rounds with more and more edges.
_FEWEST_STEPS, _MOST_STEPS, _POINTS_PER_STEP, _ROUNDS = 60, 300, 4, 3
# In mean lengths of an edge; over all steps they shrink to a hundredth of the first.
_FIRST_STEP, _LAST_STEP = 0.2, 0.002
_MOMENTUM = 0.3


def ascent(points: Points, progress: bool = False) -> Prices:
    """Prices whose bound is large; the bound itself has to be computed afresh, from all edges."""
    n = len(points)
    tree, lengths = least_spanning_tree(points, np.zeros(n))
    pairs = _pairs_with_neighbours(points)
    steps = min(_FEWEST_STEPS + n // _POINTS_PER_STEP, _MOST_STEPS)
    sizes = lengths.mean() * np.geomspace(_FIRST_STEP, _LAST_STEP, steps)
    prices = np.zeros(n)
    for part in bar(np.array_split(sizes, _ROUNDS), wanted=progress, what="prices"):
        graph = _SparseGraph.of(points, [pairs, tree])
        prices = _climbed(graph, prices, part)
        pairs, (tree, _) = graph.edges, least_spanning_tree(points, prices)
    return prices


def _pairs_with_neighbours(points: Points) -> Edges:
    near = nearest(points)
    pairs = np.stack([np.repeat(np.arange(len(points)), near.shape[1]), near.ravel()], axis=1)
    # A point that coincides with others may be listed as its own neighbour.
    return pairs[pairs[:, 0] != pairs[:, 1]]


@dataclass(frozen=True, eq=False)
class _SparseGraph:
    """Edges i < j, sorted, with their lengths; j alone, and where those of each i begin."""

    edges: Edges
    lengths: EdgeCosts
    others: Int[np.ndarray, " edges"]
    starts: Int[np.ndarray, " m"]

    @classmethod
    def of(cls, points: Points, edges: list[Edges]) -> "_SparseGraph":
        """Each edge once."""
        pairs, n = np.sort(np.concatenate(edges), axis=1), len(points)
        # Sorting numbers takes a tenth of the time of sorting rows.
        i, j = np.divmod(np.unique(pairs[:, 0] * n + pairs[:, 1]), n)
        lengths = np.linalg.norm(points[i] - points[j], axis=1)
        starts = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=n))])
        # scipy 1.15 takes only graphs that are indexed by 32 bits.
        stops = j.astype(np.int32), starts.astype(np.int32)
        return cls(np.stack([i, j], axis=1), lengths, *stops)

    def bound_and_excess(self, prices: Prices) -> tuple[float, Prices]:
        """The bound from these edges, and how many more than two of the tree's each point has."""
        n, (i, j) = len(prices), self.edges.T
        costs = self.lengths + prices[i] + prices[j]
        # Entries of a sparse graph must be positive; a constant on all edges changes no tree.
        lift = float(self.lengths.mean() - costs.min())
        rows = csr_array((costs + lift, self.others, self.starts), shape=(n, n))
        tree = minimum_spanning_tree(rows)
        # The ends of a tour have one edge, not two: these two points are taken for them.
        ends = np.argpartition(prices, 1)[:2]
        bound = tree.data.sum() - (n - 1) * lift - 2 * prices.sum() + prices[ends].sum()
        excess = np.bincount(tree.indices, minlength=n) + np.diff(tree.indptr) - 2.0
        excess[ends] += 1
        return float(bound), excess


def _climbed(graph: _SparseGraph, best: Prices, sizes: EdgeCosts) -> Prices:
    """The best prices found by steps of these sizes, and the given ones among them."""
    highest, before, prices = -np.inf, np.zeros(len(best)), best
    for size in sizes:
        bound, excess = graph.bound_and_excess(prices)
        if bound > highest:
            best, highest = prices, bound
        # Momentum: trees jump between steps, and their mean tells more than the last.
        prices = prices + size * ((1 - _MOMENTUM) * excess + _MOMENTUM * before)
        before = excess
    return best
