"""`interpolate_plane` against closed forms, HiGHS, Clarabel through cvxpy, one variable, and
definitions.
"""

import math
from fractions import Fraction
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from repcost import TwoLayer, interpolate_line, interpolate_plane, linear_layers_cost
from repcost.costs.plane.arcs import Arcs, balanced, unit_vectors
from repcost.costs.plane.networks import Fit, PlaneData, aligned_network, line_costs
from repcost.costs.plane.programme import cheapest_units, spread_direction
from repcost.costs.plane.search import Search, cell_bound, mean

FIFTHS = np.array([0.2, 0.4, 0.6, 0.8, 1.0])
BENT = 0.75 * np.maximum(FIFTHS - 0.6, 0)
QUARTERS = np.array([0.25, 0.5, 1.0])
STEEP = np.array([0, 0, 1.5, 0, 0, -0.5])


def two_rays(psi, t):
    """Points on two rays psi * pi apart, the first towards (2, 1)."""
    return np.vstack(
        [np.outer(t, unit_vectors(np.array(math.atan2(1, 2) + k * psi * np.pi))) for k in (0, 1)]
    )


def random_points(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), rng.normal(size=n)


def grid(k):
    return np.stack(np.meshgrid(np.arange(float(k)), np.arange(float(k))), axis=-1).reshape(-1, 2)


def dictionary_cost(X, y, angles, root=None):
    """The least path norm of units in these directions, by HiGHS: never below the least of all.

    With `root` = T^((L-2)/2), lengths are |T^(-(L-2)/2) v|.
    """
    V = unit_vectors(angles)
    lengths = np.linalg.norm(V @ np.linalg.inv(np.eye(2) if root is None else root), axis=1)
    t = X @ V.T
    sums = np.maximum(t[:, None] - t, 0).reshape(len(y), -1) / np.tile(lengths, len(y))
    columns = np.hstack([sums, -sums, np.ones((len(y), 1)), -np.ones((len(y), 1))])
    found = linprog(
        np.append(np.ones(2 * sums.shape[1]), [0, 0]), A_eq=columns, b_eq=y, method="highs"
    )
    return found.fun


def sampled_dual(X, y, angles):
    """The dual with the constraints of finitely many units only, by Clarabel: never below the least
    cost either.
    """
    t = X @ unit_vectors(angles).T
    rows = np.maximum(t[:, None] - t, 0).reshape(len(y), -1).T
    alpha = cp.Variable(len(y))
    constraints: Any = [cp.sum(alpha) == 0, cp.abs(rows @ alpha) <= 1]
    problem: Any = cp.Problem(cp.Maximize(alpha @ y), constraints)
    return problem.solve(solver="CLARABEL")


def most_earned(alpha, X, angles):
    """max over b and the given directions of |sum alpha [<v, x> + b]_+|: piecewise linear in b,
    largest at a point.
    """
    t = X @ unit_vectors(angles).T
    return np.abs(np.einsum("i,ijv->jv", alpha, np.maximum(t[:, None] - t, 0))).max()


def scale(cost, depth):
    """The bracket of R_L^(L/2)."""
    return cost.lower ** (depth / 2), cost.upper ** (depth / 2)


def assert_sound(X, y, fit, depth, rtol):
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    assert fit.cost.how == "certified"
    low, high = scale(fit.cost, depth)
    assert 1 - low / high < rtol
    size = np.ptp(y) + np.abs(fit.function.a) @ np.abs(fit.function.W @ X.T).max(1) * 2
    assert np.abs(fit.function(X) - y).max() < 1e-13 * size
    assert linear_layers_cost(fit.function.W, fit.function.a, depth).upper <= fit.cost.upper * (
        1 + 1e-9
    )
    assert sum(map(Fraction, fit.certificate.tolist())) == 0
    assert most_earned(fit.certificate, X, np.linspace(0, 2 * np.pi, 4001)) <= 1 + 1e-12


