"""The cost of points on a line, against rational arithmetic, HiGHS and splineops."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from splineops.adaptive_regression_splines.sparsification import sparsest_interpolant

from repcost import interpolate_line
from tests.line_problems import FIGURE_1, HARD, integer_points, least_cost, variation_and_ends


@pytest.mark.parametrize("x, y", HARD.values(), ids=HARD)
def test_cost_of_hard_points(x, y):
    fit, true = interpolate_line(x, y), least_cost(x, y)
    assert true in fit.cost
    assert fit.cost.how == "certified"
    if true > 1e-200:
        assert fit.cost.gap <= 4 * np.spacing(fit.cost.upper)


def test_the_gap_of_1e_9_is_not_lost():
    """A float LP solver returns 1 on these four points."""
    assert abs(least_cost(*HARD["a gap of 1e-9"]) - Fraction("2.000000002")) < Fraction(1, 10**15)


# Nothing between 0 and 1e-100: neighbours that close are refused, which has a test of its own
# below.
floats = st.floats(-1e6, 1e6).map(lambda value: value if abs(value) > 1e-100 else 0.0)


few = st.sampled_from([-3.0, -1.0, -0.3, -0.1, 0.0, 0.1, 0.3, 1.0, 3.0])


points = st.one_of(
    [
        st.lists(st.tuples(v, v), min_size=1, max_size=10, unique_by=lambda point: point[0])
        for v in (floats, few)
    ]
)


@settings(max_examples=300, deadline=None)
@given(points, st.integers(2, 7))
def test_cost_against_fractions(points, depth):
    x, y = np.array(points).T
    true = least_cost(x, y)
    if true and not 1e-250 < true < 1e290:
        return
    fit = interpolate_line(x, y, depth)
    assert Fraction(fit.cost.lower) ** depth <= true**2 <= Fraction(fit.cost.upper) ** depth
    assert fit.cost.relative_gap <= 1e-15 if depth == 2 else fit.cost.relative_gap <= 1e-12


def test_depth_rescales_the_cost_only():
    shallow, deep = interpolate_line(*FIGURE_1), interpolate_line(*FIGURE_1, depth=4)
    assert deep.cost.value == pytest.approx(np.sqrt(4.35), rel=1e-14)
    assert np.array_equal(deep.certificate, shallow.certificate)


def test_wrong_formulas_for_the_cost_disagree():
    """The controls of the tests above: no free ends, no slopes at the ends, or twice the slope."""
    x, y = [0, 1, 2], [0, 1, 3]
    variation, ends = variation_and_ends(x, y)
    assert [least_cost(x, y), max(variation, ends), variation] == [2, 3, 1]
    assert 2 in interpolate_line(x, y).cost and 3 not in interpolate_line(x, y).cost
    assert (
        interpolate_line([0, 1], [0, 3]).cost.value == 3
    )  # not 2 |l_1| = 6, the cost of a line on all of R


def linear_programme(x, y) -> float:
    """(25) over units [+-(x - x_j)]_+ and a free bias, by HiGHS."""
    right = np.maximum(x[:, None] - x, 0)
    units = np.hstack([right, np.maximum(x - x[:, None], 0)])
    fit = np.hstack([units, -units, np.ones((len(x), 1)), -np.ones((len(x), 1))])
    price = np.append(np.ones(4 * len(x)), [0, 0])
    return linprog(price, A_eq=fit, b_eq=y).fun


def test_cost_against_the_linear_programme():
    rng = np.random.default_rng(0)
    for _ in range(60):
        x, y = integer_points(rng)
        assert interpolate_line(x, y).cost.value == pytest.approx(linear_programme(x, y), abs=1e-7)


def test_variation_against_splineops():
    """splineops leaves the affine part free and so finds T; our cost is T in case A only."""
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(60):
        x, y = integer_points(rng)
        _, amplitudes, _ = sparsest_interpolant(x, y)
        variation, ends = variation_and_ends(x, y)
        assert np.abs(amplitudes).sum() == pytest.approx(float(variation), abs=1e-9)
        cases.append(bool(ends > variation))
        assert (interpolate_line(x, y).cost.value > float(variation) + 1e-9) == cases[-1]
        if not cases[-1]:
            assert len(interpolate_line(x, y).sparsest.knots) == len(amplitudes)
    assert {True, False} == set(cases)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
        min_size=1,
        max_size=9,
        unique_by=lambda p: p[0],
    )
)
def test_symmetries(points):
    x, y = np.array(points, dtype=float).T
    fit, at = interpolate_line(x, y), np.linspace(-12, 12, 49)
    low, high = fit.band(at)
    other = interpolate_line(x[::-1], y[::-1])  # another order
    assert np.array_equal(other.certificate, fit.certificate) and np.array_equal(
        other.band(at), fit.band(at)
    )
    assert interpolate_line(x, -4 * y).cost.value == 4 * fit.cost.value
    assert np.array_equal(interpolate_line(x, -4 * y).band(at), (-4 * high, -4 * low))
    moved = interpolate_line(x + 32, y + 7)
    assert moved.cost.value == fit.cost.value and np.array_equal(moved.certificate, fit.certificate)
    mirrored = interpolate_line(-x, y)
    assert mirrored.cost.value == fit.cost.value and mirrored.is_unique == fit.is_unique
    assert np.array(mirrored.band(-at)) == pytest.approx(np.array([low, high]), abs=1e-12)
    assert len(mirrored.sparsest.knots) == len(fit.sparsest.knots)


def test_one_point_is_a_constant():
    fit = interpolate_line([[3.0]], [5.0])
    assert (fit.cost.lower, fit.cost.upper, fit.is_unique, fit.certificate.tolist()) == (
        0,
        0,
        True,
        [0],
    )
    assert (
        fit.function([9.0]).tolist()
        == fit.sparsest([0.0]).tolist()
        == fit.band([1.0])[0].tolist()
        == [5]
    )


def test_equal_points_are_merged():
    fit = interpolate_line([2, 0, 1, 0], [3, 0, 1, 0])
    assert (fit.x.tolist(), fit.y.tolist(), fit.cost.value) == ([0, 1, 2], [0, 1, 3], 2)
    assert interpolate_line([[2], [0], [1]], [3, 0, 1]).cost.value == 2


@pytest.mark.parametrize(
    "x, y, depth, says",
    [
        ([], [], 2, "x is empty"),
        ([0, 1, 0], [0, 1, 2], 2, "x holds 0.0 twice, with y = 0.0 and 2.0.*regularised_fit"),
        ([0, 1, 0], [2, 1, 0], 2, "x holds 0.0 twice, with y = 2.0 and 0.0"),
        ([0, np.nan], [0, 1], 2, "x holds NaN"),
        ([0, 1], [0, np.inf], 2, "y holds NaN or infinity"),
        ([0, 1], [0], 2, "same number of rows: x has 2, y has 1"),
        ([[0, 1]], [0], 2, "x must have 1 axis"),
        ([0, 1], [0, 1], 1, "depth must be a whole number of layers of weights, at least 2"),
        (
            [0, 1],
            [0, 1],
            2.5,
            "depth must be a whole number of layers of weights, at least 2, not 2.5",
        ),
        ([0, 1e-10], [0, 1e299], 2, "slopes must stay below"),
        ([-1.7e308, 1.7e308], [0, 1], 2, "must stay below"),
        ([0, 5e-324], [0, 0], 2, "power of two"),
    ],
)
def test_refuses(x, y, depth, says, unchecked):
    with pytest.raises(ValueError, match=says):
        interpolate_line(x, y, depth)
