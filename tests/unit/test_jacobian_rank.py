import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from repcost import DeepNet, jacobian_rank, jacobian_spectra
from repcost.datasets import random_network
from repcost.joined import added, composed
from tests.deep_problems import CUBE, DEEP, SQUARE
from tests.rank_problems import DEEP_CROSS, LATE


@pytest.mark.parametrize("problem", DEEP, ids=str)
def test_known_ranks(problem):
    rank = jacobian_rank(problem.network, problem.domain)
    assert (rank.lower, rank.upper, rank.how) == (problem.ranks[0], problem.ranks[0], "exact")


def test_samples_miss_what_regions_find():
    """Rank two on 0.05 % of the area: a thousand points see one, and say "at least one"."""
    X = np.random.default_rng(0).uniform(-1, 1, (1000, 2))
    sampled = jacobian_rank(LATE, SQUARE, points=X)
    assert (sampled.lower, sampled.upper, sampled.how) == (1, 2, "exact")
    assert jacobian_rank(LATE, SQUARE).lower == 2
    assert jacobian_rank(LATE, SQUARE, points=[[0.5, 0.9995]]).lower == 2


def test_the_least_over_points_is_not_a_rank():
    """With the minimum that is printed, the sum of two functions of rank zero has rank one."""
    relu = DeepNet([[[1.0]], [[1.0]]], [[0], [0]])
    mirrored = DeepNet([[[-1.0]], [[-1.0]]], [[0], [0]])
    points = [[-0.5], [0.5]]
    assert jacobian_spectra(relu, points).min() == jacobian_spectra(mirrored, points).min() == 0
    assert jacobian_spectra(added(relu, mirrored), points).min() == 1
    for net in (relu, mirrored, added(relu, mirrored)):
        assert jacobian_rank(net, ([-1], [1])).value == 1


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_sums_and_compositions(seed):
    """Properties 3 and 4 of a rank, on networks with whole weights."""
    one = random_network(2, 3, 2, 2, rng=default_rng(seed), kind="whole")
    two = random_network(2, 3, 1, 2, rng=default_rng(seed + 1), kind="whole")
    ranks = [jacobian_rank(net, SQUARE).value for net in (one, two)]
    assert jacobian_rank(added(one, two), SQUARE).value <= sum(ranks)
    outer = jacobian_rank(one, ([-2000.0] * 2, [2000.0] * 2)).value
    assert jacobian_rank(composed(one, two), SQUARE).value <= min(outer, ranks[1])


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5]))
def test_samples_stay_below(seed, slope):
    net = random_network(2, 4, 3, 3, rng=default_rng(seed), negative_slope=slope)
    X = np.random.default_rng(seed).uniform(-1, 1, (100, 2))
    exact, sampled = jacobian_rank(net, SQUARE), jacobian_rank(net, SQUARE, points=X)
    assert sampled.lower <= exact.lower == exact.upper <= sampled.upper
    inside = jacobian_rank(net, ([-0.5, -0.5], [0.5, 0.5]))
    around = jacobian_rank(net, ([-2, -2], [2, 2]))
    assert inside.value <= exact.value <= around.value


def test_an_affine_map_has_the_rank_of_its_matrix():
    rng = np.random.default_rng(0)
    for rank in range(4):
        A = rng.integers(-3, 4, (4, rank)) @ rng.integers(-3, 4, (rank, 3))
        found = jacobian_rank(DeepNet([A], [np.zeros(4)]), CUBE)
        assert found.lower == found.upper == (np.linalg.matrix_rank(A) if rank else 0)


def test_three_variables_leave_no_gap_and_four_only_where_nothing_proves_more():
    narrow = jacobian_rank(random_network(3, 5, 2, 5, 3, rng=default_rng(2)), CUBE)
    assert (narrow.lower, narrow.upper, narrow.how) == (2, 2, "exact")
    wide = jacobian_rank(DEEP_CROSS, CUBE)
    assert (wide.lower, wide.upper, wide.how) == (1, 1, "exact")
    beyond = composed(DEEP_CROSS, DeepNet([np.eye(3, 4)], [np.zeros(3)]))
    wide = jacobian_rank(beyond, ([-1] * 4, [1] * 4))
    assert (wide.lower, wide.upper, wide.how) == (1, 2, "exact")


def test_dependent_up_to_rounding_is_not_dependent():
    third = DeepNet([[[0.1, 0.3], [0.3, 0.9]]], [[0.0, 0.0]])
    assert jacobian_rank(third, SQUARE).value == 2
    assert jacobian_rank(third, SQUARE, points=[[0.0, 0.0]]).lower == 2


def test_spectra_are_those_of_each_point():
    net = random_network(5, 8, 8, 3, rng=default_rng(0))
    X = np.random.default_rng(0).normal(size=(40, 5))
    expected = [np.linalg.svd(J, compute_uv=False) for J in net.jacobians(X)]
    assert jacobian_spectra(net, X) == pytest.approx(np.array(expected), rel=1e-12)
    assert jacobian_spectra(net, np.zeros((0, 5))).shape == (0, 3)


def test_a_large_batch_goes_in_parts(monkeypatch):
    net = random_network(5, 8, 8, 3, rng=default_rng(0))
    X = np.random.default_rng(0).normal(size=(50, 5))
    whole = jacobian_spectra(net, X)
    monkeypatch.setattr("repcost.ranks.jacobian._AT_ONCE", 300)
    assert (jacobian_spectra(net, X) == whole).all()


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ([[2.0, 0.0]], "inside the domain"),
        ([[0.0]], "rows of 2 entries"),
        ([0.0, 0.0], "points must have 2 axes"),
    ],
)
def test_bad_points_are_named(points, says):
    with pytest.raises(ValueError, match=says):
        jacobian_rank(LATE, SQUARE, points=points)


def test_spectra_by_torch_are_those_of_numpy():
    from repcost.ranks.jacobian import _by_numpy, _by_torch

    net = random_network(3, 6, 5, 4, rng=default_rng(3), negative_slope=0.2)
    X = np.random.default_rng(4).normal(size=(20, 3))
    slopes = [net.activation.slopes(received) for received in net.preactivations(X)[:-1]]
    theirs, ours = _by_torch(slopes, net, 20, "cpu"), _by_numpy(slopes, net, 20)
    assert theirs == pytest.approx(ours, abs=1e-12)
    assert (jacobian_spectra(net, X) == ours).all()
