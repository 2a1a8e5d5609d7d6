"""`regularised_fit` against cvxpy and optima by hand; its symmetries and its limits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import function_cost, interpolate_line, largest_useful_strength, regularised_fit
from tests.fit_problems import LOSSES, by_cvxpy, objective, with_repetitions
from tests.line_problems import FIGURE_1, least_cost


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("strength", [1e-4, 0.03, 0.5, 2.0, 40.0])
def test_objective_against_cvxpy(loss, strength):
    rng = np.random.default_rng(0)
    for x, y in [
        with_repetitions(rng),
        rng.normal(size=(2, 40)),
        FIGURE_1,
        ([0, 2], [1, 4]),
        ([1, 1, 1], [0, 1, 5]),
    ]:
        x, y = np.array(x, dtype=float), np.array(y, dtype=float)
        fit = regularised_fit(x, y, strength, loss=loss)
        assert fit.objective.value == pytest.approx(
            by_cvxpy(x, y, strength, loss), rel=1e-6, abs=1e-9
        )
        assert objective(fit, y, strength, loss) == pytest.approx(fit.objective.value, rel=1e-9)
        assert fit.function(x) == pytest.approx(fit.fitted, abs=1e-10)
        assert fit.objective.relative_gap <= 1e-8
        assert fit.objective.how == "certified"


@pytest.mark.parametrize("loss", LOSSES)
def test_the_gap_stays_small_up_to_a_few_hundred_points(loss):
    x = np.linspace(-1, 1, 300)
    y = np.sin(5 * x) + 0.3 * np.random.default_rng(1).normal(size=300)
    for strength in (1e-3, 0.1, 3.0):
        assert regularised_fit(x, y, strength, loss=loss).objective.relative_gap <= 1e-8


def test_close_neighbours_keep_their_slopes():
    assert regularised_fit([0, 1e-9, 1, 2], [0, 1e-9, 0, 1], 1e-6).objective.relative_gap <= 1e-8


def test_a_wrong_factor_is_noticed():
    """The controls of the tests above: no half of the square, or T alone for the cost."""
    x, y = [0, 1, 2], [0, 0, 3]
    fit = regularised_fit(x, y, 0.5)
    assert Fraction(5, 4) in fit.objective
    assert fit.fitted == pytest.approx([0, 0.5, 2.5], abs=1e-6)
    variation_only = 0.25 + 0.5 * 1.5
    unhalved = 0.5 + 0.5 * interpolate_line(x, fit.fitted).cost.value
    assert variation_only not in fit.objective and unhalved not in fit.objective


@pytest.mark.parametrize(
    "strength, value", [(1e-3, 4.324375), (1e-4, 4.3474375), (1e-5, 4.34974375)]
)
def test_the_setting_of_figure_1(strength, value):
    """The paper's (sum of squares + lambda C) / lambda: twice ours at lambda / 2."""
    fit = regularised_fit(*FIGURE_1, strength / 2)
    assert 2 * fit.objective.lower / strength <= value * (1 + 1e-13)
    assert 2 * fit.objective.upper / strength == pytest.approx(value, rel=1e-12)
    if strength == 1e-5:
        assert np.sum((fit.fitted - FIGURE_1[1]) ** 2) == pytest.approx(2.5625e-9, rel=1e-4)
        assert function_cost(fit.function).value == pytest.approx(4.3494875, rel=1e-9)


def test_two_points_by_hand():
    """(0, 0), (1, 1): values s and 1 - s cost s^2 + strength (1 - 2 s), until they meet.

    So s = strength.
    """
    fit = regularised_fit([0, 1], [0, 1], 0.1)
    assert fit.fitted == pytest.approx([0.1, 0.9], abs=1e-8)
    assert fit.objective.value == pytest.approx(0.09, rel=1e-12)
    assert regularised_fit([0, 1], [0, 1], 0.75).objective.value == pytest.approx(0.25)
    assert largest_useful_strength([0, 1], [0, 1]) == 0.5


@pytest.mark.parametrize("loss", LOSSES)
def test_repetitions_are_the_same_as_points_very_close_by(loss):
    """The dual merges groups; points 1e-7 apart are not groups, and have the same objective."""
    x, y = with_repetitions(np.random.default_rng(4), 15)
    apart = x + 1e-7 * np.arange(15)
    one, other = regularised_fit(x, y, 0.5, loss=loss), regularised_fit(apart, y, 0.5, loss=loss)
    assert one.objective.value == pytest.approx(other.objective.value, rel=1e-5)
    assert other.objective.lower <= other.objective.upper


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=9),
    st.sampled_from([0.01, 0.25, 1.0, 8.0]),
    st.sampled_from(LOSSES),
)
def test_symmetries(points, strength, loss):
    x, y = np.array(points, dtype=float).T
    value = regularised_fit(x, y, strength, loss=loss).objective.value
    close = pytest.approx(value, rel=1e-7, abs=1e-12)
    order = np.random.default_rng(5).permutation(len(x))
    again = regularised_fit(x[order], y[order], strength, loss=loss)
    assert again.objective.value == close
    assert regularised_fit(-x, y + 3, strength, loss=loss).objective.value == close
    scaled = regularised_fit(
        x + 1, 2 * y, 2 * strength if loss == "squared" else strength, loss=loss
    )
    assert scaled.objective.value / (4 if loss == "squared" else 2) == close
    stretched = regularised_fit(3 * x, y, 3 * strength, loss=loss)
    assert stretched.objective.value == close


