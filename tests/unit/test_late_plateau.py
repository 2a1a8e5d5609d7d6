"""Layers whose plateau begins late, and dimensions of pairs of covariances, by other arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from repcost import DeepNet, Objective, cp_rank, shallow_optimum
from repcost.covariances import (
    bipartite_covariance,
    bipartite_edges,
    bipartite_ends,
    bipartite_least_loss,
    derivative_rank,
    edge_rows,
    nonnegative_descents,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("N", [2, 4, 6])
def test_the_matrix_and_its_ranks(N):
    B = bipartite_covariance(N)
    two = np.kron(1 - np.eye(2), np.ones((N // 2, N // 2))) + N // 2 * np.eye(N)
    rank = cp_rank(B)
    assert np.array_equal(B, two)
    assert np.linalg.matrix_rank(B) == N - 1
    assert (rank.lower, rank.upper) == (N * N // 4, N * N // 4)


def test_the_edges_of_a_graph():
    for N in (2, 4, 6):
        E = bipartite_edges(N)
        assert E.shape == (N * N // 4, N) and (E.sum(axis=1) == 2).all()
        assert np.array_equal(E.T @ E, bipartite_covariance(N))
    for wrong in ([], [(0, 0)], [(0, 1, 2)], [(-1, 0)], [(0.5, 1)]):
        with pytest.raises(ValueError, match="pairs"):
            edge_rows(wrong)


def test_descents_come_to_rest_at_any_strength():
    """The loss is in proportion to the strength; where a descent ends must not depend on it."""
    B = bipartite_covariance(4)
    for strength in (1e-3, 1e-4):
        found = nonnegative_descents(B @ B, 4, strength, 8, np.random.default_rng(2)).losses[0]
        assert found == pytest.approx(float(bipartite_least_loss(4, strength)), rel=1e-10)


@pytest.mark.parametrize("strength", [0.02, 0.1])
def test_the_least_loss_is_that_of_the_certified_optimum(strength):
    B = bipartite_covariance(4).astype(float)
    best = shallow_optimum(np.eye(4), B, strength, bias=0).loss
    assert bipartite_least_loss(4, strength) == pytest.approx(best.value, rel=1e-8)
    assert bipartite_least_loss(4, Fraction(1, 8)) == Fraction(29, 16)


@pytest.mark.parametrize("N", [2, 4, 6])
def test_a_network_and_a_certificate_meet_in_the_least_loss(N):
    root, inner = Fraction(13, 17), Fraction(7, 17)
    least = bipartite_least_loss(N, 1 - root**2)
    assert bipartite_ends(N, root, inner) == (least, least)
    with pytest.raises(ValueError, match="inner must be the root"):
        bipartite_ends(N, root, Fraction(1, 2))


def test_descents_end_at_networks_and_reach_the_least_loss():
    B, strength = bipartite_covariance(4), 0.05
    found = nonnegative_descents(B @ B, 4, strength, 8, np.random.default_rng(1))
    assert (np.diff(found.losses) >= 0).all() and (found.best >= 0).all()
    assert found.losses[0] == pytest.approx(bipartite_least_loss(4, strength), rel=1e-9)
    narrow = nonnegative_descents(B @ B, 3, strength, 8, np.random.default_rng(1))
    assert narrow.losses[0] > found.losses[0] * 1.001
    # The network with this layer and the best outer weights has that loss.
    C, ridge = narrow.best, 4 * strength * np.eye(3)
    A = np.linalg.solve(C @ C.T + ridge, C @ B)
    net = DeepNet([C, A.T], [np.zeros(3), np.zeros(4)])
    value = Objective.jacot_2022(strength, bias=0.0).value(net, np.eye(4), B)
    assert value == pytest.approx(narrow.losses[0], rel=1e-9)


@pytest.mark.parametrize(("N", "units"), [(1, 1), (2, 2), (2, 3), (3, 2), (3, 4)])
def test_the_derivative_in_whole_numbers_is_that_by_differences(N, units):
    Z = RNG.integers(1, 10, (N, units)) * RNG.choice([-1, 1], (N, units))

    def pair(Z):
        A = np.maximum(Z, 0)
        return np.concatenate([(Z @ Z.T).ravel(), (A @ A.T).ravel()])

    steps = [np.zeros(Z.size) for _ in range(Z.size)]
    for place, step in enumerate(steps):
        step[place] = 0.5
    # Both are quadratic as long as no sign changes, so these differences are exact.
    columns = [pair(Z + s.reshape(Z.shape)) - pair(Z - s.reshape(Z.shape)) for s in steps]
    assert derivative_rank(Z) == np.linalg.matrix_rank(np.array(columns))
