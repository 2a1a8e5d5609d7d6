"""How `interpolate_plane` finds the units of two layers: turns, columns, patterns, last digits."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from repcost import TwoLayer, interpolate_plane
from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.cone_programme import units_on_arcs
from repcost.costs.plane.directions import unit_vectors
from repcost.costs.plane.patterns import Patterns
from repcost.costs.plane.prices import (
    earnings,
    most_earned,
    proven_cost,
    relative_gap,
    summing_to_zero,
)
from repcost.costs.plane.repairs import Hats, best_repaired
from repcost.costs.plane.samples import NormalisedSamples
from repcost.costs.plane.sharpening import sharpened
from repcost.costs.plane.two_layers import cheapest_units, units_near
from repcost.costs.plane.units import ThresholdUnits, unit_outputs
from repcost.rounding import UNIT
from tests.plane_cases import ALMOST_A_LINE, OCTAGON, all_arcs_cost, grid, random_points

HOSTILE = {
    "random": random_points(0, 9)[0],
    "a grid": grid(3),
    "a regular octagon": OCTAGON,
    "a line up to rounding": ALMOST_A_LINE,
    "neighbouring floats": np.vstack([OCTAGON[:3], np.nextafter(OCTAGON[:3], 2)]),
    "thin": random_points(1, 7)[0] * [1.0, 1e-9],
    "many sizes": random_points(2, 8)[0] * 10.0 ** -np.arange(8.0)[:, None],
    "denormal": np.array([[1.0, 0.5], [5e-324, 0.0], [0.0, 1.0], [1e-310, 1e-310]]),
}


def exact_most_earned(points, alpha, directions):
    """max |sum_i alpha_i [<v, x_i - x_j>]_+| / |v| over j and these v, in fractions."""
    x, prices = [[Fraction(c) for c in p] for p in points.tolist()], list(map(Fraction, alpha))
    most = 0.0
    for v in directions.tolist():
        a, b = map(Fraction, v)
        heights = [a * p + b * q for p, q in x]
        earned = [
            sum(price * max(h - at, 0) for price, h in zip(prices, heights, strict=True))
            for at in heights
        ]
        most = max(most, float(max(map(abs, earned))) / float(np.hypot(*v)))
    return most


@pytest.mark.parametrize("points", HOSTILE.values(), ids=HOSTILE)
def test_no_unit_earns_more_than_the_bound(points):
    """Fact 5 in fractions, at the ends of arcs and inside them; and nearly as much is earned."""
    alpha = summing_to_zero(np.random.default_rng(1).normal(size=len(points)))
    arcs = Arcs.around(points)
    directions = np.vstack([arcs.first, arcs.first + arcs.last])
    some = np.random.default_rng(2).permutation(len(directions))[:40]
    assert exact_most_earned(points, alpha, directions[some]) <= most_earned(arcs, alpha)
    # The bound is no more than rounding above what is earned.
    slack = 200 * UNIT * np.abs(alpha).sum() * arcs.size * (1 + len(points))
    largest = exact_most_earned(points, alpha, best_direction(arcs, alpha))
    assert most_earned(arcs, alpha) <= largest + slack


def best_direction(arcs, alpha):
    earned, towards = earnings(arcs, alpha)
    return towards[[np.argmax(np.abs(earned))]]


@pytest.mark.parametrize("points", HOSTILE.values(), ids=HOSTILE)
def test_slopes_are_the_sums_over_the_points_in_front(points):
    """Partial sums around each point, against sums from scratch where no sign is in doubt."""
    alpha = np.random.default_rng(3).normal(size=len(points))
    arcs = Arcs.around(points)
    wide = arcs.wide_enough()
    arcs, differences = arcs.chosen(wide), arcs.chosen(wide).differences()
    found, rounded = arcs.slopes(alpha)
    fresh = np.einsum("n,gnd->gd", alpha, differences)
    known = 64 * len(points) * UNIT * np.abs(alpha).sum() * arcs.size
    assert rounded <= known
    assert np.abs(found - fresh).max() <= rounded + known
    # Control: one point in front too many.
    wrong = fresh + alpha[0] * (points[0] - points[arcs.at])
    assert np.abs(found - wrong).max() > 1e3 * known


def problem(seed, n):
    samples = NormalisedSamples.of(*random_points(seed, n))
    return samples, Arcs.around(samples.points)


@pytest.mark.parametrize("seed, n", [(0, 3), (1, 6), (2, 8), (3, 9)])
def test_few_columns_cost_as_much_as_all_arcs(seed, n):
    samples, arcs = problem(seed, n)
    found = cheapest_units(arcs, samples.values, 1e-10)
    best = max(proven_cost(arcs, units.alpha, samples.values) for units in found)
    cost = all_arcs_cost(arcs, samples.values)
    assert best <= cost * (1 + 1e-8)
    assert found[-1].cost == pytest.approx(cost, rel=1e-8)
    assert found[-1].cost == pytest.approx(best, rel=1e-10)


def test_prices_of_another_problem_cost_rounds_and_nothing_else():
    samples, arcs = problem(4, 8)
    cost = all_arcs_cost(arcs, samples.values)
    rng = np.random.default_rng(0)
    for prices in (np.zeros(8), rng.normal(size=8), 1e-3 * rng.normal(size=8)):
        units = units_near(arcs, samples.values, prices, 0.8, 1e-11)
        assert units.cost == pytest.approx(cost, rel=1e-8)
        assert relative_gap(arcs, units.alpha, samples.values) < 1e-7
    # Control: without the arcs that join, those of other prices are too expensive.
    earned = earnings(arcs, rng.normal(size=8))[0]
    few = np.argsort(-np.abs(earned))[:12]
    units = units_on_arcs(arcs.chosen(few), np.sign(earned[few]), samples.values, 1e-11)
    assert not 0.99 * cost < units.cost < 1.01 * cost


def on_all_arcs(seed, n):
    """An interior method's units: many, small ones among them."""
    samples, arcs = problem(seed, n)
    return samples, arcs, units_near(arcs, samples.values, np.zeros(n), 0.0, 1e-12)


