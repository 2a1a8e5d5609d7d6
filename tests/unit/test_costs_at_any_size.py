"""Costs of inputs over the whole range of floats, against fractions and many digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from repcost import (
    TwoLayer,
    cost_per_layer,
    diagonal_cost,
    function_cost,
    interpolate_line,
    interpolate_plane,
    linear_layers_cost,
    linear_layers_network,
    linear_map_cost,
    parallel_cost,
    schatten_power,
)
from repcost.costs.exact_line import exact_interpolation_cost
from repcost_book.trials.attacks.truths import exact_rows, phi
from tests.phi_problems import random_problem


def test_a_finite_cost_is_never_called_too_large():
    """Rows 36 decades apart, at a depth where no direction can be neglected."""
    W = [[-0.9, 0.7, 1.9], [0.4, 0.3, 1.9], [0, -0.3, -1.4], [-0.5, 2.2, -1.4]]
    a = [1e-18, 1e-20, 1e18, 1e-12]
    true = phi(exact_rows(np.array(W), np.array(a)), 10)
    cost = linear_layers_cost(TwoLayer(W, a), 10)
    assert true in cost and cost.relative_gap < 0.01
    assert "too far apart" in cost.reason
    with pytest.raises(ValueError, match="cost is larger than floats go; divide a by"):
        linear_layers_cost(TwoLayer(np.eye(2), [1e308, 1.7e308]), 2)


@pytest.mark.parametrize("depth", [3, 12, 40])
def test_rows_eighty_decades_apart(depth):
    W, a = random_problem(0, 3, 3)
    a = a * [1.0, 1e-80, 1e80]
    cost = linear_layers_cost(TwoLayer(W, a), depth)
    assert phi(exact_rows(W, a), depth) in cost
    assert (cost.relative_gap > 1e-10) == (cost.reason != "")


def test_networks_keep_their_small_units():
    """Every unit to rounding of its own size, and the cost is attained."""
    W, a = random_problem(5, 3, 3)
    a = a * [1.0, 1e-9, 1e12]
    net = linear_layers_network(TwoLayer(W, a, np.ones(3)), 6)
    made = net.a[:, None] * net.collapsed().W
    assert made == pytest.approx(a[:, None] * W, rel=1e-9)
    assert net.weight_cost == pytest.approx(linear_layers_cost(TwoLayer(W, a), 6).value, rel=1e-9)
    for top in (1e-250, 1e250):
        net = linear_layers_network(TwoLayer(np.eye(2), [top, top], [0.0, 0.0]), 3)
        assert net.weight_cost == pytest.approx(2 * top ** (2 / 3), rel=1e-12)


def test_maps_of_numerical_rank_three_say_why_the_gap_is_wide():
    rng = np.random.default_rng(0)
    cost = linear_map_cost(rng.normal(size=(20, 3)) @ rng.normal(size=(3, 20)), 50)
    assert cost.upper > 2 * cost.lower
    assert cost.reason == "rows are dependent up to rounding"
    assert cost.value == cost.upper


def test_maps_of_any_size_are_not_refused():
    for depth in (2, 3, 50):
        cost = linear_map_cost(np.diag([1e100, 1e-100]), depth)
        with mpmath.workdps(60):
            powers = [mpmath.power(mpmath.mpf(x), mpmath.mpf(2) / depth) for x in (1e100, 1e-100)]
            assert depth * sum(powers) in cost
        assert cost.relative_gap < 1e-10 or cost.reason


def test_squares_that_are_rounded_up():
    """1.6e-162 has a square between 0 and the smallest float: no lower end may be above it."""
    true = Fraction(1.6e-162) ** 2
    for cost in (diagonal_cost([1.6e-162], 1), parallel_cost([1.6e-162], 1)):
        assert Fraction(cost.lower) <= true <= Fraction(cost.upper)
    assert linear_map_cost([[1.6e-162]], 1).lower == 0.0
    with pytest.raises(ValueError, match="divide alpha by"):
        parallel_cost([1e200, 1e200], 1)


def test_singular_values_at_both_ends_of_the_range():
    assert schatten_power([[3e-320, 4e-320]], 0.5) == pytest.approx(5e-320**0.5, rel=1e-4)
    huge = schatten_power([[1e308, 1e308], [1e308, 1e308]], 0.5)
    assert huge == pytest.approx(2**0.5 * 1e154, rel=1e-12)
    with pytest.raises(ValueError, match="divide A by"):
        schatten_power([[1e308]], 2.0)


def test_points_of_any_distance_on_the_line():
    """Whatever has slopes that are floats is taken."""
    for x, y in (
        ([0.0, 1e-307], [0.0, 1e-10]),
        ([0, 5e307], [0, -1e308]),
        ([0, 1e-305, 1], [0, 1e-20, 0]),
    ):
        cost = interpolate_line(x, y).cost
        true = exact_interpolation_cost(x, y)
        assert cost.lower <= true <= cost.upper and cost.relative_gap < 1e-12
    with pytest.raises(ValueError, match="multiply x or y by a power of two"):
        interpolate_line([0, 1e-308], [0, 1e308])


@pytest.mark.parametrize("scale", [1e-80, 1e80])
def test_slopes_whose_squares_are_no_floats(scale):
    """The cost of a line with two layers is its slope, here beyond the roots of all floats."""
    net = TwoLayer([[scale]], [scale], [2 * scale])
    cost = cost_per_layer(net, 2, ([-1.0], [1.0]))
    assert cost.lower == pytest.approx(scale * scale, rel=1e-12)
    assert Fraction(cost.lower) <= Fraction(scale) ** 2 <= Fraction(cost.upper)


def test_units_too_small_for_products_widen_both_ends():
    cost = function_cost(TwoLayer([[4e-134]], [5e-144], [1.0]))
    assert Fraction(cost.lower) <= Fraction(4e-134) * Fraction(5e-144) <= Fraction(cost.upper)
    assert cost.reason == "units too small for floats"


def test_one_tolerance_for_one_cost():
    """rtol is the relative gap of the cost itself, at every depth."""
    X, y = [[0, 0], [1, 0], [0, 1], [1, 1]], [0, 1, 1, 0]
    for depth in (3, 5):
        for rtol in (3e-2, 3e-3):
            cost = interpolate_plane(X, y, depth, rtol=rtol).cost
            assert cost.gap <= rtol * cost.upper and cost.reason == ""
