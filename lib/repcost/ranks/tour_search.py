"""A short open tour, made from any: by moves that shorten it, and by kicks out of dead ends.

Where no move of `chain_moves` gains any more, three segments in a row change their order, in a way
that no such move takes back, and what moves then make of it is kept if it is no longer than before
(Martin, Otto & Felten 1991). The places are close to each other (Applegate, Cook & Rohe 2003).

The least tree that proves the lower bound, with its prices, tells where to look (Helsgaun 2000): an
edge is promising if its length and the prices of its ends add up to little. And moves are measured
by these sums, as each city keeps two edges, so that no move gains more or less by them; but
chains that lead nowhere are given up sooner.
"""

from array import array
from collections.abc import Sequence
from random import Random

import numpy as np
from jaxtyping import Float, Int

from repcost.ranks.chain_moves import Shortener
from repcost.ranks.closed_tours import ClosedTour
from repcost.ranks.spanning_trees import Edges, Points, Prices, nearest

Order = Int[np.ndarray, " n"]

# Of so many nearest cities the most promising are tried, beside neighbours in the tree.
_NEAREST, _PROMISING = 10, 6
# How far apart, in steps between promising cities, the places of a kick are at most.
_STEPS = 10
# Rows of costs are kept up to so many numbers, and kicks are for tours whose rows all are: others
# would spend their time on making rows again.
_MOST_KEPT = 2**24
# A kick takes half a millisecond: few for small tours, which are nearly best without, and as many
# as there are cities from this number on.
_MANY = 400


class EdgeCosts(dict):
    """Lengths and prices of the edges of a city, row by row as they are asked for.

    The last city is the gate, at distance zero from all. Its price is such that two of its edges
    cost nothing or less.
    """

    def __init__(self, points: Points, prices: Prices):
        self._points, self.prices = points, np.append(prices, -np.partition(prices, 1)[1])

    def __missing__(self, city: int) -> Sequence[float]:
        if (len(self) + 1) * len(self.prices) > _MOST_KEPT:
            self.clear()
        costs = self.between(np.full(len(self.prices), city), np.arange(len(self.prices)))
        # An array of Python's: much faster to look into than one of numpy's.
        self[city] = array("d", costs.tobytes())
        return self[city]

    def between(
        self, one: Int[np.ndarray, " m"], other: Int[np.ndarray, " m"]
    ) -> Float[np.ndarray, " m"]:
        gate = len(self._points)
        steps = self._points[np.minimum(one, gate - 1)] - self._points[np.minimum(other, gate - 1)]
        lengths = np.sqrt(np.einsum("mk,mk->m", steps, steps))
        apart = (one < gate) & (other < gate)
        return np.where(apart, lengths, 0.0) + self.prices[one] + self.prices[other]


def shortened(points: Points, prices: Prices, tree: Edges, order: Order) -> Order:
    """A tour that neither moves nor kicks shorten, from this one."""
    n, costs = len(points), EdgeCosts(points, prices)
    near = _promising(points, costs, tree)
    tour = ClosedTour([n, *order.tolist()])
    shortener, rng = Shortener(tour, costs, near), Random(0)
    shortener.shorten(tour.order)
    tour.settle()
    for _ in range(min(n * n // _MANY, 2 * n) if n > 8 and (n + 1) ** 2 <= _MOST_KEPT else 0):
        _kick(shortener, rng)
    gate = tour.place[n]
    return np.array(tour.order[gate + 1 :] + tour.order[:gate])


def _kick(shortener: Shortener, rng: Random) -> None:
    """Segments B, C, D that follow one another become D, C, B; taken back if that is longer."""
    tour, cost = shortener.tour, shortener.cost
    a, b, c, d = sorted(tour.place[city] for city in _close_cities(shortener.near, rng))
    B, C, D = tour.order[a + 1 : b + 1], tour.order[b + 1 : c + 1], tour.order[c + 1 : d + 1]
    before, after = tour.order[a], tour.order[d + 1 - len(tour.order)]
    tour.replace(a + 1, [*D, *C, *B])
    old = (before, B[0]), (B[-1], C[0]), (C[-1], D[0]), (D[-1], after)
    new = (before, D[0]), (D[-1], C[0]), (C[-1], B[0]), (B[-1], after)
    lost = sum(cost[i][j] for i, j in new) - sum(cost[i][j] for i, j in old)
    if shortener.shorten(city for edge in old for city in edge) < lost:
        tour.take_back()
    tour.settle()


def _close_cities(near: Sequence[Sequence[int]], rng: Random) -> set[int]:
    """Four different ones: one at random, and where walks from there lead."""
    start = rng.randrange(len(near))
    cities = {start}
    while len(cities) < 4:
        city = start
        for _ in range(rng.randint(1, _STEPS)):
            city = rng.choice(near[city])
        cities.add(city)
    return cities


def _promising(points: Points, costs: EdgeCosts, tree: Edges) -> list[list[int]]:
    """Of each city, and of the gate, those that a good tour may lead to; the cheapest first."""
    n, near = len(points), nearest(points, _NEAREST)
    one, other = np.repeat(np.arange(n), near.shape[1]), near.ravel()
    ranked = np.argsort(costs.between(one, other).reshape(near.shape), axis=1)[:, :_PROMISING]
    chosen = np.take_along_axis(near, ranked, axis=1)
    pairs = np.stack([np.repeat(np.arange(n), chosen.shape[1]), chosen.ravel()], axis=1)
    # Where it costs least the tour ends; there is the gate.
    ends = np.argsort(costs.prices[:-1])[:_PROMISING]
    gates = np.stack([ends, np.full(len(ends), n)], axis=1)
    return _by_city(costs, np.concatenate([pairs, tree, tree[:, ::-1], gates, gates[:, ::-1]]))


def _by_city(costs: EdgeCosts, pairs: Edges) -> list[list[int]]:
    """The second cities of the pairs, in a list for each first one, sorted by their cost."""
    cities = len(costs.prices)
    # A point that coincides with others may be listed as its own neighbour.
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    one, other = np.divmod(np.unique(pairs[:, 0] * cities + pairs[:, 1]), cities)
    ranked = other[np.lexsort((costs.between(one, other), one))].tolist()
    stops = np.cumsum(np.bincount(one, minlength=cities)).tolist()
    return [ranked[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]
