"""Faces that floats list are those that whole numbers list, wherever points lie."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from repcost.shallow import oracle as oracles
from repcost.shallow import shallow_optimum, simple_rays
from repcost.shallow.arrangements import sign_vectors, whole_rows
from repcost.shallow.branching import UnitPoints, proved, tree
from repcost.shallow.branching import nodes as waiting
from repcost.shallow.oracle import Oracle
from repcost.shallow.simple_rays import simple_lines

rng = np.random.default_rng(5)
GRID = np.array([[x, y, 1.0] for x in range(4) for y in range(3)])
PLACES = {
    "in general position": rng.normal(size=(14, 3)),
    "on a line": rng.normal(size=(9, 2)),
    "of four coordinates": rng.normal(size=(9, 4)),
    "of five, which floats leave alone": rng.normal(size=(7, 5)),
    "on a grid": GRID,
    "on a grid, some moved": GRID
    + 1e-3 * rng.normal(size=GRID.shape) * (np.arange(12) > 6)[:, None],
    "nearly on a grid": GRID * (1 + 1e-15 * rng.integers(-2, 3, GRID.shape)),
    "twice, opposite, and zero": np.array(
        [[1.0, 2, 0], [1, 2, 0], [-2, -4, 0], [0, 0, 0], [1, 0, 3]]
    ),
    "of all sizes": rng.normal(size=(8, 3)) * 10.0 ** rng.integers(-200, 200, (8, 1)),
    "of coordinates of all sizes": rng.normal(size=(8, 3)) * 10.0 ** rng.integers(-40, 40, (8, 3)),
}


@pytest.mark.parametrize("points", PLACES)
def test_they_are_the_same_faces_in_the_same_order(points, monkeypatch):
    rows = whole_rows(PLACES[points])
    found = sign_vectors(rows, 10_000)
    monkeypatch.setattr(simple_rays, "_MOST_DIMENSIONS", 0)
    truth = sign_vectors(rows, 10_000)
    assert found is not None and truth is not None and np.array_equal(found, truth)


def test_floats_do_the_work_in_general_position_and_none_of_it_on_a_line():
    rays, chosen, others = simple_lines(whole_rows(rng.normal(size=(12, 3))), 3)
    assert len(rays) == len(chosen) == 66 and others == []
    rays, _, others = simple_lines([(1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1)], 3)
    # Three planes meet in one line, which three pairs of them choose.
    assert len(rays) == 3 and len(others) == 3


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_determinants_are_off_by_far_less_than_what_is_sure(rank):
    rows = rng.uniform(-1, 1, (200, rank, rank))
    rows /= np.abs(rows).max(axis=2, keepdims=True)
    # Nearly dependent ones, too.
    rows[:100, -1] = rows[:100, 0] + 1e-14 * rows[:100, -1]
    rows = np.clip(rows, -1, 1)
    found = np.einsum("lr,lr->l", simple_rays._minors(rows[:, :-1]), rows[:, -1])
    truths = [_determinant([[Fraction(x) for x in row] for row in each]) for each in rows.tolist()]
    sign = (-1) ** (rank - 1)
    off = [abs(Fraction(one) - sign * truth) for one, truth in zip(found, truths, strict=True)]
    assert 0 < max(off) < simple_rays._SURE / 100


def _determinant(rows) -> Fraction:
    total = Fraction(0)
    for order in permutations(range(len(rows))):
        inversions = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
        term = Fraction((-1) ** inversions)
        for row, column in zip(rows, order, strict=True):
            term *= row[column]
        total += term
    return total


def test_beyond_the_limit_of_memory_none_is_listed():
    rows = whole_rows(rng.normal(size=(30, 3)))
    assert sign_vectors(rows, 30 * 29 * 4 - 1) is None
    found = sign_vectors(rows, 30 * 29 * 4 + 100)
    assert found is not None and len(found) == 2 + 30 * 29 * 4


# A proof that takes too many nodes lists the faces after all.


def test_a_proof_that_takes_many_nodes_lists_faces(monkeypatch):
    Xt = np.column_stack([rng.normal(size=(40, 2)), np.ones(40)])
    V = rng.normal(size=(40, 1))
    exact = Oracle(Xt).peaks(V)
    monkeypatch.setattr(oracles, "MOST_FACES", 1)
    monkeypatch.setattr(oracles, "_FIRST_NODES", 1)
    short = Oracle(Xt)
    assert not short.is_exact and short.peaks(V).bound > 1.5 * exact.bound
    enough = exact.bound * (1 + 1e-9)
    assert short.proved(V, enough, 1000).bound == exact.bound
    # Nobody asked for more than one node, or faces would be too many.
    assert short.proved(V, enough, 1).bound > 1.1 * exact.bound
    monkeypatch.setattr(oracles, "_MOST_SIGNS", 1000)
    assert Oracle(Xt).proved(V, enough, 1).bound > 1.1 * exact.bound


def test_points_of_the_plane_for_which_nodes_were_too_many():
    """150 of them with this decay left a gap of two fifths after 200,000 nodes."""
    random = np.random.default_rng(0)
    data = random.normal(size=(150, 2)), random.normal(size=(150, 1))
    found = shallow_optimum(*data, 0.01, rtol=1e-4)
    assert found.loss.relative_gap <= 1e-4


# Nodes that wait do not fill the memory.


@pytest.fixture(scope="module")
def hard():
    """Points and the multiplier of their optimum: many neurons are nearly as steep as can be."""
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(24, 2)), random.normal(size=(24, 1))
    points = UnitPoints.of(np.column_stack([X, np.ones(24)]))
    v = points.weights(shallow_optimum(X, Y, 0.01).multiplier.T)
    return points.units, np.concatenate([v, -v]), np.full(2, 1.01)


@pytest.mark.parametrize("most", [0, 1000])
def test_where_too_many_nodes_wait_the_last_are_next(most, hard, monkeypatch):
    monkeypatch.setattr(tree, "_BATCH", 400)
    best = proved(*hard, most_nodes=10**5)
    lengths = []
    added = waiting.Queue.add

    def add(self, nodes):
        added(self, nodes)
        lengths.append((len(self), self.is_long))

    monkeypatch.setattr(waiting, "_MOST_NUMBERS", most)
    monkeypatch.setattr(waiting.Queue, "add", add)
    found = proved(*hard, most_nodes=10**5)
    assert best.is_complete and found.is_complete and best.nodes > 500
    assert any(is_long for _, is_long in lengths)
    assert (found.bounds <= 1.01 * (1 + 1e-12)).all()
