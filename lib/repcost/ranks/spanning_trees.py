"""Trees below a tour: how prices on the points turn the least one into a much better lower bound.

Give every point a price, and let an edge cost its length and the prices of both its ends. A tour
pays each price twice, but those of its two ends once, and it is a spanning tree. So, whatever the
prices are,

    length of any tour >= least spanning tree - 2 sum of prices + the two smallest prices

(Held & Karp 1970, here for open tours). `prices` finds good ones.
"""

import math

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import depth_first_order
from scipy.spatial import KDTree

from repcost.rounding import UNIT

Points = Float[np.ndarray, "n k"]
Prices = Float[np.ndarray, " n"]
Edges = Int[np.ndarray, "_ 2"]
EdgeCosts = Float[np.ndarray, " edges"]


def nearest(points: Points, count: int = 8) -> Int[np.ndarray, "n m"]:
    """The nearest other points of each; where points nearly coincide it may list itself."""
    # A point's nearest is the point itself, as a rule: it is asked for and left out.
    return np.asarray(KDTree(points).query(points, min(count + 1, len(points)))[1])[:, 1:]


def least_spanning_tree(points: Points, prices: Prices) -> tuple[Edges, EdgeCosts]:
    """Edges of a least spanning tree and their costs: Prim's algorithm, without a table."""
    n = len(points)
    # The first `left` columns and entries are the points outside the tree, with their cheapest edge
    # into it. Points are columns here, so that those of one coordinate lie side by side.
    outside, name, price = np.array(points[1:].T, order="C"), np.arange(1, n), prices[1:].copy()
    cost, link = np.full(n - 1, np.inf), np.zeros(n - 1, dtype=np.int64)
    edges, costs, newest = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1), 0
    for left in range(n - 1, 0, -1):
        steps = outside[:, :left] - points[newest][:, None]
        offer = np.sqrt(np.einsum("kn,kn->n", steps, steps)) + prices[newest] + price[:left]
        closer = offer < cost[:left]
        cost[:left][closer], link[:left][closer] = offer[closer], newest
        chosen = int(cost[:left].argmin())
        newest = int(name[chosen])
        edges[left - 1], costs[left - 1] = (link[chosen], newest), cost[chosen]
        # The last one outside takes the place of the one that has joined the tree.
        outside[:, chosen] = outside[:, left - 1]
        for entries in (name, price, cost, link):
            entries[chosen] = entries[left - 1]
    return edges, costs


def tour_floor(costs: EdgeCosts, prices: Prices, relative: float) -> float:
    """The bound at the head of this file, from a least tree whose lengths have this rounding."""
    bound = math.fsum([*costs, *(-2 * prices), *np.sort(prices)[:2]])
    # An edge's cost is rounded twice; along the tour each price enters two edges.
    allowance = 8 * UNIT * math.fsum(np.abs(prices))
    return (bound - allowance) / (1 + relative + 8 * UNIT)


def walk(tree: Edges) -> Int[np.ndarray, " n"]:
    """The points in the order of a walk along the tree, depth first from one of its leaves."""
    n = len(tree) + 1
    # scipy 1.15 takes only graphs that are indexed by 32 bits.
    graph = csr_array((np.ones(n - 1), tree.T.astype(np.int32)), shape=(n, n))
    leaf = int(np.bincount(tree.ravel()).argmin())
    order = depth_first_order(graph, leaf, directed=False, return_predecessors=False)
    return order.astype(np.int64)
