"""Trees below a tour: how prices on the points turn the least one into a much better lower bound.

Give every point a price, and let an edge cost its length and the prices of both its ends. A tour
pays each price twice, but those of its two ends once, and it is a spanning tree. So, whatever the
prices are,

    length of any tour >= least spanning tree - 2 sum of prices + the two smallest prices

(Held & Karp 1970, here for open tours). Prices rise where the tree has more than two edges.
"""

import math

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import depth_first_order, minimum_spanning_tree
from scipy.spatial import KDTree

from repcost.progress import bar
from repcost.rounding import UNIT

Points = Float[np.ndarray, "n k"]
Prices = Float[np.ndarray, " n"]
Edges = Int[np.ndarray, "_ 2"]
EdgeCosts = Float[np.ndarray, " edges"]

_STEPS = 120
# In mean lengths of an edge; the steps shrink to a hundredth of the first.
_FIRST_STEP, _SHRINK = 0.2, 0.01 ** (1 / _STEPS)
_MOMENTUM = 0.3


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


def ascent(points: Points, progress: bool = False) -> Prices:
    """Prices that make the bound large, by subgradient steps on the trees of a few edges per point.

    Those trees may miss an edge, so the bound itself has to be computed afresh, from all edges.
    """
    n = len(points)
    tree, lengths = least_spanning_tree(points, np.zeros(n))
    edges, scale = _with_neighbours(points, tree), lengths.mean()
    between = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    best, highest = np.zeros(n), -np.inf
    prices, before, step = np.zeros(n), np.zeros(n), _FIRST_STEP * scale
    for _ in bar(range(_STEPS), wanted=progress, what="prices"):
        bound, excess = _bound_and_excess(edges, between, prices, scale)
        if bound > highest:
            best, highest = prices, bound
        # Momentum: trees jump between steps, and their mean tells more than the last.
        prices = prices + step * ((1 - _MOMENTUM) * excess + _MOMENTUM * before)
        before, step = excess, step * _SHRINK
    return best


def walk(tree: Edges) -> Int[np.ndarray, " n"]:
    """The points in the order of a walk along the tree, depth first from one of its leaves."""
    n = len(tree) + 1
    graph = _graph(tree, np.ones(n - 1), n)
    leaf = int(np.bincount(tree.ravel()).argmin())
    order = depth_first_order(graph, leaf, directed=False, return_predecessors=False)
    return order.astype(np.int64)


def _bound_and_excess(
    edges: Edges, lengths: EdgeCosts, prices: Prices, scale: float
) -> tuple[float, Prices]:
    """The bound from these edges only, and how many more than two of the tree's each point has."""
    (i, j), n = edges.T, len(prices)
    costs = lengths + prices[i] + prices[j]
    # Entries of a sparse graph must be positive; a constant on all edges changes no tree.
    lift = scale - costs.min()
    tree = minimum_spanning_tree(_graph(edges, costs + lift, n)).tocoo()
    # The ends of a tour have one edge, not two: these two points are taken for them.
    ends = np.argpartition(prices, 1)[:2]
    bound = tree.data.sum() - (n - 1) * lift - 2 * prices.sum() + prices[ends].sum()
    excess = np.bincount(np.concatenate([*tree.coords, ends]), minlength=n) - 2.0
    return bound, excess


def _graph(edges: Edges, costs: EdgeCosts, n: int) -> csr_array:
    # scipy 1.15 takes only graphs that are indexed by 32 bits.
    return csr_array((costs, edges.T.astype(np.int32)), shape=(n, n))


def _with_neighbours(points: Points, tree: Edges) -> Edges:
    """The tree's edges and those from each point to its nearest ones, each once."""
    near = nearest(points)
    pairs = np.stack([np.repeat(np.arange(len(points)), near.shape[1]), near.ravel()], axis=1)
    pairs = np.unique(np.sort(np.concatenate([pairs, tree]), axis=1), axis=0)
    return pairs[pairs[:, 0] < pairs[:, 1]]
