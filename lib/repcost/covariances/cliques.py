"""Covers of a graph by cliques: how many nonnegative vectors a matrix needs at least.

If A = sum_k b_k b_k^T with nonnegative b_k, two points where the same b_k is positive have a
positive entry of A. So the support of each b_k is a clique of the graph of A, and every
positive entry lies in one of them. A clique may as well be maximal. Choosing the fewest
maximal cliques that contain all pairs is an integer programme, whose own lower bound counts
if it is cut short.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from jaxtyping import Bool
from scipy.optimize import Bounds, LinearConstraint, milp

Graph = Bool[np.ndarray, "N N"]
Sets = Bool[np.ndarray, "sets N"]

# Beyond these the bound is given up, or is what branch and bound has proven so far.
_MOST_CLIQUES, _MOST_NODES = 5000, 5000


def clique_cover(graph: Graph, pairs: Graph) -> tuple[int, Sets]:
    """The least number of cliques of `graph` that contain all of `pairs`, and such cliques.

    By integer programming over the maximal cliques; pairs are (i, i) and (i, j). For graphs too
    large for that: a lower bound, and no cliques.

    >>> path = np.array([[True, True, False], [True, True, True], [False, True, True]])
    >>> clique_cover(path, path)[0]
    2
    """
    i, j = np.nonzero(np.tril(pairs))
    none = np.zeros((0, len(graph)), dtype=bool)
    if not len(i):
        return 0, none
    # One more than wanted, to see whether that was all.
    found = list(islice(maximal_cliques(graph), _MOST_CLIQUES + 1))
    if len(found) > _MOST_CLIQUES:
        return 1, none
    cliques = _members(found, len(graph))
    best = _programme((cliques[:, i] & cliques[:, j]).T)
    if best.x is None:
        return 1, none
    # HiGHS takes 1e-6 for whole.
    return int(np.ceil(best.mip_dual_bound - 1e-3)), cliques[best.x > 0.5]


def _members(cliques: list[set[int]], vertices: int) -> Sets:
    rows = np.zeros((len(cliques), vertices), dtype=bool)
    for row, clique in zip(rows, cliques, strict=True):
        row[list(clique)] = True
    return rows


def _programme(contains: Bool[np.ndarray, "pairs cliques"]):
    """The fewest columns, so that each row has a True in one of them."""
    ones = np.ones(contains.shape[1])
    covers = LinearConstraint(contains.astype(float), lb=1)
    limits = {"node_limit": _MOST_NODES}
    return milp(ones, constraints=covers, integrality=ones, bounds=Bounds(0, 1), options=limits)


def maximal_cliques(graph: Graph) -> Iterator[set[int]]:
    """Every clique that no vertex can be added to.

    Bron & Kerbosch (1973): a clique grows by its common neighbours; those that were tried
    before are kept apart, so that no clique comes twice. A clique without the pivot and
    without any vertex that is not its neighbour could still take the pivot, so only those
    vertices need be tried; the pivot with the most neighbours leaves the fewest.
    """
    neighbours = [set(np.flatnonzero(row).tolist()) - {v} for v, row in enumerate(graph)]

    def grow(clique: set, candidates: set, done: set) -> Iterator[set[int]]:
        if not candidates and not done:
            yield clique
            return
        pivot = max(candidates | done, key=lambda v: len(neighbours[v] & candidates))
        for v in candidates - neighbours[pivot]:
            yield from grow(clique | {v}, candidates & neighbours[v], done & neighbours[v])
            candidates, done = candidates - {v}, done | {v}

    return grow(set(), set(range(len(graph))), set())