# Costs known by hand: one ridge function costs what it costs in one variable if the certificate of
# that fits the plane.
CLOSED_FORMS = {
    "one unit": ([[0, 0], [1, 0], [0, 1]], [0, 3, 4], 5.0),
    "two points": ([[0, 0], [1, 2]], [0, 1], 1 / math.sqrt(5)),
    "exclusive or": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], 2 * math.sqrt(2)),
    "a plane on a grid": (grid(3), grid(3)[:, 0], 1.0),
    "a valley on a grid": (grid(3), np.abs(grid(3)[:, 0] - 1), 2.0),
    "two rays, balanced": (two_rays(2 / 3, FIFTHS), np.r_[-0.5 + BENT, -0.5 - BENT], 1.5),
    "two rays at .55": (two_rays(0.55, FIFTHS), np.r_[1.5 * BENT, -0.5 * BENT], 1.5),
    "two rays at .52": (two_rays(0.52, FIFTHS), np.r_[1.5 * BENT, -0.5 * BENT], 1.5),
    "two steep rays": (two_rays(0.55, QUARTERS), STEEP, 4.0),
}


@pytest.mark.parametrize("X, y, cost", CLOSED_FORMS.values(), ids=CLOSED_FORMS)
def test_two_layers_in_closed_form(X, y, cost):
    fit = interpolate_plane(X, y)
    assert_sound(X, y, fit, 2, 1e-9)
    assert fit.cost.value == pytest.approx(cost, rel=1e-9)
    assert fit.certificate @ y == pytest.approx(cost, rel=1e-9)


@pytest.mark.parametrize("n", [2, 3, 4, 6, 9, 12])
def test_two_layers_at_random(n):
    X, y = random_points(n, n)
    fit = interpolate_plane(X, y)
    assert_sound(X, y, fit, 2, 1e-9)
    coarse, fine = (
        dictionary_cost(X, y, np.linspace(0, 2 * np.pi, k, endpoint=False)) for k in (32, 128)
    )
    assert fit.cost.lower <= fine <= coarse * (1 + 1e-9)
    assert fine < 1.02 * fit.cost.upper
    # Control: fewer constraints, or a price for half the plane only, prove too much.
    assert coarse > (1 + 1e-6) * fit.cost.upper


def test_two_layers_against_another_solver():
    X, y = random_points(3, 6)
    found = sampled_dual(X, y, np.linspace(0, 2 * np.pi, 200, endpoint=False))
    cost = interpolate_plane(X, y).cost
    assert cost.lower <= found * (1 + 1e-7)
    assert found == pytest.approx(cost.value, rel=2e-3)


DEGENERATE = {
    "larger coordinate on a grid": (grid(3), grid(3).max(1)),
    "chequered grid": (grid(3), grid(3).sum(1) % 2),
    "parabola on a grid": (grid(3), grid(3)[:, 0] ** 2),
    "product on a grid": (grid(3), grid(3).prod(1)),
    "a regular octagon": (unit_vectors(np.arange(8) * np.pi / 4), np.arange(8) % 2),
    "four of eight equal": (
        unit_vectors(np.arange(8) * np.pi / 4),
        np.cos(np.arange(8) * np.pi / 2),
    ),
    "a line": ([[x, x / 4] for x in (0, 1, 2, 3, 5)], [0, 1, 3, 2, 2]),
    "a line up to rounding": (
        np.outer([0, 1, 2, 3, 5], unit_vectors(np.array(0.3))),
        [0, 1, 3, 2, 2],
    ),
    "a line and a point": ([[0, 0], [1, 0], [2, 0], [3, 0], [1, 1]], [0, 1, 0, 1, 0]),
    "far away": (random_points(1, 6)[0] + 1e6, random_points(1, 6)[1]),
    "small and steep": (1e-6 * random_points(1, 6)[0], 1e9 * random_points(1, 6)[1]),
    "flat": (random_points(1, 6)[0] * [1, 1e-5], random_points(1, 6)[1]),
}


@pytest.mark.parametrize("X, y", DEGENERATE.values(), ids=DEGENERATE)
def test_two_layers_on_degenerate_data(X, y):
    assert_sound(X, y, interpolate_plane(X, y), 2, 1e-8)