@pytest.mark.parametrize("seed, n", [(6, 6), (9, 9), (12, 12)])
def test_last_digits(seed, n):
    samples, arcs, units = on_all_arcs(seed, n)
    sharp = sharpened(units, samples.points, samples.values)
    assert sharp is not None and len(sharp.at) < n
    lower = proven_cost(arcs, sharp.alpha, samples.values)
    assert 0 <= 1 - lower / sharp.cost < 3e-12
    assert np.abs(samples.shortfalls(sharp.network(samples.points))).max() < 1e-14
    # Control: with a unit left out the equations have no such solution.
    fewer = sharp.chosen(np.arange(1, len(sharp.at)))
    wrong = sharpened(fewer, samples.points, samples.values)
    assert wrong is None or relative_gap(arcs, wrong.alpha, samples.values) > 1e-6


def test_units_that_look_both_ways_become_few():
    """The same function with the same mass, and all but two pairs on one side."""
    samples, _, units = on_all_arcs(12, 12)
    points = samples.points
    split = Patterns.of(units, points).active(points)
    whole = split.unsplit(points)
    assert len(whole.units.at) <= len(split.units.at) / 2 + 2 < len(split.units.at)
    assert whole.units.cost == pytest.approx(split.units.cost, rel=1e-12)
    x = np.random.default_rng(0).normal(size=(50, 2))
    before, after = (each.units.network(points)(x) for each in (split, whole))
    # Flipping a unit changes the constant as well, which Newton's method finds.
    assert np.ptp(after - before) < 1e-5 * np.ptp(before)


def test_units_of_one_pattern_are_added_up():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.3, 0.9]])
    angles = np.array([0.1, 0.2, np.pi / 2 - 1e-9])
    units = ThresholdUnits(
        unit_vectors(angles), np.array([0, 0, 0]), np.array([1.0, 2.0, -1.0]), 0.0, np.zeros(3)
    )
    merged = Patterns.of(units, points)
    assert sorted(merged.held.tolist()) == [False, True]
    at_points = [
        unit_outputs(points, each.directions, each.at) @ each.masses
        for each in (units, merged.units)
    ]
    assert at_points[0] == pytest.approx(at_points[1], abs=1e-8)
    # The held one passes both points exactly.
    upright = merged.units.directions[merged.held][0]
    assert upright.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("points", HOSTILE.values(), ids=HOSTILE)
def test_no_hat_reaches_another_point(points):
    hats = Hats.anywhere(points)
    for i, (u, gap) in enumerate(zip(hats.directions.tolist(), hats.gaps.tolist(), strict=True)):
        a, b = map(Fraction, u)
        heights = [a * Fraction(p) + b * Fraction(q) for p, q in points.tolist()]
        others = [abs(h - heights[i]) for j, h in enumerate(heights) if j != i]
        assert gap <= min(others)


def test_hats_are_paid_for():
    """A network that misses the values by more than rounding costs more, and by what hats cost."""
    samples, arcs = problem(5, 7)
    best = cheapest_units(arcs, samples.values, 1e-10)[-1]
    cost = best_repaired(samples, [best], 2).cost
    off = replace(best, masses=best.masses * (1 + 1e-3))
    assert best_repaired(samples, [off], 2).cost <= cost * (1 + 1e-9)  # refitted first
    hats = Hats.anywhere(samples.points)
    net = TwoLayer(np.zeros((0, 2)), [], [], 0.0)
    paid = hats.beside(net, samples.shortfalls(net)).path_norm
    slopes = 4 * np.abs(samples.values) / hats.gaps
    assert slopes.sum() <= paid <= 1.01 * slopes.sum()
    assert paid > cost


def test_many_points():
    X, y = random_points(24, 24)
    fit = interpolate_plane(X, y)
    assert fit.cost.relative_gap < 1e-9 and not fit.cost.reason
    assert fit.function.width < 24
    assert np.abs(fit.function(X) - y).max() < 1e-12
