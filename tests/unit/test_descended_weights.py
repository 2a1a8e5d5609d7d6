"""Weights moved downhill: the minima where they are known in closed form, and gradients."""

import numpy as np
import pytest

from repcost import cheapest_network, interpolate_line, linear_layers_network
from repcost.experiments.descended_weights import (
    _cost_of_fit,
    _scaled_sum,
    descended_fits,
    least_over_scales,
    sum_of_weights,
)


def difference_quotients(f, at, step=1e-6):
    """Central ones, entry by entry."""
    return np.array([(f(at + e) - f(at - e)) / (2 * step) for e in step * np.eye(len(at))])


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_the_derivative_is_the_difference_quotient(depth):
    rng = np.random.default_rng(depth)
    W, a, t = rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=5)
    expected = difference_quotients(lambda s: _scaled_sum(s, W, a, depth)[0], t)
    assert np.allclose(_scaled_sum(t, W, a, depth)[1], expected, atol=1e-5)


@pytest.mark.parametrize("shapes", [[(5, 1)], [(2, 1), (2, 2), (5, 2)]])
def test_the_derivative_of_a_fit_is_the_difference_quotient(shapes):
    rng = np.random.default_rng(3)
    x, z = np.array([-1.0, 0.0, 1.0]), np.array([1.0, -2.0, 1.0])
    weights = rng.normal(size=5 + sum(rows * columns for rows, columns in shapes))

    def fit(at):
        return _cost_of_fit(at, x, z, shapes, len(shapes) + 1)

    expected = difference_quotients(lambda at: fit(at)[0], weights)
    assert np.allclose(fit(weights)[1], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_orthonormal_units_are_scaled_to_their_formula(depth):
    a = np.array([8.0, -1.0, 0.5])
    found = least_over_scales(np.eye(3), a, depth, start=[1.0, -1.0, 0.3])
    assert np.isclose(found.cost, np.sum(np.abs(a) ** (2 / depth)), rtol=1e-9)
    W, b = found.scales[:, None] * np.eye(3), a / found.scales
    assert np.isclose(sum_of_weights(W, b, depth), found.cost, rtol=1e-12)
    assert sum_of_weights(np.eye(3), a, depth) > 1.01 * found.cost


@pytest.mark.parametrize("depth", [2, 3])
def test_fits_come_near_the_cheapest_function_and_not_below(depth):
    x, y = np.array([-1.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0])
    known = interpolate_line(x, y)
    least = known.cost.value ** (2 / depth)
    deep = linear_layers_network(cheapest_network(known.function), depth)
    assert np.isclose(deep.weight_cost, least)
    costs = descended_fits(x, y, depth, np.random.default_rng(0), units=4, starts=3)
    assert least - 1e-8 < costs[0] < 1.05 * least
