"""Phi_L of rows of any size, of dead and doubled units, of batches; and what leaves it alone."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import (
    TwoLayer,
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_costs,
)
from repcost.costs.linear_layers import routes
from tests.phi_problems import DEPTHS, assert_certified, random_problem, rotation


def test_dead_units_and_duplicates():
    assert linear_layers_cost(TwoLayer(np.eye(2), [1.0, 0.0]), 3).value == pytest.approx(1.0)
    for depth in DEPTHS:
        zero = linear_layers_cost(TwoLayer([[0.0, 0.0], [1.0, 2.0]], [1.0, 0.0]), depth)
        assert (zero.lower, zero.upper) == (0.0, 0.0)
        empty = linear_layers_cost(TwoLayer(np.zeros((0, 3)), []), depth)
        assert (empty.lower, empty.upper) == (0.0, 0.0)
        W, a = random_problem(0, 5, 4)
        one = linear_layers_cost(TwoLayer(W, a), depth)
        twice = TwoLayer(np.vstack([W, W, 0 * W]), np.concatenate([0.3 * a, 0.7 * a, a]))
        doubled = linear_layers_cost(twice, depth)
        assert_certified(doubled)
        assert doubled.value == pytest.approx(one.value, rel=1e-10)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("shape", [(6, 6), (12, 4), (4, 9), (5, 4)])
def test_twelve_decades_between_rows(depth, shape):
    W, a = random_problem(1, *shape)
    scales = np.logspace(-6, 6, shape[0])
    cost = linear_layers_cost(TwoLayer(W, a * scales), depth)
    assert_certified(cost)
    turned = linear_layers_cost(TwoLayer((scales[:, None] * W) @ rotation(0, shape[1]), a), depth)
    assert cost.value == pytest.approx(turned.value, rel=1e-3 if shape[0] > shape[1] else 1e-9)


def test_a_large_row_and_tiny_ones():
    """The rounding of large rows must not fill the directions of tiny ones.

    There is one large row more than there are tiny directions.
    """
    W = np.array([[1.0, 1.0], [2.0, 2.0], [0.3, 0.3], [1.0, -1.0]])
    a = np.array([1e6, 1e6, 1e6, 1e-6])
    expected = (3.3e6 * np.sqrt(2)) ** 0.4 + (1e-6 * np.sqrt(2)) ** 0.4
    cost = linear_layers_cost(TwoLayer(W, a), 5)
    assert_certified(cost)
    assert expected == pytest.approx(cost.value, rel=1e-10)


def test_rows_beyond_all_measure():
    for depth in (2, 3, 20):
        cost = linear_layers_cost(TwoLayer(np.eye(4)[:3], [1.0, 1e-80, 1e-200]), depth)
        assert 1 + 1e-160 ** (1 / depth) in cost
        # At depth 20 forty decades between singular values are too many for the certificate, and it
        # says so.
        assert depth == 20 or cost.relative_gap < 1e-10


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_global_scales(scale):
    W, a = random_problem(2, 7, 3)
    for depth in DEPTHS:
        one = linear_layers_cost(TwoLayer(W, a), depth)
        other = linear_layers_cost(TwoLayer(scale * W, a / 7), depth)
        assert_certified(other)
        assert other.value == pytest.approx(one.value * (scale / 7) ** (2 / depth), rel=1e-10)


def test_a_batch_is_its_problems():
    rng = np.random.default_rng(8)
    W, a = rng.normal(size=(40, 5, 3)), rng.normal(size=(40, 5))
    a[3] = 0.0
    a[4, 2:] = 0.0
    a[5] *= np.logspace(-6, 6, 5)
    a[6] *= 1e100
    W[7, 1] = 2 * W[7, 0]
    for depth in (2, 3, 6):
        many = linear_layers_costs(W, a, depth)
        assert many.lower.shape == (40,)
        assert_certified(many)
        each = [linear_layers_cost(TwoLayer(W[i], a[i]), depth) for i in range(40)]
        assert np.allclose(many.value, [one.value for one in each], rtol=1e-10, atol=0)
        assert [one.value for one in many] == many.value.tolist()


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("shape", [(0, 5, 3), (0, 0, 0), (2, 0, 3), (2, 3, 0), (2, 0, 0)])
def test_batches_of_nothing(shape, depth):
    costs = linear_layers_costs(np.zeros(shape), np.zeros(shape[:2]), depth)
    assert costs.lower.tolist() == costs.upper.tolist() == [0.0] * shape[0]
    assert str(costs).startswith(f"{shape[0]} brackets (certified")


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: linear_layers_costs([[1.0]], [1.0], 3), "linear_layers_cost is for one network"),
        (lambda: linear_layers_costs([1.0], [1.0], 3), "W must have 3 axes"),
        (lambda: linear_layers_costs([[[1.0]]], [1.0], 3), "a must have 2 axes"),
        (lambda: linear_layers_costs([[[1.0]]], [[1.0, 2.0]], 3), "one entry per row of W"),
        (lambda: linear_layers_costs([[[1.0]]], [[1.0]], 1), "depth must be"),
        (lambda: linear_layers_costs([[[1.0]]], [[1.0]], 3, rtol=1.0), "rtol must be between"),
    ],
)
def test_one_network_and_many_are_told_apart(call, says):
    with pytest.raises(ValueError, match=says):
        call()


entries = st.floats(-10, 10, allow_subnormal=False).map(lambda x: 0.0 if abs(x) < 1e-3 else x)


@st.composite
def problems(draw):
    K, d = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    W = draw(st.lists(entries, min_size=K * d, max_size=K * d))
    a = draw(st.lists(entries, min_size=K, max_size=K))
    return np.array(W).reshape(K, d), np.array(a), draw(st.sampled_from([2, 3, 4, 7]))


def close(one, other):
    """Both enclose one number: each end may be off by the gap that the bracket itself states."""
    return max(one.lower, other.lower) <= min(one.upper, other.upper) * (1 + 1e-12)


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(0, 1000))
def test_invariances(problem, seed):
    W, a, depth = problem
    rng = np.random.default_rng(seed)
    cost = linear_layers_cost(TwoLayer(W, a), depth)
    assert 0 <= cost.lower <= cost.upper
    order, scale = rng.permutation(len(a)), 2.0 ** rng.integers(-9, 9, len(a))
    same = [
        TwoLayer(W[order], a[order]),
        TwoLayer(scale[:, None] * W, -a / scale),
        TwoLayer(np.vstack([W, W]), np.append(a / 4, 3 * a / 4)),
        TwoLayer(np.hstack([W, 0 * W])[:, ::-1], a),
    ]
    assert all(close(cost, linear_layers_cost(net, depth)) for net in same)
    bigger = linear_layers_cost(TwoLayer(W, 2.0**depth * a), depth)
    assert (bigger.lower, bigger.upper) == pytest.approx(
        (4 * cost.lower, 4 * cost.upper), rel=1e-14
    )
    more = TwoLayer(np.vstack([W, rng.normal(size=W.shape[1])]), np.append(a, 1.0))
    assert linear_layers_cost(more, depth).upper >= cost.lower
    assert cost.lower <= linear_layers_bound(TwoLayer(W, a), depth).upper


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_depths_bound_each_other(seed):
    """Phi_2 <= Phi_3^(3/2) <= ... <= r^((L-2)/2) Phi_2; turning the rows changes nothing."""
    W, a = random_problem(seed, 5, 3)
    net = TwoLayer(W, a)
    scaled = {depth: linear_layers_cost(net, depth).value ** (depth / 2) for depth in (2, 3, 4, 6)}
    assert all(one <= other * (1 + 1e-9) for one, other in pairwise(scaled.values()))
    assert all(
        value <= 3 ** ((depth - 2) / 2) * scaled[2] * (1 + 1e-9) for depth, value in scaled.items()
    )
    turned = linear_layers_cost(TwoLayer(W @ rotation(seed, 3), a), 6)
    assert turned.value**3 == pytest.approx(scaled[6], rel=1e-9)


def test_large_problems_do_not_go_the_slow_way_for_their_last_digits(monkeypatch):
    W, a = np.random.default_rng(0).normal(size=(300, 100)), np.ones(300)
    monkeypatch.setattr(routes, "_graded", None)
    cost = linear_layers_cost(TwoLayer(W, a), 3, rtol=1e-15)
    assert cost.relative_gap < 1e-10 and cost.reason == routes.MUCH_ROUNDING


def test_small_ones_do():
    rng = np.random.default_rng(1)
    net = TwoLayer(np.ldexp(rng.normal(size=(4, 3)), rng.integers(-30, 1, (4, 3))), np.ones(4))
    assert linear_layers_cost(net, 3).relative_gap < 1e-10
