"""`function_cost` against exact rational arithmetic on the same floats: an enclosure, and tight."""

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import PiecewiseLinear, TwoLayer, function_cost
from repcost.rounding import exact_product, quotient_digits
from tests.problems import ONE_VARIABLE


def cost_of_network(net: TwoLayer) -> Fraction:
    """Theorem 3.1 in rational arithmetic, unit by unit."""
    jumps, slope_sum = defaultdict(Fraction), Fraction(0)
    for w, a, b in zip(
        map(Fraction, net.W[:, 0]), map(Fraction, net.a), map(Fraction, net.b), strict=True
    ):
        if w:
            jumps[-b / w] += a * abs(w)
            slope_sum += a * w
    return max(sum(map(abs, jumps.values()), Fraction(0)), abs(slope_sum))


def cost_of_slopes(f: PiecewiseLinear) -> Fraction:
    slopes = [Fraction(slope) for slope in f.slopes]
    return max(
        sum((abs(b - a) for a, b in pairwise(slopes)), Fraction(0)), abs(slopes[0] + slopes[-1])
    )


def assert_tight(bracket, true: Fraction) -> None:
    assert true in bracket
    assert bracket.gap <= np.spacing(bracket.upper)
    assert bracket.gap == 0 or float(true) != true
    assert bracket.how == "certified"


@pytest.mark.parametrize("problem", ONE_VARIABLE, ids=str)
def test_known_functions(problem):
    assert_tight(function_cost(problem.function), problem.cost)
    assert_tight(function_cost(problem.network), problem.cost)
    x = np.linspace(-6, 6, 121)
    assert problem.network(x) == pytest.approx(problem.function(x), abs=1e-12)


@pytest.mark.parametrize("problem", ONE_VARIABLE, ids=str)
def test_plausible_wrong_formulas_disagree_somewhere(problem):
    """The controls of the tests above: each wrong formula fails on some problem of the list."""
    slopes = problem.function.slopes
    variation, slope_sum = np.abs(np.diff(slopes)).sum(), abs(slopes[0] + slopes[-1])
    wrong = {
        "line": variation,
        "absolute value": variation / 2,
        "steep": (variation + slope_sum) / 2,
    }
    if problem.name in wrong:
        assert abs(wrong[problem.name] - problem.cost) > 0.5


floats = st.floats(-1e6, 1e6, allow_subnormal=False)
# Few values, so that thresholds meet, masses cancel and units are free.
small = st.sampled_from([-3.0, -1.0, -0.3, -0.1, 0.0, 0.1, 0.3, 1.0, 3.0])
units = st.lists(
    st.one_of(st.tuples(small, small, small), st.tuples(floats, floats, floats)), max_size=12
)


@settings(max_examples=300, deadline=None)
@given(units)
def test_networks_against_fractions(rows):
    w, a, b = np.array(rows, dtype=float).reshape(-1, 3).T
    net = TwoLayer(w[:, None], a, b)
    assert cost_of_network(net) in function_cost(net)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20))
def test_slopes_against_fractions(slopes):
    f = PiecewiseLinear(np.arange(len(slopes) - 1.0), slopes)
    assert_tight(function_cost(f), cost_of_slopes(f))


def test_scales_far_apart():
    rng = np.random.default_rng(0)
    for _ in range(200):
        w, a, b = rng.normal(size=(3, 10)) * 10.0 ** rng.integers(-60, 60, size=(3, 10))
        net = TwoLayer(w[:, None], a, b)
        assert_tight(function_cost(net), cost_of_network(net))


def test_products_below_the_smallest_float():
    net = TwoLayer([[1e-200], [1e-200], [1e-160]], [1e-200, 1.0, 1e-160], [0.0, 1.0, 3.0])
    assert cost_of_network(net) in function_cost(net)
    assert cost_of_network(net) > Fraction(1, 10**201)
    # A little less than 1, though no float says so.
    less = TwoLayer([[1.0], [1e-200]], [1.0, -1e-200], [0.0, 0.0])
    assert cost_of_network(less) < 1
    assert cost_of_network(less) in function_cost(less)


