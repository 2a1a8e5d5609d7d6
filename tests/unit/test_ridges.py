"""Functions of one number laid into space, against the certified costs."""

import numpy as np
import pytest

from repcost import PiecewiseLinear, function_cost, interpolate_line
from repcost.constructions import cost_along, ridge
from repcost.datasets import random_spline


def test_a_ridge_is_its_function_along_the_direction_at_its_cost():
    rng, u = np.random.default_rng(0), np.array([0.6, -0.8])
    X = rng.uniform(-50, 80, (200, 2))
    for g in (random_spline(rng, range(1, 9)) for _ in range(50)):
        net = ridge(g, u)
        assert net(X) == pytest.approx(g(X @ u), abs=1e-9)
        cost = function_cost(g).value
        assert net.path_norm == pytest.approx(cost, abs=1e-9)
        assert function_cost(net).value == pytest.approx(cost, rel=1e-9, abs=1e-9)
        assert np.all(net.a != 0) and np.linalg.norm(net.W, axis=1) == pytest.approx(1)


def test_a_ridge_that_is_flat_on_the_left_has_a_unit_for_each_bend():
    g = PiecewiseLinear([0.0, 1.0, 3.0], [1e-12, 2.0, -1.0, 0.0], (0.0, 4.0))
    net = ridge(g, [1.0])
    assert net.width == 3 and np.all(net.W == 1) and net.c == 4.0
    assert ridge(PiecewiseLinear([], [2.0]), [1.0])([3.0]).tolist() == [6.0]


def test_the_cheapest_fit_along_a_direction_fits():
    rng, u = np.random.default_rng(1), np.array([0.6, 0.0, -0.8])
    X, y = rng.normal(size=(7, 3)), rng.normal(size=7)
    fit = interpolate_line(X @ u, y)
    net = ridge(fit.function, u)
    assert net(X) == pytest.approx(y, abs=1e-9)
    assert net.path_norm == pytest.approx(fit.cost.value, rel=1e-9)


def test_what_a_fit_along_a_direction_costs():
    rng, u = np.random.default_rng(2), np.array([0.6, -0.8])
    X, y = rng.normal(size=(6, 2)), rng.normal(size=6)
    for depth in (2, 3):
        theirs = interpolate_line(X @ u, y, depth).cost.value
        assert cost_along(X, y, u, depth).value == pytest.approx(theirs, rel=1e-12)


def test_points_at_one_place_must_agree():
    rng, u = np.random.default_rng(3), np.array([0.6, -0.8])
    X, y = rng.normal(size=(5, 2)), rng.normal(size=5)
    # Further points orthogonal to u from these: the same places up to rounding, on either side.
    again = X + rng.normal(size=(5, 1)) * np.array([0.8, 0.6])
    both = np.vstack([X, again])
    once = cost_along(X, y, u).value
    assert cost_along(both, np.append(y, y), u).value == pytest.approx(once, rel=1e-9)
    assert cost_along(both, np.append(y, [0, 0, 1, 0, 0]), u).lower == np.inf
    # A place that is really another one is dear, and not impossible.
    assert once < cost_along(both + [[1e-6, 0]] * 10, np.append(y, y), u).value + 1e-6 < np.inf
