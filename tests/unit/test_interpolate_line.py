"""`interpolate_line` against rational arithmetic on the same floats, HiGHS, splineops, and
minimisers by hand.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from splineops.adaptive_regression_splines.sparsification import sparsest_interpolant

from repcost import PiecewiseLinear, function_cost, interpolate_line

# Ten points like those of Figure 1, with the cost 4.35 of its caption.
FIGURE_1 = (
    [-2, -1.5, -1.1, -0.6, -0.2, 0.3, 0.7, 1.2, 1.6, 2],
    [0.5, 0.2, 0.12, 0.345, 0.685, 0.86, 0.74, 0.29, 0.13, 0.23],
)
HARD = {
    "a gap of 1e-9": ([0, 1e-9, 1, 2], [0, 1e-9, 0, 1]),
    "a gap of 2^-40": ([0, 2.0**-40, 1, 2], [0, 1, 1, 0]),
    "an offset of 1e9": (
        [1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.7, 1e9 + 1.3],
        [1e9 + 0.3, 1e9, 1e9 + 0.1, 1e9 + 0.7],
    ),
    "nearly a line": ([0, 1, 2, 3, 4], [0, 0.1, 0.2, 0.3, 0.4]),
    "inexact differences": ([-0.1, 0.3, 1e-20, 7.1, 1e5], [1e-9, 3e7, -0.7, 0.1, 1 / 3]),
    "thirds": ([0, 3, 6, 7, 10], [0, 1, 2, 9, 10]),
    "one point": ([3], [4]),
    "two points": ([0, 3], [0, 1]),
    "a constant": ([0, 0.1, 0.3], [0.7, 0.7, 0.7]),
    "Figure 1": FIGURE_1,
    "below the smallest float": ([0, 1, 2e200], [1e-300, 0, 3e-310]),
    "large": ([-1e250, 0, 1e-40, 1e-39], [1e250, 0, 1e200, 1]),
}


def slopes_of(x, y) -> list[Fraction]:
    points = sorted({(Fraction(a), Fraction(b)) for a, b in zip(x, y, strict=True)})
    return [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)]


def variation_and_ends(x, y) -> tuple[Fraction, Fraction]:
    """T and S of Theorem 3.3."""
    slopes = slopes_of(x, y)
    ends = slopes[0] + slopes[-1] if slopes else Fraction(0)
    return sum((abs(b - a) for a, b in pairwise(slopes)), Fraction(0)), abs(ends)


def least_cost(x, y) -> Fraction:
    variation, ends = variation_and_ends(x, y)
    return max(variation, (variation + ends) / 2)


def integer_points(rng, most=8) -> tuple[np.ndarray, np.ndarray]:
    """Few values, so that points are often collinear, runs long and T = S."""
    n = rng.integers(2, most)
    return np.sort(rng.permutation(12)[:n]).astype(float), rng.integers(-3, 4, size=n).astype(float)


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
    """The controls of the tests above: dropping the free ends, the slopes at the ends, and twice
    the slope.
    """
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


def certificate_in_fractions(x, y) -> list[Fraction]:
    """beta of both cases from its definition: beta . y is the cost, written as a sum over slopes."""
    x, y = map(Fraction, x), map(Fraction, y)
    x, y = zip(*sorted(zip(x, y, strict=True)), strict=True)
    slopes = slopes_of(x, y)
    weights = [Fraction(0)] * len(slopes)
    for n, (before, after) in enumerate(pairwise(slopes)):
        sign = (after > before) - (after < before)
        weights[n], weights[n + 1] = weights[n] - sign, weights[n + 1] + sign
    variation, ends = variation_and_ends(x, y)
    if ends > variation:
        sign = 1 if slopes[0] + slopes[-1] > 0 else -1
        weights[0], weights[-1] = weights[0] + sign, weights[-1] + sign
        weights = [weight / 2 for weight in weights]
    beta = [Fraction(0)] * len(x)
    for n, weight in enumerate(weights):
        g = weight / (x[n + 1] - x[n])
        beta[n], beta[n + 1] = beta[n] - g, beta[n + 1] + g
    return beta


def largest_dual_value(beta, x) -> Fraction:
    x = [Fraction(a) for a in x]
    return max(
        abs(sum((b * max(sign * (a - t), 0) for a, b in zip(x, beta, strict=True)), Fraction(0)))
        for t in x
        for sign in (1, -1)
    )


@pytest.mark.parametrize("x, y", [FIGURE_1, *(HARD[name] for name in list(HARD)[:6])])
def test_the_certificate_is_feasible_and_attains_the_cost(x, y):
    fit = interpolate_line(x, y)
    exact = certificate_in_fractions(x, y)
    assert sum(exact) == 0
    assert largest_dual_value(exact, fit.x) <= 1
    assert sum(b * Fraction(v) for b, v in zip(exact, fit.y, strict=True)) == least_cost(x, y)
    inverse = np.append(1 / np.diff(fit.x), 0) + np.append(0, 1 / np.diff(fit.x))
    assert np.all(np.abs(np.array([float(b) for b in exact]) - fit.certificate) <= 1e-15 * inverse)


def test_the_certificate_of_a_dyadic_grid_has_no_rounding():
    rng = np.random.default_rng(2)
    for _ in range(50):
        y = rng.integers(-5, 6, size=8) / 4
        fit = interpolate_line(np.arange(8) / 2, y)
        beta = [Fraction(b) for b in fit.certificate]
        assert sum(beta) == 0 and largest_dual_value(beta, fit.x) <= 1
        assert (
            sum(b * Fraction(v) for b, v in zip(beta, y, strict=True))
            == fit.cost.lower
            == fit.cost.upper
        )


def test_a_wrong_certificate_is_not_feasible():
    beta = certificate_in_fractions(*FIGURE_1)
    assert largest_dual_value([2 * b for b in beta], FIGURE_1[0]) > 1


def test_bands_of_the_points_like_figure_1():
    fit = interpolate_line(*FIGURE_1)
    assert fit.cost.value == pytest.approx(4.35, rel=1e-15)
    assert not fit.is_unique
    low, high = fit.band([-1.3, -0.9, 0.05, 0.5, 1.4])
    assert low == pytest.approx([0.08, 0.09, 0.7725, 0.80, 0.11], abs=1e-12)
    assert high == pytest.approx([0.16, 0.21, 0.8975, 0.92, 0.21], abs=1e-12)
    elsewhere = np.concatenate(
        [np.linspace(-5, -1.5, 9), np.linspace(-0.6, -0.2, 9), np.linspace(1.6, 5, 9)]
    )
    assert np.array_equal(*fit.band(elsewhere))
    assert len(fit.function.knots) == 8
    assert fit.sparsest.knots == pytest.approx([-1.2524, -0.6, 0.0826, 0.7, 1.4261], abs=1e-4)


def test_bands_of_case_b():
    low, high = interpolate_line([0, 1, 2], [0, 1, 3]).band([-1, 0, 0.5, 1, 1.5, 2, 3])
    assert low.tolist() == [-1, 0, 0, 1, 2, 3, 4]
    assert high.tolist() == [0, 0, 0.5, 1, 2, 3, 5]


def test_bands_are_exactly_where_another_point_is_free():
    """v is in the band at x0 if and only if the points with (x0, v) added cost no more, in rational
    arithmetic.
    """
    rng = np.random.default_rng(3)
    wide = {"inside": 0, "outside": 0}
    for _ in range(120):
        x, y = integer_points(rng, 6)
        fit, cost = interpolate_line(x, y), least_cost(x, y)
        for at in rng.choice(np.arange(-8, 60) / 4, size=6):
            if at in x:
                continue
            low, high = (float(end[0]) for end in fit.band([at]))
            wide["inside" if x[0] < at < x[-1] else "outside"] += high > low
            tests = {
                v for end in (low, high, (low + high) / 2) for v in (end - 0.01, end, end + 0.01)
            }
            for v in tests | set(np.arange(-4, 4.25, 0.5)):
                if min(abs(v - low), abs(v - high)) > 1e-9:
                    assert (least_cost([*x, at], [*y, v]) == cost) == (low < v < high)
            for end in (low, high):
                assert least_cost([*x, at], [*y, end]) - cost < 1e-12
    assert min(wide.values()) > 30


def test_one_arc_per_interval_is_not_enough():
    """Two arcs, each allowed on its interval, cost 5 when glued: minimisers bend one way on a whole
    run.
    """
    x, y = np.arange(5.0), [0, 0, 1, 3, 6]
    fit = interpolate_line(x, y)
    glued = PiecewiseLinear([1.5, 2, 2.5], [0, 2, 1, 3])
    middle = np.array([1.25, 1.5, 1.75, 2.25, 2.5, 2.75])
    low, high = fit.band(middle)
    assert np.all((low <= glued(middle)) & (glued(middle) <= high))
    assert glued(x).tolist() == y
    assert (fit.cost.value, function_cost(glued).value) == (3, 5)


def test_unique_exactly_when_every_band_is_closed():
    rng = np.random.default_rng(4)
    seen = set()
    for _ in range(200):
        fit = interpolate_line(*integer_points(rng))
        middle = np.concatenate([[fit.x[0] - 1], (fit.x[1:] + fit.x[:-1]) / 2, [fit.x[-1] + 1]])
        low, high = fit.band(middle)
        assert fit.is_unique == bool(np.max(high - low) < 1e-12)
        seen.add(fit.is_unique)
    assert seen == {True, False}


def test_band_at_the_data_is_the_data():
    x, y = np.random.default_rng(5).normal(size=(2, 50))
    low, high = interpolate_line(x, y).band(x)
    assert np.array_equal(low, y) and np.array_equal(high, y)


def knots_needed(x, y) -> int:
    """Each run of k equal signs needs ceil(k/2); in case B one end is bent: try the end points in
    and out.
    """
    slopes = slopes_of(x, y)
    inner = [(b > a) - (b < a) for a, b in pairwise(slopes)]
    variation, ends = variation_and_ends(x, y)
    e = 0 if ends <= variation else (1 if slopes[0] + slopes[-1] > 0 else -1)
    choices = [(e, 0), (0, -e), (e, -e)]
    return min(_count([first, *inner, last]) for first, last in choices)


def _count(signs) -> int:
    total, run, previous = 0, 0, 0
    for sign in signs:
        run = (run + 1 if sign == previous else 1) if sign else 0
        total += run % 2
        previous = sign
    return total


def test_the_sparsest_minimiser():
    rng = np.random.default_rng(6)
    saved = 0
    for _ in range(400):
        x, y = integer_points(rng, 10)
        fit = interpolate_line(x, y)
        for f in (fit.function, fit.sparsest):
            assert f(x) == pytest.approx(y, abs=1e-12)
            assert function_cost(f).value == pytest.approx(fit.cost.value, rel=1e-13)
        assert len(fit.sparsest.knots) == knots_needed(x, y)
        saved += len(fit.function.knots) - len(fit.sparsest.knots)
    assert saved > 100


@pytest.mark.parametrize(
    "y, knots",
    [
        ([0, 1], 1),
        ([0, 1, 3], 1),
        ([0, 2, 3], 1),
        ([0, 1, 3, 6], 2),
        ([0, 3, 5, 6], 2),
        ([0, 2, 5, 7], 2),
    ],
)
def test_the_sparsest_minimiser_in_case_b(y, knots):
    """Runs of 1 + 1, 2 + 1, 1 + 2, 3 + 1, 1 + 3 and 2 + 2 points."""
    fit = interpolate_line(np.arange(len(y)), y)
    assert fit.signs[0] != 0
    assert len(fit.sparsest.knots) == knots


def test_sparsest_is_inside_the_band():
    rng = np.random.default_rng(7)
    for _ in range(50):
        fit = interpolate_line(*integer_points(rng, 10))
        at = np.linspace(-3, 15, 181)
        low, high = fit.band(at)
        for f in (fit.function, fit.sparsest):
            assert np.all((low - 1e-12 <= f(at)) & (f(at) <= high + 1e-12))


def test_ties_are_decided_exactly():
    """Equal slopes 1/3, differences that round, and one last bit more."""
    thirds = interpolate_line([0, 3, 6, 12, 15], [0, 1, 2, 4, 9])
    assert thirds.signs[1:-1].tolist() == [0, 0, 1]
    x = np.sort(np.random.default_rng(8).normal(size=60))
    assert not interpolate_line(x, x).signs[1:-1].any()
    y = x.copy()
    y[30] = np.nextafter(y[30], np.inf)
    assert interpolate_line(x, y).signs[29:32].tolist() == [1, -1, 1]


def test_bends_below_the_resolution_of_two_floats():
    """Slopes a/b, c/d with |ad - bc| = 1, or a first point moved by 2^-101: only rational
    arithmetic sees the bend.
    """
    for b in range(2**52 - 60, 2**52, 4):
        d = b - 1  # b * b - (b - 1)(b + 1) = 1, and x and y stay whole numbers below 2^53
        for sign, (first, second) in ((1, ((d, b), (b, b + 1))), (-1, ((b, b + 1), (d, b)))):
            rises, runs = zip(first, second, strict=True)
            x, y = np.cumsum([0, *runs]), np.cumsum([0, *rises])
            assert max(x[-1], y[-1]) <= 2**53 and least_cost(x.tolist(), y.tolist()) > 0
            fit = interpolate_line(x, y)
            assert fit.signs[1] == sign and fit.turns[1] == pytest.approx(
                1 / (b * (b + 1)), rel=1e-9
            )
    assert interpolate_line([-(2.0**-101), 1, 2], [0, 1, 2]).signs[1] == 1


def test_case_a_and_b_are_told_apart_for_all_denominators():
    """Slopes 1/p, 1/p + 1/q, 1/q have T = S, whatever their floats add up to."""
    for p in range(3, 40):
        for q in range(p + 1, 40, 5):
            x, y = np.cumsum([0.0, p, p * q, q]), np.cumsum([0.0, 1, p + q, 1])
            assert interpolate_line(x, y).is_unique


def test_case_a_and_b_are_told_apart_to_the_last_bit():
    """Slopes 1/3, 1/3 + 1/7, 1/7: T = S; one bit more at the end makes S > T."""
    x, y = [0.0, 3.0, 24.0, 31.0], [0.0, 1.0, 11.0, 12.0]
    assert len(set(variation_and_ends(x, y))) == 1
    assert interpolate_line(x, y).is_unique
    assert not interpolate_line(x, [0.0, 1.0, 11.0, np.nextafter(12.0, 13.0)]).is_unique
    assert interpolate_line(x, [0.0, 1.0, 11.0, np.nextafter(12.0, 0.0)]).is_unique


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
        ([0, 1], [0, 1], 1, "depth must be at least 2"),
        ([0, 1], [0, 1], 2.5, "depth must be a whole number, not 2.5"),
        ([0, 1e-10], [0, 1e299], 2, "the slopes must stay below"),
        ([-1.7e308, 1.7e308], [0, 1], 2, "must stay below"),
        ([0, 5e-324], [0, 0], 2, "power of two"),
    ],
)
def test_refuses(x, y, depth, says, unchecked):
    with pytest.raises(ValueError, match=says):
        interpolate_line(x, y, depth)
