"""Ranks from points and from weights: never beyond the exact ones, and mostly the same."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from repcost import DeepNet, bottleneck_rank, jacobian_rank
from repcost.datasets import random_network
from repcost.ranks import at_points, jacobian
from repcost.ranks.active_units import ActiveUnits
from repcost.ranks.at_points import rank_at, search_points
from repcost.ranks.from_above import rank_from_above
from repcost.regions.maps import map_at, whole_layers
from repcost.regions.subdivision import cells
from tests.deep_problems import CUBE, SQUARE
from tests.rank_problems import LATE

LOW, HIGH = np.array(SQUARE, dtype=float)


def drawn(seed, *, widths=(2, 4, 3, 2)):
    """A small network, of floats or of whole numbers, with ReLU or leaky units of either sign."""
    rng = default_rng(seed)
    kind, slope = rng.choice(["normal", "whole"]), float(rng.choice([0.0, 0.5, -0.25]))
    return random_network(*widths, rng=rng, kind=str(kind), negative_slope=slope)


def by_regions(net, low, high):
    return max(cell.map.rank for cell in cells(net, low, high))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_both_ends_hold_the_rank_of_the_regions(seed):
    net = drawn(seed)
    exact = by_regions(net, LOW, HIGH)
    upper = rank_from_above(net, LOW, HIGH)
    lower = rank_at(net, LOW, HIGH, search_points(net, LOW, HIGH), upper)
    assert lower <= exact <= upper
    assert jacobian_rank(net, SQUARE).value == exact


def test_points_alone_decide_most_small_networks_of_the_plane():
    met = 0
    for seed in range(100):
        net = drawn(seed)
        upper = rank_from_above(net, LOW, HIGH)
        met += rank_at(net, LOW, HIGH, search_points(net, LOW, HIGH), upper) == upper
    assert 70 <= met < 100


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 2.0**-900, 2.0**900]))
def test_what_is_active_is_what_whole_numbers_say(seed, size):
    net = drawn(seed, widths=(2, 5, 4, 1))
    net = net.with_layers(
        [net.weights[0] * size, *net.weights[1:-1], net.weights[-1] / size],
        [net.biases[0] * size, *(b * size for b in net.biases[1:-1]), net.biases[-1]],
    )
    rng, layers = default_rng(seed), whole_layers(net)
    units = ActiveUnits(net, LOW, HIGH)
    for x in rng.uniform(-1, 1, (5, 2)):
        active, map = units.around(x), map_at(net, layers, x)
        # Next to a kink floats may be in doubt, and say nothing.
        assume(active is not None)
        assert active is not None and map is not None
        received = net.preactivations([x])[:-1]
        for ours, theirs in zip(active, received, strict=True):
            assert (ours == (theirs[0] > 0)).all()


def test_a_point_on_a_kink_shows_a_region_beside_it():
    """All units of |x| + |y| bend at zero, where a derivative is a matter of convention."""
    net = DeepNet([[[1, 0], [-1, 0], [0, 1], [0, -1]], [[1, 1, 1, 1]]], [[0] * 4, [0]])
    for x in ([0.0, 0.0], [0.5, 0.0], [-1.0, 0.0], [1.0, 1.0]):
        active = ActiveUnits(net, LOW, HIGH).around(np.array(x))
        assert active is not None
        (on,) = active
        assert on[0] != on[1] and on[2] != on[3]
        assert jacobian_rank(net, SQUARE, points=[x]).lower == 1


@pytest.mark.parametrize("corner", [[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
def test_beside_a_corner_means_inside_the_box(corner):
    """Units that bend along both sides of the corner: only one of the four parts is in the box."""
    net = DeepNet([np.eye(2), np.eye(2)], [[-corner[0], -corner[1]], [0, 0]])
    active = ActiveUnits(net, LOW, HIGH).around(np.array(corner))
    assert active is not None
    # The unit x - corner is active where the box lies above the corner.
    assert active[0].tolist() == [x < 0 for x in corner]


def test_units_that_only_touch_zero_leave_a_point_open():
    """max(x, 0) - max(x, 0) reaches the next unit as a zero that both could move."""
    net = DeepNet([[[1.0], [1.0]], [[1.0, -1.0]], [[1.0]]], [[0.0, 0.0], [0.0], [0.0]])
    units = ActiveUnits(net, np.array([-1.0]), np.array([1.0]))
    assert units.around(np.array([0.5])) is None
    left = units.around(np.array([-0.5]))
    assert left is not None and not left[0].any()


def test_units_that_are_off_on_the_box_do_not_count():
    net = DeepNet([np.eye(3), np.ones((3, 3))], [[-5.0, 0.5, -5.0], [0.0] * 3])
    low, high = np.full(3, -1.0), np.ones(3)
    assert rank_from_above(net, low, high) == 1
    assert rank_from_above(net, low, 10 * high) == 1  # the matrix of ones
    wide = net.with_layers([np.eye(3), np.eye(3)], net.biases)
    assert [rank_from_above(wide, low, t * high) for t in (1, 10)] == [1, 3]
    # A leaky unit is never off.
    leaky = DeepNet(wide.weights, wide.biases, 0.1)
    assert rank_from_above(leaky, low, high) == 3


def test_wherever_both_ends_meet_no_region_is_listed(monkeypatch):
    def refuse(*given):
        raise AssertionError("regions were asked for")

    monkeypatch.setattr(jacobian, "cells", refuse)
    for widths in ((10, 16, 2), (784, 32, 10), (3, 8, 8, 8, 3), (784, 100, 784)):
        net = random_network(*widths, rng=default_rng(0), kind="scaled")
        domain = [0.0] * widths[0], [1.0] * widths[0]
        least = min(widths)
        for rank in (jacobian_rank(net, domain), bottleneck_rank(net, domain)):
            assert (rank.lower, rank.upper, rank.how) == (least, least, "exact")


def test_poor_points_cost_time_and_no_correctness(monkeypatch):
    corner = [[1e-3 - 1.0, 1e-3 - 1.0]]
    monkeypatch.setattr(jacobian, "search_points", lambda *given: np.array(corner))
    for seed in range(20):
        net = drawn(seed)
        assert jacobian_rank(net, SQUARE).value == by_regions(net, LOW, HIGH)
    assert jacobian_rank(LATE, SQUARE).value == 2


def test_more_active_units_show_more_directions():
    """Half of a hundred units are active at random points; uphill all of them are."""
    net = random_network(784, 100, 784, rng=default_rng(1), kind="scaled")
    low, high = np.zeros(784), np.ones(784)
    at_random = default_rng(0).uniform(size=(10, 784))
    upper = rank_from_above(net, low, high)
    assert rank_at(net, low, high, at_random, upper) < 75
    assert rank_at(net, low, high, search_points(net, low, high), upper) == 100


def test_what_nobody_knows_is_said_at_once():
    net = random_network(*(40,) * 4, rng=default_rng(0), kind="scaled")
    found = jacobian_rank(net, ([-1.0] * 40, [1.0] * 40))
    assert 0 < found.lower < found.upper == 40
    assert "too many cells" in found.reason


def test_given_points_are_all_that_is_looked_at(monkeypatch):
    monkeypatch.setattr(at_points, "search_points", None)
    net = random_network(3, 6, 6, 3, rng=default_rng(0))
    X = default_rng(1).uniform(-1, 1, (20, 3))
    sampled = jacobian_rank(net, CUBE, points=X)
    at_each = [np.linalg.matrix_rank(J) for J in net.jacobians(X)]
    assert (sampled.lower, sampled.how) == (max(at_each), "exact")
