"""Values and messages at the ends of the floats, where each of these was once wrong."""

from typing import Any

import numpy as np
import pytest

from repcost import (
    Architecture,
    Bracket,
    Brackets,
    DeepNet,
    Objective,
    PiecewiseLinear,
    Recipe,
    TwoLayer,
    cheapest_network,
    cost_per_layer,
    function_cost,
    interpolate_line,
    interpolate_plane,
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_network,
    linear_map_cost,
    shallow_cost,
    shallow_optimum,
    train,
    truncation_error,
)

# The distance from 1 to the next float.
STEP = 2.0**-52
WRONG: Any = 1.5
DAYS: Any = np.timedelta64(3, "D")


@pytest.mark.parametrize("far", [-1e10, -1e16, -1e20, -1e300])
def test_a_knot_far_away_costs_no_digits(far):
    f = PiecewiseLinear([far, -1, 1], [0, 1, 2, 3])
    assert f([-2, -0.5, 0, 1, 2]).tolist() == [-3, -1, 0, 2, 5]


def test_nor_does_an_anchor_far_away():
    assert PiecewiseLinear([], [0.75], (1e16, 0))([1e16 + 2]) == 1.5
    assert PiecewiseLinear([], [1e16], (1, 0))([1 + STEP]) == 1e16 * STEP
    x, y = [1, 1 + 5 * STEP], [-0.062, 2.8177]
    assert PiecewiseLinear.through(x, y)(x) == pytest.approx(y, rel=1e-15)
    f = interpolate_line([-1e16, 0, 1], [-1e16, 0.1, 0.3]).function
    assert f([0, 0.5, 1]) == pytest.approx([0.1, 0.2, 0.3], rel=1e-15)


@pytest.mark.parametrize(("w", "a"), [(1e200, 1e-323), (3e-323, 1e200), (1.5e-323, 2e100)])
def test_balanced_units_that_were_denormal_are_the_same_function(w, a):
    net = TwoLayer([[w]], [a])
    assert net.balanced()([1.0]) == pytest.approx(w * a, rel=1e-12)
    assert net.balanced().weight_cost == pytest.approx(net.path_norm, rel=1e-12)


def test_a_cost_is_a_float_where_twice_as_much_is_none():
    net = TwoLayer([[2.0**1022]], [-2.0])  # balanced, each layer has squares of 2^1023
    assert net.balanced().weight_cost == pytest.approx(2.0**1023, rel=1e-12)
    assert linear_layers_network(net, 2).weight_cost == pytest.approx(2.0**1023, rel=1e-12)


def test_no_network_costs_less_than_its_function():
    net = TwoLayer([[5e-324, 5e-324]], [1e100])
    assert net.path_norm == pytest.approx(5e-324 * 1e100 * 2**0.5, rel=1e-12)
    assert function_cost(net).lower <= net.path_norm * (1 + 1e-12)


def test_splines_of_short_decimals_need_no_unit_for_rounding():
    rng = np.random.default_rng(0)
    for _ in range(300):
        knots = np.sort(rng.choice(20, int(rng.integers(1, 6)), replace=False))
        f = PiecewiseLinear(knots, rng.uniform(-1, 1, len(knots) + 1).round(1))
        net = cheapest_network(f)
        assert net.width <= len(knots) + 1
        x = np.linspace(-5, 25, 40)
        assert net(x) == pytest.approx(f(x), abs=1e-13)
        assert net.path_norm == pytest.approx(function_cost(f).value, abs=1e-13)


@pytest.mark.parametrize("strength", [10.0, 1e140, 1e300])
def test_the_multiplier_proves_the_lower_end_at_any_strength(strength):
    Y = np.array([[1.0], [3.0]])
    found = shallow_optimum([[0.0], [2.0]], Y, strength)
    V = found.multiplier
    dual = 2 * strength * np.sum(V * Y) - 2 * np.sum((strength * V) ** 2)
    dual -= strength * np.sum(V.sum(0) ** 2)
    assert dual == pytest.approx(found.loss.lower, rel=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e-100, 1.0, 1e60, 1e100])
def test_rows_of_zeros_are_truncated_at_any_size(size):
    weights = [[[0.0], [size]], [[0.0, 0.0], [1.5 * size, size]], [[size, size]]]
    net = DeepNet(weights, [[0, 0], [0, 0], [0]])
    for rank in (0, 1, 2):
        error = truncation_error(net, ([-1], [1]), layer=1, rank=rank)
        # Of rank one already: only without it is more lost than rounding.
        assert (error.lower > 1e-9 * size**3) == (rank == 0)
        assert error.relative_gap < 1e-6 or error.reason


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cheapest_network(PiecewiseLinear([0, 1], [1e308, -1e308, 1e308])), "f has slopes"),
        (lambda: linear_map_cost([[1.0]], DAYS), "depth must be a whole number"),
        (lambda: Bracket(1.0, 2.0, "exact", counts=WRONG), "counts must be a Convention"),
        (lambda: Brackets([1.0], [2.0], "exact", reason=WRONG), "reason must be a sentence"),
        (
            lambda: linear_layers_bound(TwoLayer([[1.0, 2.0]], [1.0]), 3, basis=[[1e300], [1e300]]),
            "basis is not orthonormal",
        ),
        (
            lambda: Objective.jacot_2022(0.1, loss="cross-entropy").targets([0, 1], WRONG),
            "outputs must be a whole number",
        ),
    ],
)
def test_what_cannot_be_is_named(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()


def test_a_schedule_does_not_begin_again_after_its_end():
    recipe = Recipe(steps=10)
    assert recipe.rate(11) == recipe.rate(10) < recipe.rate(9)


def test_boxes_that_no_identity_layer_can_shift_are_named():
    net = DeepNet([[[1, 0.5], [0, 1]], [[1, 1]]], [[0, 0], [0]])
    with pytest.raises(ValueError, match=r"domain is so large|net has weights beyond"):
        cost_per_layer(net, 3, ([-1e308] * 2, [1e308] * 2))


def test_data_from_a_generator_are_asked_for_once(unchecked):
    data: Any = (part for part in ([0.0, 1.0], [0.0, 1.0]))
    trained = train(
        Architecture.two_layer(3), data, Objective.savarese_2019(0.1), Recipe(steps=3), [0]
    )
    assert np.isfinite(trained.objectives).all()


@pytest.mark.filterwarnings("error")
def test_a_tolerance_below_all_floats_is_said_not_to_be_met():
    net = TwoLayer([[1.0, 2.0], [0.5, -1.0]], [1.0, 1.0])
    assert linear_layers_cost(net, 3, rtol=5e-324).reason


def test_reasons_name_what_is_so():
    X, y = [[0, 0], [1, 0], [0, 1]], [1, 2, 3]
    assert "bias" in shallow_cost(X, y, bias=1e18).reason
    assert "float64" in interpolate_plane(X, y, rtol=1e-17).cost.reason


def test_a_gap_that_is_missed_by_little_has_a_reason():
    X = [[-1000, 999], [-1000, 1001], [-1001, 999], [-1000, 1000], [-1001, 1000], [-1001, 1001]]
    cost = interpolate_plane(X, [-2e50, -2e50, 1e50, 0, 0, -1e50], 7).cost
    assert cost.relative_gap <= 4e-3 / 7 or cost.reason
