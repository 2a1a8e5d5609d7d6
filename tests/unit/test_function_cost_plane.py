"""`function_cost` in two and more variables: by hand, in fractions, against other solvers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from repcost import TwoLayer, function_cost
from repcost.costs.zonotopes import distance_to_zonotope
from tests.kink_problems import (
    BY_HAND,
    assert_is,
    by_cone_programme,
    by_dictionary,
    fractions,
    generators,
    joined,
    kinks,
    lattice,
    linear,
    units,
)


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    net, cost = BY_HAND[name]
    assert_is(function_cost(net), cost)


def wrong_formulas(net: TwoLayer) -> dict[str, float]:
    M, g = generators(net)
    bends, slope = float(np.linalg.norm(M, axis=1).sum()), float(np.linalg.norm(g))
    return {
        "path norm": net.path_norm,
        "bends alone": bends,
        "linear part once, not twice": bends + distance_to_zonotope(g / 2, M).value,
        "bends and slope both in full": bends + slope,
        "the larger of the two, as on a line": max(bends, slope),
    }


@pytest.mark.parametrize(
    "formula, problem",
    [
        ("path norm", "a unit and its opposite"),
        ("path norm", "slope against a bend"),
        ("bends alone", "linear"),
        ("linear part once, not twice", "linear"),
        ("linear part once, not twice", "cross, slope beyond a side"),
        ("bends and slope both in full", "one unit"),
        ("the larger of the two, as on a line", "slope across a bend"),
    ],
)
def test_plausible_wrong_formulas_disagree(formula, problem):
    net, cost = BY_HAND[problem]
    assert abs(wrong_formulas(net)[formula] - cost) > 0.5


def test_distinct_hyperplanes_cost_the_path_norm():
    """Also for depth 2 of the deeper costs: no two lines coincide, so nothing can be saved."""
    rng = np.random.default_rng(0)
    for d in (2, 3, 10, 100):
        net = TwoLayer(rng.normal(size=(50, d)), rng.normal(size=50), rng.normal(size=50))
        assert_is(function_cost(net), net.path_norm)


def test_aligned_units_whose_kinks_cancel():
    """Prop. 5.2 of Ongie & Willett compares path norms, but half the kinks of g cancel.

    The path norms are 4 and 8 / sqrt 3.
    """
    w1 = np.array([2.0, 1.0]) / math.sqrt(5)
    turn = 2 * np.pi / 3
    w2 = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ w1
    w0 = (w1 - w2) / (w1 @ (w1 - w2))
    a, b = [1, -1, -1, 1], [0, -1, 0, -1]
    f, g = TwoLayer([w1, w1, w2, w2], a, b), TwoLayer([w0, w0, -w0, -w0], a, b)
    t = np.array([0.25, 0.5, 1.0, 1.5, 2.0])[:, None]
    assert (
        np.abs(f(t * w1) - g(t * w1)).max() < 1e-15 and np.abs(f(t * w2) - g(t * w2)).max() < 1e-15
    )
    assert function_cost(f).value == pytest.approx(4, rel=1e-13)
    assert function_cost(g).value == pytest.approx(4 / math.sqrt(3), rel=1e-13)
    assert g.path_norm == pytest.approx(8 / math.sqrt(3), rel=1e-13)


def test_against_fractions():
    """Units along (3, 4) and (-4, 3): the zonotope is a box, and all but one root is rational."""
    rng = np.random.default_rng(1)
    frame = np.array([[3.0, 4.0], [-4.0, 3.0]])
    lengths = {Fraction(4, 3): Fraction(5, 3), Fraction(-3, 4): Fraction(5, 4)}
    beyond = 0
    for _ in range(300):
        K = int(rng.integers(1, 9))
        scale = rng.choice([-1, 1], K) * rng.integers(1, 2**20, K) * 2.0 ** rng.integers(-60, 60, K)
        W = scale[:, None] * frame[rng.integers(2, size=K)]
        net = TwoLayer(W, rng.normal(size=K) / np.abs(scale), scale * rng.integers(2, size=K))
        masses, g = kinks(net)
        sides = {slope: Fraction(0) for slope in lengths}
        for (_, slope, _), c in masses.items():
            sides[slope] += abs(c) * lengths[slope]
        along = [abs(g @ np.array(fractions(v))) / 5 for v in frame]
        square = sum(
            max(Fraction(0), x - side) ** 2 for x, side in zip(along, sides.values(), strict=True)
        )
        cost, bends = function_cost(net), sum(sides.values())
        low, high = Fraction(cost.lower) - bends, Fraction(cost.upper) - bends
        assert low <= 0 or low**2 <= square
        assert high >= 0 and high**2 >= square
        assert cost.relative_gap < 2e-14
        beyond += square > 0
    assert beyond > 50


@settings(max_examples=60, deadline=None)
@given(lattice)
def test_against_a_cone_programme(net):
    ours, theirs = function_cost(net), by_cone_programme(net)
    assert ours.lower - 1e-6 <= theirs <= ours.upper + 1e-6
    assert ours.gap <= 1e-12 * (1 + ours.upper)
    assert ours.upper <= net.path_norm * (1 + 1e-13)


@pytest.mark.parametrize("shape", [(6, 3), (30, 3), (40, 10), (8, 12)])
@pytest.mark.parametrize("slope", [0.1, 1.0, 10.0])
def test_against_a_cone_programme_in_space(shape, slope):
    rng = np.random.default_rng(2)
    bends = TwoLayer(rng.normal(size=shape), rng.normal(size=shape[0]), rng.normal(size=shape[0]))
    net = joined(bends, units(*linear(*slope * rng.normal(size=shape[1]))))
    ours = function_cost(net)
    assert by_cone_programme(net) == pytest.approx(ours.value, rel=1e-7)
    assert ours.relative_gap < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_against_a_dictionary_of_units(seed):
    """72 directions in place of all: dearer by a factor of at most 1 / cos(2.5 degrees)."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 7))
    W, b = rng.integers(-2, 3, (K, 2)) + 0.0, rng.integers(-1, 2, K) + 0.0
    W[~W.any(axis=1)] = 1.0
    half = TwoLayer(W, rng.choice([-2.0, -1.0, 1.0, 2.0], K), b)
    net = joined(half, TwoLayer(-half.W, -half.a * rng.choice([0.25, 0.5, 1.0, 2.0], K), -half.b))
    cost, theirs = function_cost(net), by_dictionary(net, 72)
    assert (
        cost.lower * (1 - 1e-7) <= theirs <= cost.upper / math.cos(math.radians(2.5)) * (1 + 1e-7)
    )
    assert theirs < 0.9 * net.path_norm
