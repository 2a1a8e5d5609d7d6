"""Covers of a graph by cliques, which bound from below how many nonnegative vectors make up a
matrix.
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
    """The least number of cliques of `graph` that contain every one of `pairs` (i, i) and (i, j),
    and such cliques.

    By integer programming over the maximal cliques. For graphs too large for that: a lower bound,
    and no cliques.
    """
    i, j = np.nonzero(np.tril(pairs))
    none = np.zeros((0, len(graph)), dtype=bool)
    if not len(i):
        return 0, none
    found = list(islice(maximal_cliques(graph), _MOST_CLIQUES + 1))
    if len(found) > _MOST_CLIQUES:
        return 1, none
    cliques = np.zeros((len(found), len(graph)), dtype=bool)
    for row, clique in zip(cliques, found, strict=True):
        row[list(clique)] = True
    ones = np.ones(len(cliques))
    covers = LinearConstraint((cliques[:, i] & cliques[:, j]).T.astype(float), lb=1)
    best = milp(
        ones,
        constraints=covers,
        integrality=ones,
        bounds=Bounds(0, 1),
        options={"node_limit": _MOST_NODES},
    )
    if best.x is None:
        return 1, none
    # HiGHS takes 1e-6 for whole.
    return int(np.ceil(best.mip_dual_bound - 1e-3)), cliques[best.x > 0.5]


def maximal_cliques(graph: Graph) -> Iterator[set[int]]:
    """Every clique that no vertex can be added to; Bron & Kerbosch (1973) with a pivot of most
    neighbours.
    """
    neighbours = [set(np.flatnonzero(row)) - {v} for v, row in enumerate(graph)]

    def grow(clique: set, candidates: set, done: set) -> Iterator[set[int]]:
        if not candidates and not done:
            yield clique
            return
        pivot = max(candidates | done, key=lambda v: len(neighbours[v] & candidates))
        for v in candidates - neighbours[pivot]:
            yield from grow(clique | {v}, candidates & neighbours[v], done & neighbours[v])
            candidates, done = candidates - {v}, done | {v}

    return grow(set(), set(range(len(graph))), set())
