"""Least weights against their optimality conditions, and against the closed forms they compare."""

import numpy as np
import pytest

from repcost import PiecewiseLinear, function_cost, interpolate_line
from repcost.costs import (
    cheapest_of_ramps,
    cheapest_within,
    least_mass,
    least_weights,
    ramps_at,
)
from repcost.datasets import random_spline


def random_programme(rng: np.random.Generator):
    n, K = rng.integers(2, 6), rng.integers(8, 14)
    units, free = rng.normal(size=(n, K)), np.ones((n, 1))
    return units, rng.normal(size=n), free, rng.uniform(0.5, 2, K)


def test_the_weights_make_the_values_and_the_multipliers_prove_them_least():
    rng = np.random.default_rng(0)
    for _ in range(50):
        units, values, free, prices = random_programme(rng)
        found = least_weights(units, values, free=free, prices=prices)
        left = values - units @ found.weights
        assert np.ptp(left) < 1e-9  # what the free column makes
        assert prices @ np.abs(found.weights) == pytest.approx(found.cost, abs=1e-9)
        # Any m with |U^T m| <= prices and F^T m = 0 has m . values at most the total.
        m = found.multipliers
        assert np.all(np.abs(units.T @ m) <= prices + 1e-9) and abs(m.sum()) < 1e-9
        assert m @ values == pytest.approx(found.cost, abs=1e-9)
        others = least_weights(units, values, free=free)
        assert not np.all(np.abs(units.T @ others.multipliers) <= prices + 1e-9) or (
            others.cost != pytest.approx(found.cost)
        )


def test_few_units_have_weights():
    rng = np.random.default_rng(1)
    units, values, free, prices = random_programme(rng)
    found = least_weights(units, values, free=free, prices=prices)
    assert np.count_nonzero(np.abs(found.weights) > 1e-9) <= len(values)


def test_mass_on_ramps_costs_what_the_function_costs():
    rng = np.random.default_rng(2)
    for f in (random_spline(rng) for _ in range(100)):
        bends, ends = np.diff(f.slopes), float(f.slopes[0] + f.slopes[-1])
        found = least_mass(bends, ends)
        assert found.cost == pytest.approx(function_cost(f).value, abs=1e-8)
        right, left = np.split(found.weights, 2)
        assert right + left == pytest.approx(np.append(bends, 0.0), abs=1e-8)
        assert right.sum() - left.sum() == pytest.approx(ends, abs=1e-8)


@pytest.mark.parametrize(("ends", "price"), [(0.5, 0), (-3.5, 0), (4.5, 1), (-9.5, -1)])
def test_the_last_multiplier_is_the_price_of_the_end_slopes(ends, price):
    bends = np.array([1.0, -2.0, 1.0])
    assert least_mass(bends, ends).multipliers[-1] == pytest.approx(price, abs=1e-9)
    rise = least_mass(bends, ends + 0.25).cost - least_mass(bends, ends - 0.25).cost
    assert rise == pytest.approx(price / 2, abs=1e-9)


def test_ramps_are_those_of_a_network():
    x = np.array([-1.0, 0.5, 2.0])
    columns = ramps_at(x)
    for k, t in enumerate(x):
        assert columns[:, k].tolist() == [max(p - t, 0) for p in x]
        assert columns[:, k + 3].tolist() == [max(t - p, 0) for p in x]


def test_the_cheapest_of_ramps_fits_at_the_least_cost_of_all_networks():
    rng = np.random.default_rng(3)
    for _ in range(50):
        n = int(rng.integers(2, 9))
        x, y = rng.choice(40, n, replace=False) / 4, rng.normal(size=n)
        net = cheapest_of_ramps(x, y)
        assert net(x) == pytest.approx(y, abs=1e-9)
        cost = interpolate_line(x, y).cost.value
        assert net.path_norm == pytest.approx(cost, abs=1e-8)
        assert function_cost(net).value == pytest.approx(cost, abs=1e-8)
        order = np.argsort(x)
        prolonged = function_cost(PiecewiseLinear.through(x[order], y[order])).value
        assert net.path_norm <= prolonged + 1e-8


def test_values_out_of_reach_are_refused():
    with pytest.raises(ValueError, match="give more units or free columns"):
        least_weights([[1.0], [1.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="same number of rows"):
        least_weights([[1.0], [1.0]], [1.0])


def sawtooth(teeth: int, height: float = 1.0):
    knots = np.arange(2 * teeth + 1)
    return PiecewiseLinear(knots, [0.0, *[height, -height] * teeth, 0.0])


def test_the_cheapest_function_near_a_sawtooth_is_a_lower_sawtooth():
    for teeth, distance in ((1, 0.1), (3, 0.25), (5, 0.4)):
        f, lower = sawtooth(teeth), sawtooth(teeth, 1 - 2 * distance)
        net = cheapest_within(f, distance)
        assert net.path_norm == pytest.approx(function_cost(lower).value, abs=1e-8)
        assert net.path_norm < function_cost(f).value - distance


def test_near_a_function_on_the_whole_line():
    rng = np.random.default_rng(5)
    far = np.array([-1e6, -100.0, 1e6])
    for f in (random_spline(rng, range(1, 9)) for _ in range(30)):
        places = np.union1d(f.knots, np.linspace(-5, 65, 15))
        nets = [cheapest_within(f, distance, places) for distance in (0.0, 0.5, 1.0)]
        x = np.r_[np.linspace(-10, 70, 400), far]
        for net, distance in zip(nets, (0.0, 0.5, 1.0), strict=True):
            assert np.abs(net(x) - f(x)).max() <= distance + 1e-6
        costs = [net.path_norm for net in nets]
        assert costs[0] == pytest.approx(function_cost(f).value, abs=1e-8)
        assert costs[0] >= costs[1] - 1e-8 >= costs[2] - 2e-8


def test_near_what_is_refused():
    hat = sawtooth(1)
    with pytest.raises(ValueError, match="places must hold"):
        cheapest_within(hat, 0.1, [0.0, 2.0])
    with pytest.raises(ValueError, match="distance"):
        cheapest_within(hat, -0.1, hat.knots)
