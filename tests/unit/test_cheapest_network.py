"""The network is the function and its path norm the cost, exactly: whole numbers do not round."""

import numpy as np
import pytest

from repcost import PiecewiseLinear, cheapest_network, function_cost
from tests.problems import ONE_VARIABLE


def random_function(rng: np.random.Generator) -> PiecewiseLinear:
    count = rng.integers(0, 8)
    knots = np.sort(rng.choice(40, count, replace=False))
    x0, y0 = rng.integers(-5, 45, 2)
    return PiecewiseLinear(knots, rng.integers(-6, 7, count + 1), (float(x0), float(y0)))


def test_it_equals_the_function_at_the_least_cost():
    rng, x = np.random.default_rng(0), np.arange(-10.0, 60.0)
    for f in (random_function(rng) for _ in range(500)):
        net = cheapest_network(f)
        assert np.array_equal(net(x), f(x))
        cost = function_cost(f)
        assert (net.path_norm, function_cost(net).value, cost.gap) == (cost.value, cost.value, 0.0)
        assert np.all(np.abs(net.W) == 1)
        bends = np.count_nonzero(np.diff(f.slopes))
        assert net.width <= max(bends, 1) + 1 if len(f.knots) else net.width <= 2


@pytest.mark.parametrize("problem", ONE_VARIABLE, ids=str)
def test_balanced_it_has_the_least_weight_cost(problem):
    assert cheapest_network(problem.function).balanced().weight_cost == pytest.approx(
        float(problem.cost), abs=1e-12
    )


def test_slopes_that_round_still_give_the_function():
    rng = np.random.default_rng(1)
    x = np.linspace(-3, 3, 61)
    for _ in range(100):
        f = PiecewiseLinear(np.sort(rng.normal(size=6)), rng.normal(size=7), (0.1, 0.2))
        net = cheapest_network(f)
        assert net(x) == pytest.approx(f(x), abs=1e-12)
        assert net.path_norm == pytest.approx(function_cost(f).value, rel=1e-13)