@pytest.mark.parametrize("loss", LOSSES)
def test_weak_regularisation_interpolates_and_strong_is_constant(loss):
    x, y = np.array([0.0, 1, 2, 3, 4]), np.array([0.0, 1, 3, 2, 2.5])
    weak = regularised_fit(x, y, 1e-6, loss=loss)
    assert weak.objective.value == pytest.approx(1e-6 * float(least_cost(x, y)), rel=1e-4)
    assert weak.objective.relative_gap <= 1e-8
    if loss == "absolute":
        assert np.array_equal(weak.fitted, y)  # an exact fit from a positive strength on
    strong = regularised_fit(x, y, 1e6, loss=loss)
    assert strong.fitted == pytest.approx(
        np.full(5, np.mean(y) if loss == "squared" else np.median(y))
    )
    assert len(strong.function.knots) == 0


def test_functions_have_the_few_knots_of_the_optimum():
    x, noise = np.linspace(-1, 1, 200), 0.05 * np.random.default_rng(6).normal(size=200)
    steep = 4 * x + np.abs(x - 0.5) - np.abs(x + 0.5)  # S > T, and knots of both signs
    for y in (np.abs(x) + noise, steep + noise):
        assert 1 <= len(regularised_fit(x, y, 1.0).function.knots) <= 8


@pytest.mark.parametrize("loss", LOSSES)
def test_nothing_to_decide(loss):
    """One point and equal values fit for free; both ends are then zero."""
    for x, y in [([2], [7]), ([0.0, 0.1, 0.7], [0.7, 0.7, 0.7]), ([1, 1], [4, 4])]:
        fit = regularised_fit(x, y, 0.3, loss=loss)
        assert (fit.objective.lower, fit.objective.upper) == (0, 0)
        assert fit.fitted.tolist() == y


def test_values_come_in_the_order_given():
    x, y = np.array([3.0, 0, 1, 3, 2]), np.array([1.0, 0, 4, 2, 1])
    fit = regularised_fit(x[:, None], y, 0.1)
    assert fit.fitted == pytest.approx(fit.function(x), abs=1e-12)
    assert fit.fitted[0] == fit.fitted[3]


@pytest.mark.parametrize(
    "x, y, strength, loss, says",
    [
        ([], [], 1.0, "squared", "x is empty"),
        ([0, 1], [0], 1.0, "squared", "x has 2, y has 1"),
        ([0, 1], [0, np.nan], 1.0, "squared", "y holds NaN"),
        (
            [0, 1],
            [0, 1],
            0.0,
            "squared",
            "strength must be positive and finite, not 0.0; use interpolate_line",
        ),
        ([0, 1], [0, 1], np.inf, "squared", "strength must be positive and finite, not inf"),
        ([0, 1], [0, 1], np.nan, "squared", "strength must be positive and finite, not nan"),
        ([0, 1], [0, 1], 1.0, "huber", 'loss must be "squared" or "absolute", not \'huber\''),
        ([0, 1], [0, 1e200], 1.0, "squared", "y must stay below 1e100"),
        ([0, 1e-200], [0, 1], 1.0, "squared", "x must .* span more than 1e-100"),
    ],
)
def test_refuses(x, y, strength, loss, says, unchecked):
    with pytest.raises(ValueError, match=says):
        regularised_fit(x, y, strength, loss=loss)
    if strength == 1.0 and loss == "squared":
        with pytest.raises(ValueError, match=says):
            largest_useful_strength(x, y)


def test_where_the_solver_goes_round_in_circles():
    """With its own scaling it stops here at an objective that is known to one per cent."""
    x = [0.5, 2.5, 6.75, 9.25, 9.75]
    y = [
        0.9168074046380958,
        0.36906490429074923,
        -0.36319830469067765,
        0.28303520475175453,
        -1.5512498094308016,
    ]
    assert regularised_fit(x, y, 0.20540489112036342).objective.relative_gap < 1e-9


@pytest.mark.parametrize("strength", [1e20, 1e100, 1e156, 1e300, 1.7e308])
@pytest.mark.parametrize(("loss", "least"), [("squared", Fraction(7, 3)), ("absolute", 3)])
def test_no_strength_is_too_large(strength, loss, least):
    """The constant is best, and costs nothing: squares of such strengths are no floats."""
    objective = regularised_fit([0, 1, 2], [0, 1, 3], strength, loss=loss).objective
    assert objective.lower <= least <= objective.upper
    assert objective.relative_gap < 1e-12