def test_many_slopes_of_any_size():
    """The significands are added up by exponent, down to the smallest floats."""
    rng = np.random.default_rng(5)
    for low, high in ((-323, -300), (-323, 300), (-3, 3)):
        slopes = rng.normal(size=3000) * 10.0 ** rng.integers(low, high, 3000)
        f = PiecewiseLinear(np.arange(2999.0), slopes)
        assert_tight(function_cost(f), cost_of_slopes(f))


def test_thresholds_are_one_kink_exactly_when_equal_as_rationals():
    """The floats 0.3 / 3 and 0.1 / 1 are different rationals, whatever their quotients round to."""
    together = TwoLayer([[3.0], [1.0]], [1.0, -3.0], [-3.0, -1.0])
    assert function_cost(together).upper == 0.0
    apart = TwoLayer([[3.0], [1.0]], [1.0, -3.0], [-0.3, -0.1])
    assert cost_of_network(apart) == 6
    assert_tight(function_cost(apart), Fraction(6))


def test_a_kink_met_by_float_division_only():
    """Two thresholds that differ but divide to the same float: merging by == would lose cost 2."""
    near = next(
        b for b in np.nextafter(np.arange(1.0, 500.0), 0) if b / 3.0 == np.nextafter(b, 0) / 3.0
    )
    net = TwoLayer([[3.0], [3.0]], [1 / 3, -1 / 3], [near, np.nextafter(near, 0)])
    assert_tight(function_cost(net), cost_of_network(net))
    assert cost_of_network(net) > 1.9


def test_order_does_not_matter():
    rng = np.random.default_rng(1)
    w, a, b = rng.choice([-1.0, 0.5, 1.0, 3.0], size=(3, 60))
    order = rng.permutation(60)
    one = function_cost(TwoLayer(w[:, None], a, b))
    other = function_cost(TwoLayer(w[order][:, None], a[order], b[order]))
    assert (one.lower, one.upper) == (other.lower, other.upper)


def test_many_units_on_one_kink():
    rng = np.random.default_rng(2)
    w, a = rng.normal(size=(2, 2000))
    net = TwoLayer(w[:, None], a, np.zeros(2000))
    assert_tight(function_cost(net), cost_of_network(net))


@pytest.mark.parametrize(
    "argument, says",
    [
        (3.0, "PiecewiseLinear or a TwoLayer"),
        (TwoLayer([[1e200]], [1e200], [0.0]), "exceeds"),
        (PiecewiseLinear([0.0], [-1.7e308, 1.7e308]), "too large"),
    ],
)
def test_refuses(argument, says, unchecked):
    with pytest.raises(ValueError, match=says):
        function_cost(argument)


def test_exact_product_is_exact():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 1000)) * 10.0 ** rng.integers(-100, 100, size=(2, 1000))
    p, e = exact_product(x, y)
    assert all(
        Fraction(p[i]) + Fraction(e[i]) == Fraction(x[i]) * Fraction(y[i]) and p[i] == x[i] * y[i]
        for i in range(1000)
    )
    assert np.any(e != 0)


def test_quotient_digits_agree_exactly_for_equal_rationals():
    rng = np.random.default_rng(4)
    x, y = rng.integers(1, 2**52, size=(2, 300)).astype(float)
    k = rng.integers(1, 8, size=300).astype(
        float
    )  # k * x stays below 2^55 and is exact only when it fits
    fits = (k * x < 2**53) & (k * y < 2**53)
    same = (
        np.stack(quotient_digits(x, y)),
        np.stack(quotient_digits(k * x * 2.0**30, k * y * 2.0**30)),
    )
    assert np.array_equal(same[0][:, fits], same[1][:, fits])
    assert fits.sum() > 30
    x_below, y_below = np.nextafter(x, 0), np.nextafter(y, 0)
    below = np.stack(quotient_digits(x_below, y_below))
    products = zip(
        map(Fraction, x),
        map(Fraction, y_below),
        map(Fraction, x_below),
        map(Fraction, y),
        strict=True,
    )
    assert np.array_equal(
        np.any(same[0] != below, axis=0), [a * b != c * d for a, b, c, d in products]
    )
