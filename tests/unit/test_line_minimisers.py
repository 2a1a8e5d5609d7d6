"""All minimisers through points on a line: their bands, and the one with fewest knots."""

from itertools import pairwise

import numpy as np
import pytest

from repcost import PiecewiseLinear, function_cost, interpolate_line
from tests.line_problems import FIGURE_1, integer_points, least_cost, slopes_of, variation_and_ends


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
    """v is in the band at x0 exactly if another point (x0, v) costs no more, in fractions."""
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
    """Two arcs, each allowed on its interval, cost 5 when glued.

    Minimisers bend one way on a whole run.
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


def test_directions_are_the_sides_on_which_the_band_is():
    """A function that turns up is below chords, and beyond the ends above the prolonged lines."""
    x, y = [0, 1, 2, 3, 4], [0, 0.5, 1.5, 3.5, 3]
    fit = interpolate_line(x, y)
    assert fit.directions([-9, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 9]).tolist() == [
        *[0, 0, 0, 1, 1, 1, 0, -1, 0, 0, 0]
    ]
    steep = interpolate_line(x[:4], y[:4])
    assert steep.directions([-9, 0, 0.5, 2.5, 3, 9]).tolist() == [1, 1, 1, 0, -1, -1]
    rng, at = np.random.default_rng(8), np.arange(-5, 45) / 3
    for _ in range(50):
        fit = interpolate_line(*integer_points(rng))
        low, high = fit.band(at)
        line = PiecewiseLinear(fit.x, fit.slopes, (fit.x[0], fit.y[0]))(at)
        inside = np.where((fit.x[0] < at) & (at < fit.x[-1]), -1, 1)
        side = np.sign((low + high) / 2 - line) * (high - low > 1e-12)
        open_band = side != 0
        assert np.array_equal((side * inside)[open_band], fit.directions(at)[open_band])


def test_band_at_the_data_is_the_data():
    x, y = np.random.default_rng(5).normal(size=(2, 50))
    low, high = interpolate_line(x, y).band(x)
    assert np.array_equal(low, y) and np.array_equal(high, y)


def knots_needed(x, y) -> int:
    """Each run of k equal signs needs ceil(k/2); in case B the end points are tried in and out."""
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
