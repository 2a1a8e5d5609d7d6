"""The dual certificate of points on a line, in rational arithmetic; and ties, decided exactly."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from repcost import interpolate_line
from repcost.costs.slopes import Slopes
from tests.line_problems import (
    FIGURE_1,
    HARD,
    largest_dual_value,
    least_cost,
    slopes_of,
    variation_and_ends,
)


def certificate_in_fractions(x, y) -> list[Fraction]:
    """beta of both cases from its definition: beta . y is the cost as a sum over slopes."""
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
    """Bends that only rational arithmetic sees.

    Slopes a/b, c/d with |ad - bc| = 1, or a first point moved by 2^-101.
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


@pytest.mark.parametrize("spread", [0, 30, 100])
def test_two_floats_and_their_error_enclose_a_sum_of_slopes(spread):
    """Slopes up to 2^spread apart, which cancel: against fractions, with signs."""
    rng = np.random.default_rng(spread)
    told_too_little = 0
    for _ in range(30):
        x, y = np.sort(rng.normal(size=9)), rng.normal(size=9) * 2.0 ** rng.integers(-spread, 1, 9)
        slopes, weights = Slopes.between(x, y), rng.integers(-2, 3, 8).astype(float)
        exact = sum(w * s for w, s in zip(map(Fraction, weights), slopes_of(x, y), strict=True))
        total = slopes.total(weights)
        off = abs(sum(map(Fraction, total.parts)) - exact)
        assert off <= Fraction(total.error) <= 2.0**-90 * max(map(abs, slopes.high))
        told = slopes.signed_total(weights, total)
        assert (told > 0) - (told < 0) == (exact > 0) - (exact < 0)
        # Control: one float is not enough for that.
        told_too_little += abs(Fraction(sum(total.parts[:1])) - exact) > Fraction(total.error)
    assert told_too_little > 20
