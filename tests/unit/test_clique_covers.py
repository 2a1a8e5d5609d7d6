"""Covers by cliques against all covers of small graphs."""

from itertools import combinations, product

import numpy as np
import pytest

from repcost.covariances.cliques import clique_cover, maximal_cliques


def all_cliques(graph):
    subsets = (
        c for size in range(1, len(graph) + 1) for c in combinations(range(len(graph)), size)
    )
    return [frozenset(c) for c in subsets if all(graph[v, w] for v, w in combinations(c, 2))]


def least_cover(graph, pairs):
    """The least number of cliques by trying all sets of them."""
    needed = {(v, w) for v, w in product(range(len(graph)), repeat=2) if v >= w and pairs[v, w]}
    covered = [{(v, w) for v, w in needed if {v, w} <= clique} for clique in all_cliques(graph)]
    return next(
        n
        for n in range(len(needed) + 1)
        if any(set().union(*some) == needed for some in combinations(covered, n))
    )


def random_graph(seed):
    graph = np.random.default_rng(seed).uniform(size=(4, 4)) < 0.6
    graph |= graph.T
    np.fill_diagonal(graph, True)
    return graph


@pytest.mark.parametrize("seed", range(12))
def test_clique_covers_against_all_covers(seed):
    graph = random_graph(seed)
    count, cliques = clique_cover(graph, graph)
    assert count == least_cover(graph, graph) == len(cliques)
    assert ((cliques.T.astype(int) @ cliques > 0) == graph).all()
    assert all(graph[np.ix_(*[np.flatnonzero(c)] * 2)].all() for c in cliques)


@pytest.mark.parametrize("seed", range(12))
def test_maximal_cliques_are_those_within_no_other(seed):
    graph = random_graph(seed)
    every = all_cliques(graph)
    assert {frozenset(c) for c in maximal_cliques(graph)} == {
        c for c in every if not any(c < d for d in every)
    }
