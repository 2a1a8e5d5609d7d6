"""`regularised_fit` against cvxpy, optima by hand and the conditions of optimality; its dual in
rational arithmetic.
"""

from fractions import Fraction
from itertools import pairwise

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import function_cost, interpolate_line, largest_useful_strength, regularised_fit
from repcost.costs.fit_problem import FitProblem
from tests.unit.test_interpolate_line import FIGURE_1, largest_dual_value, least_cost

LOSSES = ["squared", "absolute"]


def with_repetitions(rng, n=25) -> tuple[np.ndarray, np.ndarray]:
    """Points in disorder, on a grid, some of them with the same x and different y."""
    return rng.integers(-6, 7, size=n) / 4.0, rng.normal(size=n)


def objective(fit, y, strength, loss) -> float:
    residual = fit.fitted - y
    size = 0.5 * residual @ residual if loss == "squared" else np.abs(residual).sum()
    return size + strength * function_cost(fit.function).value


def by_cvxpy(x, y, strength, loss) -> float:
    """(24) over all slopes of a linear spline, the outermost ones included: nothing here knows F2
    or the dual.
    """
    knots, group = np.unique(x, return_inverse=True)
    z, left, right = cp.Variable(len(knots)), cp.Variable(), cp.Variable()
    inner = [cp.multiply(cp.diff(z), 1 / np.diff(knots))] if len(knots) > 1 else []
    slopes = cp.hstack([left, *inner, right])
    cost = cp.maximum(cp.norm1(cp.diff(slopes)), cp.abs(left + right))
    residual = z[group] - y
    size = 0.5 * cp.sum_squares(residual) if loss == "squared" else cp.norm1(residual)
    total = size + strength * cost
    cp.Problem(cp.Minimize(total)).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11
    )
    return float(np.asarray(total.value))


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
    """The controls of the tests above: without the half of the square, or with sum T alone for the
    cost.
    """
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
    """The paper's (sum of squares + lambda C) / lambda: twice the squared objective with half the
    strength.
    """
    fit = regularised_fit(*FIGURE_1, strength / 2)
    assert 2 * fit.objective.lower / strength <= value * (1 + 1e-13)
    assert 2 * fit.objective.upper / strength == pytest.approx(value, rel=1e-12)
    if strength == 1e-5:
        assert np.sum((fit.fitted - FIGURE_1[1]) ** 2) == pytest.approx(2.5625e-9, rel=1e-4)
        assert function_cost(fit.function).value == pytest.approx(4.3494875, rel=1e-9)


def test_two_points_by_hand():
    """(0, 0), (1, 1): values s and 1 - s cost s^2 + strength (1 - 2 s), so s = strength until they
    meet.
    """
    fit = regularised_fit([0, 1], [0, 1], 0.1)
    assert fit.fitted == pytest.approx([0.1, 0.9], abs=1e-8)
    assert fit.objective.value == pytest.approx(0.09, rel=1e-12)
    assert regularised_fit([0, 1], [0, 1], 0.75).objective.value == pytest.approx(0.25)
    assert largest_useful_strength([0, 1], [0, 1]) == 0.5


@pytest.mark.parametrize("seed", range(5))
def test_residuals_are_the_projection_onto_the_dual_ball(seed):
    """Optimality, for the squared loss: beta = y - z is feasible for `strength`, and beta . z =
    strength R-bar.
    """
    rng = np.random.default_rng(seed)
    x, y = with_repetitions(rng)
    strength = 0.3
    fit = regularised_fit(x, y, strength)
    beta = y - fit.fitted
    assert beta.sum() == pytest.approx(0, abs=1e-8)
    assert float(largest_dual_value([Fraction(b) for b in beta], x)) <= strength * (1 + 1e-6)
    assert beta @ fit.fitted == pytest.approx(
        strength * function_cost(fit.function).value, rel=1e-6
    )


def test_the_least_useful_strength_divides_constants_from_the_rest():
    rng = np.random.default_rng(2)
    for x, y in [
        with_repetitions(rng),
        rng.normal(size=(2, 9)),
        (np.arange(5.0), np.array([0.0, 1, 4, 9, 17])),
    ]:
        limit = largest_useful_strength(x, y)
        above, below = regularised_fit(x, y, 1.0001 * limit), regularised_fit(x, y, 0.99 * limit)
        assert np.ptp(above.fitted) == 0 and above.fitted[0] == pytest.approx(np.mean(y))
        assert np.ptp(below.fitted) > 1e-4 * np.ptp(y)
    assert largest_useful_strength([3], [1]) == largest_useful_strength([0, 1, 4], [2, 2, 2]) == 0
    assert largest_useful_strength(x + 1e6, y + 2.0**40) == pytest.approx(limit, rel=1e-14)


def least(pull: Fraction, y: list[Fraction], loss: str) -> Fraction:
    """min over z of sum loss(z - y_n) + pull * z, for the points of one group."""
    if loss == "squared":
        z = (sum(y, Fraction(0)) - pull) / len(y)
        return sum(((z - v) ** 2 / 2 for v in y), Fraction(0)) + pull * z
    assert abs(pull) <= len(y)
    return min(sum((abs(z - v) for v in y), Fraction(0)) + pull * z for z in y)


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_lower_end_is_a_value_of_the_dual(loss, offset):
    """Any rho is scaled until it is feasible, and rational arithmetic never finds less than `dual`
    promises for it.
    """
    rng, strength = np.random.default_rng(3), 0.3
    for size in 10.0 ** rng.integers(-2, 3, size=60):
        x, y = rng.integers(0, 8, size=12) / 3, offset + rng.normal(size=12)
        problem = FitProblem.grouped(x, y, loss)
        rho = size * rng.normal(size=len(problem.x) - 1)
        pulls = [
            b - a
            for a, b in pairwise(
                [Fraction(0), *map(Fraction, problem.feasible(rho, strength)), Fraction(0)]
            )
        ]
        assert largest_dual_value(pulls, problem.x) <= strength
        groups = [[Fraction(v) for v in y[x == at]] for at in problem.x]
        value = sum(
            (least(b, group, loss) for b, group in zip(pulls, groups, strict=True)), Fraction(0)
        )
        lower = problem.dual(rho, strength)
        assert max(value, 0) - Fraction(1, 10**5 if offset else 10**12) <= lower <= max(value, 0)


@pytest.mark.parametrize("loss", LOSSES)
def test_repetitions_are_the_same_as_points_very_close_by(loss):
    """Groups are merged in the dual by hand; points 1e-7 apart are not groups and end up at the
    same objective.
    """
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
        ([0, 1], [0, 1], np.inf, "squared", "strength must be positive"),
        ([0, 1], [0, 1], np.nan, "squared", "strength must be positive"),
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