def test_nearly_equal_points_are_answered_honestly():
    X, y = random_points(2, 6)
    X[1] = X[0] + 1e-5
    assert_sound(X, y, interpolate_plane(X, y), 2, 1e-7)
    y[1] = y[0]
    assert_sound(X, y, interpolate_plane(X, y), 2, 1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_the_oracle_is_exact(seed):
    """On 20,000 directions nothing is larger, and nearly as large."""
    rng = np.random.default_rng(seed)
    X, A = rng.normal(size=(5, 2)), np.diag([1.0, 0.1])
    alpha = balanced(rng.normal(size=5))
    assert sum(map(Fraction, alpha.tolist())) == 0
    for arcs in (Arcs.around(X), Arcs.around(X).moved(A)):
        largest = arcs.earnings(alpha)[0].max()
        sampled = most_earned(alpha, arcs.points, np.linspace(0, 2 * np.pi, 20_000))
        assert sampled <= largest * (1 + 1e-14) <= arcs.most_earned(alpha)
        assert sampled > largest * (1 - 1e-5)
        assert (
            arcs.earnings(alpha)[0].max() > np.abs(arcs.points.T @ alpha).max()
        )  # more than all points active


def test_the_metric_is_a_change_of_points():
    """Arcs of moved points are moved arcs; the answer is that of the moved points."""
    X, y = random_points(4, 6)
    A = np.array([[1.0, 0.2], [0.2, 0.3]])
    moved, anew = Arcs.around(X).moved(A), Arcs.around(X @ A)
    costs = [cheapest_units(arcs, y, 1e-10).cost for arcs in (moved, anew)]
    assert costs[0] == pytest.approx(costs[1], rel=1e-8)
    assert costs[0] == pytest.approx(interpolate_plane(X @ A, y).cost.value, rel=1e-8)


@pytest.mark.parametrize("depth", [2, 3, 5, 20])
def test_collinear_points_are_a_problem_of_one_variable(depth):
    x, y = np.array([0.0, 1, 2, 3, 5]), [0, 1, 3, 2, 2]
    exact = interpolate_plane(np.outer(x, [3, 4]) + np.array([1, 7]), y, depth)
    line = interpolate_line(5 * x, y, depth).cost
    assert exact.cost.relative_gap < 1e-10 and line.value == pytest.approx(
        exact.cost.value, rel=1e-10
    )
    assert exact.cells == 0
    rounded = interpolate_plane(np.outer(x, unit_vectors(np.array(1.0))), y, depth)
    assert rounded.cost.value == pytest.approx(interpolate_line(x, y, depth).cost.value, rel=1e-10)


@pytest.mark.parametrize(
    "X, y, depth, low, high, others",
    [
        # The brackets of R_L^(L/2), then two networks of the paper that are not the best: f, and g
        # along w_1 - w_2.
        (two_rays(0.55, QUARTERS), STEEP, 3, 5.0430, 5.05306, (5.390983, 5.260348)),
        (two_rays(0.52, QUARTERS), STEEP, 3, 5.2437, 5.25417, (5.403259, 5.487205)),
        (
            two_rays(2 / 3, FIFTHS),
            np.r_[-0.5 + BENT, -0.5 - BENT],
            3,
            1.44044**1.5,
            1.44225**1.5,
            (1.6132439**1.5,),
        ),
        (
            two_rays(2 / 3, FIFTHS),
            np.r_[-0.5 + BENT, -0.5 - BENT],
            4,
            1.3128**2,
            1.31608**2,
            (1.69189**2,),
        ),
    ],
    ids=["psi .55", "psi .52", "Figure 3", "Figure 3, depth 4"],
)
def test_two_rays_in_more_layers(X, y, depth, low, high, others):
    fit = interpolate_plane(X, y, depth)
    assert_sound(X, y, fit, depth, 2e-3)
    ours = scale(fit.cost, depth)
    assert low * (1 - 1e-3) <= ours[0] <= high and low <= ours[1] <= high * (1 + 1e-6)
    assert (
        np.linalg.svd(fit.function.a[:, None] * fit.function.W)[1][1] < 1e-9
    )  # all units are parallel
    assert all(ours[1] < other * (1 - 1e-2) for other in others)


def test_the_network_along_the_difference_of_the_rays_is_best_only_if_balanced():
    """cost A_1/cos(beta) + A_2/cos(theta - beta): equal masses are best in the middle, others are
    tilted.
    """
    psi = 0.55
    theta, beta = np.pi * (1 - psi), np.linspace(0, np.pi * (1 - psi), 100_001)
    masses = 3 / np.cos(beta) + 1 / np.cos(theta - beta)
    cost = scale(interpolate_plane(two_rays(psi, QUARTERS), STEEP, 3, max_cells=0).cost, 3)[1]
    assert cost == pytest.approx(masses.min(), rel=1e-8)
    assert cost < (1 - 0.03) * 4 / math.cos(theta / 2)


def test_coincident_kinks_undo_proposition_5_2():
    """With b = (0, -1) on both rays, g merges to two units of cost 2.3094, though its path norm is
    4.6188 > 4.
    """
    t = np.array([0.25, 0.5, 1, 1.5, 2])
    X, values = two_rays(2 / 3, t), t - np.maximum(t - 1, 0)
    fit = interpolate_plane(X, np.r_[values, -values])
    assert fit.cost.upper <= 4 / math.sqrt(3) * (1 + 1e-9)
    assert fit.cost.upper < 4 < 8 / math.sqrt(3)


@pytest.mark.parametrize("depth", [3, 4])
def test_more_layers_by_definition(depth):
    """Random metrics with a dictionary are never below; networks found by sampling are near the
    upper end.
    """
    X, y = random_points(1, 6)
    fit = interpolate_plane(X, y, depth, rtol=1e-2)
    assert_sound(X, y, fit, depth, 1e-2)
    low, high = scale(fit.cost, depth)
    rng, costs = np.random.default_rng(0), []
    rows = fit.function.a[:, None] * fit.function.W
    centre = np.linalg.eigh(rows.T @ rows)[1]
    for _ in range(12):
        share, angle = rng.uniform(0.02, 0.98), rng.normal(scale=0.3)
        axes = centre @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        root = (axes * np.array([share, 1 - share]) ** ((depth - 2) / 2)) @ axes.T
        main = np.arctan2(axes[1, 0], axes[0, 0])
        costs.append(
            dictionary_cost(X, y, np.linspace(0, 2 * np.pi, 48, endpoint=False) + main, root)
        )
    assert low <= min(costs) < 1.2 * high
    # Control: with the trace free the same minimum would fall below the lower end.
    assert min(costs) / 2 ** ((depth - 2) / 2) < low


@settings(max_examples=5, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(3, 7), st.floats(-3, 3), st.sampled_from([-7.0, 0.001, 1e5])
)
def test_symmetries_of_two_layers(seed, n, angle, factor):
    X, y = random_points(seed, n)
    cost = interpolate_plane(X, y).cost
    c, s = np.cos(angle), np.sin(angle)
    order = np.random.default_rng(seed).permutation(n)
    for other, expected in [
        (interpolate_plane(X @ np.array([[c, -s], [s, c]]), y), cost.value),
        (interpolate_plane(X + np.array([3.0, -11.0]), y + 2), cost.value),
        (interpolate_plane(X[order], y[order]), cost.value),
        (interpolate_plane(X, factor * y), abs(factor) * cost.value),
        (interpolate_plane(factor * X, y), cost.value / abs(factor)),
    ]:
        assert other.cost.value == pytest.approx(expected, rel=3e-8)
    fewer = interpolate_plane(X[:-1], y[:-1]).cost
    assert fewer.lower <= cost.upper


def test_symmetries_of_three_layers():
    X, y = random_points(3, 4)
    fit = interpolate_plane(X, y, 3, rtol=1e-2)
    for other, factor in [
        (
            interpolate_plane(
                X[::-1] @ np.array([[0.6, -0.8], [0.8, 0.6]]) + 5, y[::-1], 3, rtol=2e-2
            ),
            1,
        ),
        (interpolate_plane(X / 8, -y, 3, rtol=2e-2), 4),
        (interpolate_plane(X, 5 * y, 3, rtol=2e-2), 5 ** (2 / 3)),
    ]:
        assert (
            factor * fit.cost.lower <= other.cost.upper
            and other.cost.lower <= factor * fit.cost.upper
        )
        # Controls: the degree of two layers, and no scaling at all.
        assert factor == 1 or other.cost.upper < factor**1.5 * fit.cost.lower
        assert factor == 1 or other.cost.lower > fit.cost.upper
    assert fit.cost.lower**1.5 >= interpolate_plane(X, y).cost.lower * (1 - 1e-12)


def test_the_search_bounds_what_lies_between_corners():
    """V at random metrics of random cells against the bound from its values at the four corners."""
    data = PlaneData.normalised(*random_points(5, 5))
    arcs = Arcs.around(data.points)

    def at(angle, d):
        axis = unit_vectors(np.array([angle / 2, angle / 2 + np.pi / 2])).T
        root = (axis * np.sqrt([1, d / (2 - d)])) @ axis.T
        return d / 2 * cheapest_units(arcs.moved(root), data.y, 1e-9).cost ** 2

    rng, without_bulge = np.random.default_rng(1), 0
    cells = [(4.2, 0.4, 0.0, 0.01), (2.1, 0.4, 0.0, 0.1), (2.8, 0.1, 0.0, 0.01)]
    for _ in range(9):
        far = 10 ** rng.uniform(-2, 0)
        cells.append((rng.uniform(0, 6), rng.uniform(0.02, 0.4), far * rng.uniform(0.1, 0.8), far))
    for first, half, near, far in cells:
        angles = (first, first + 2 * half)
        at_near, at_far = (
            np.array([at(angle, d) if d else 0.0 for angle in angles]) for d in (near, far)
        )
        for d in (far, (near + far) / 2, max(near, far / 100)):
            least = min(at(angle, d) for angle in np.linspace(*angles, 5))
            for depth in (3, 5):
                ratio = least / mean(d, depth)
                assert cell_bound(at_near, at_far, half, near, far, depth) <= ratio * (1 + 1e-7)
                without_bulge += cell_bound(at_near, at_far, 0.0, near, far, depth) > ratio * (
                    1 + 1e-3
                )
    assert without_bulge > 0  # control: arcs are not chords


@pytest.mark.parametrize("depth", [3, 4, 9])
def test_the_trace_constraint(depth):
    """N(P) = (tr P^(-1/(L-2)))^-(L-2) for P of eigenvalues d/2, 1 - d/2; concave, and at most d/2."""
    d = np.linspace(0.01, 1, 50)
    power = 1 / (depth - 2)
    assert mean(d, depth) == pytest.approx(
        ((d / 2) ** -power + (1 - d / 2) ** -power) ** (2 - depth), rel=1e-12
    )
    assert np.all(np.diff(mean(d, depth), 2) < 1e-15) and np.all(mean(d, depth) <= d / 2)


def test_stopped_early_the_bracket_is_wider_and_true(monkeypatch):
    X, y = random_points(3, 4)
    best = interpolate_plane(X, y, 3, rtol=5e-3).cost
    stopped = interpolate_plane(X, y, 3, rtol=5e-3, max_cells=40)
    assert stopped.cells in (40, 41)
    visits = iter(range(30))

    def interrupted(self, *corners, original=Search.cell):
        if next(visits, None) is None:
            raise KeyboardInterrupt
        return original(self, *corners)

    monkeypatch.setattr(Search, "cell", interrupted)
    by_hand = interpolate_plane(X, y, 3, rtol=5e-3)
    assert by_hand.cells == 30
    for fit in (stopped, by_hand, interpolate_plane(X, y, 3, max_cells=0)):
        assert fit.cost.how == "certified" and fit.cost.gap > best.gap
        assert fit.cost.lower <= best.upper and best.lower <= fit.cost.upper


def test_progress_goes_to_stderr(capsys):
    X, y = random_points(3, 4)
    interpolate_plane(X, y, 3, rtol=0.1)
    assert capsys.readouterr() == ("", "")
    interpolate_plane(X, y, 3, rtol=0.1, progress=True)
    out, err = capsys.readouterr()
    assert out == "" and "cells" in err and "gap" in err


@pytest.mark.parametrize("depth", [2, 3])
def test_constants_cost_nothing(depth):
    for X, y in ([[[3, 4]], [5]], [random_points(0, 4)[0], [0.1] * 4], [[[0, 0], [0, 0]], [1, 1]]):
        fit = interpolate_plane(X, y, depth)
        assert (fit.cost.lower, fit.cost.upper, fit.function.width) == (0, 0, 0)
        assert fit.function(X).tolist() == list(y) and fit.certificate.tolist() == [0] * len(y)


def test_equal_points_are_merged():
    X, y = random_points(6, 5)
    once, twice = (
        interpolate_plane(X, y),
        interpolate_plane(np.vstack([X, X[1:3]]), np.append(y, y[1:3])),
    )
    assert once.cost.upper == twice.cost.upper
    assert np.array_equal(twice.certificate, np.append(once.certificate, [0, 0]))


def test_costs_of_one_variable_in_many_directions():
    X, y = random_points(7, 8)
    V = unit_vectors(np.linspace(0, np.pi, 9))
    expected = [interpolate_line(X @ v, y).cost.value for v in V]
    assert line_costs(X @ V.T, y) == pytest.approx(expected, rel=1e-9)
    assert line_costs(np.ones((2, 1)), np.array([0.0, 1.0])).tolist() == [np.inf]


def test_values_that_differ_by_less_than_rounding_are_not_put_on_one_level():
    """(0, 0) and (0, 1) meet along the first axis, and their values are not the same."""
    X, y = [[0, 0], [0, 1], [1, 0.3], [2, 0.1]], [1.0, np.nextafter(1.0, 2), -3e15, 5e15]
    data = PlaneData.normalised(np.array(X, dtype=float), np.array(y))
    assert data.y[0] == data.y[1]
    net = aligned_network(data, data.y, np.array([1.0, 0.0]))
    assert net and Fit.repaired(data, net, np.array([1.0, 0.0]), 3).cost == np.inf
    assert interpolate_plane(X, y, 3, max_cells=10).cost.upper < np.inf


def test_points_are_apart_in_the_spread_direction():
    X = grid(4)
    t = np.sort(X @ spread_direction(X))
    assert np.diff(t).min() > 0.05


def test_what_a_network_misses_is_exact():
    data = PlaneData.normalised(
        np.array([[0.1, 0.2], [1.3, 0.7], [2.1, 0.3]]), np.array([0.0, 1.0, 3.0])
    )
    net = TwoLayer([[0.3, 0.7]], [1.1], [0.05], 0.1)
    assert data.missing(net) == pytest.approx(data.y - net(data.points), abs=1e-15)
    assert np.abs(data.y - data.missing(net) - net(data.points)).max() < 1e-15


@pytest.mark.parametrize(
    "X, y, options, says",
    [
        (np.zeros((0, 2)), [], {}, "X is empty"),
        (
            [[0, 0], [1, 1], [0, 0]],
            [0, 1, 2],
            {},
            r"X holds \[0.0, 0.0\] twice, with y = 0.0 and 2.0",
        ),
        ([[0, np.nan]], [0], {}, "X holds NaN"),
        ([[0, 1]], [np.inf], {}, "y holds NaN or infinity"),
        ([[0, 1]], [0, 1], {}, "same number of rows"),
        ([0, 1], [0, 1], {}, "X must have 2 axes"),
        ([[0, 1, 2]], [0], {}, "X has 3 columns.*rows of 2"),
        ([[0, 1], [1, 0]], [0, 1], {"depth": 1}, "depth must be a whole number.*at least 2"),
        ([[0, 1], [1, 0]], [0, 1], {"depth": 2.5}, "depth must be a whole number"),
        ([[0, 1], [1, 0]], [0, 1], {"rtol": 0.0}, "rtol must be between 0 and 1"),
        ([[0, 1], [1, 0]], [0, 1], {"max_cells": -1}, "max_cells must not be negative"),
        ([[0, 1e200], [1, 0]], [0, 1], {}, "X must stay below 1e100"),
        ([[0, 0], [1, 0]], [0, 1e-200], {}, "y must stay below.*power of two"),
        ([[0, 1], [1e-30, 1], [5, 2]], [0, 1, 2], {}, "too close.*merge"),
    ],
)
def test_refuses(X, y, options, says, unchecked):
    with pytest.raises(ValueError, match=says):
        interpolate_plane(X, y, **options)
