"""Exact costs against a search over the slopes at the ends, and against the certified brackets."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from repcost import interpolate_line
from repcost.costs import exact_certificate, exact_interpolation_cost, exact_slopes


def random_points(rng: np.random.Generator):
    n = int(rng.integers(2, 8))
    x = np.sort(rng.choice(20, n, replace=False))
    return x, rng.integers(-9, 10, n) + rng.integers(-3, 4) * x


def over_the_ends(slopes: list[Fraction]) -> Fraction:
    """(27) of Savarese et al. (2019) by trying slopes at the ends on a grid of 64ths.

    Where T >= S the outer slopes themselves are best; elsewhere one of them, moved by (S - T)/2.
    """
    turn = sum(abs(b - a) for a, b in pairwise(slopes))
    half = (abs(slopes[0] + slopes[-1]) - turn) / 2
    tries = [*slopes, slopes[-1] - half, slopes[-1] + half]
    tries += [slopes[0] + Fraction(k, 64) for k in range(-640, 641, 80)]
    costs = []
    for first, last in product(tries, repeat=2):
        whole = [first, *slopes, last]
        turn = sum(abs(b - a) for a, b in pairwise(whole))
        costs.append(max(turn, abs(first + last)))
    return min(costs)


def test_the_cost_is_the_least_over_the_slopes_at_the_ends():
    rng = np.random.default_rng(0)
    for x, y in (random_points(rng) for _ in range(200)):
        assert exact_interpolation_cost(x, y) == over_the_ends(exact_slopes(x, y))


def test_the_certified_bracket_holds_the_exact_cost():
    rng = np.random.default_rng(1)
    for _ in range(200):
        x, y = np.sort(rng.normal(size=6)), rng.normal(size=6)
        cost, exact = interpolate_line(x, y).cost, exact_interpolation_cost(x, y)
        assert Fraction(cost.lower) <= exact <= Fraction(cost.upper)


def test_the_certificate_proves_the_cost():
    rng = np.random.default_rng(2)
    for x, y in (random_points(rng) for _ in range(200)):
        beta = exact_certificate(x, y)
        assert sum(beta) == 0
        ramps = [[max(int(p - t), 0) for p in x] for t in x] + [
            [max(int(t - p), 0) for p in x] for t in x
        ]
        assert all(abs(sum(b * r for b, r in zip(beta, ramp, strict=True))) <= 1 for ramp in ramps)
        proved = sum(b * int(v) for b, v in zip(beta, y, strict=True))
        assert proved == exact_interpolation_cost(x, y)
        rounded = interpolate_line(x, y).certificate
        assert rounded == pytest.approx([float(b) for b in beta], abs=1e-14)


def test_points_out_of_order_are_refused():
    for x, y in (([1, 0], [0, 0]), ([0, 0], [0, 1]), ([0], [0]), ([0, 1, 2], [0, 1])):
        with pytest.raises(ValueError, match="x must increase strictly"):
            exact_slopes(x, y)
