"""Certificates against dense samples and closed forms, ranks known by hand, rules of ranks."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from repcost import (
    DeepNet,
    TwoLayer,
    antipodal_margin,
    bottleneck_rank,
    jacobian_rank,
    linear_regions,
    triod_margin,
    truncation_error,
    widest_triod,
)
from repcost.datasets import random_network
from repcost.joined import added, composed
from repcost.ranks.bottleneck import span
from repcost.ranks.curves import along_a_curve
from repcost.ranks.straight_paths import image, kinks
from repcost.regions.subdivision import plane_cells
from tests.deep_problems import CROSS, DEEP, SQUARE
from tests.rank_problems import BEND, CONSTANT, IDENTITY, LATE, RANKS

TIPS = [[1, 1], [-1, 1], [-1, -1]]


def regular(n, turn=0.0, radius=1.0):
    angles = turn + 2 * np.pi * np.arange(n) / n
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def sampled_margin(f, tips, centre, count=4001):
    """The definition, point by point."""
    shares = np.linspace(0, 1, count)[:, None]
    tips, centre = np.asarray(tips, dtype=float), np.asarray(centre, dtype=float)
    legs = [f(tip * (1 - shares) + centre * shares) for tip in tips]
    return min(
        np.linalg.norm(legs[j] - legs[k][0], axis=1).min()
        for j in range(3)
        for k in range(3)
        if j != k
    )


def near(bracket, number, tolerance=1e-11):
    return abs(bracket.lower - number) < tolerance and abs(bracket.upper - number) < tolerance


# Margins


def test_the_cross_keeps_root_two():
    """Example 1 of Jacot (2023), corrected: tips at right angles, the centre nearest to them."""
    margin = triod_margin(CROSS, TIPS, [0, 0])
    assert near(margin, math.sqrt(2)) and margin.how == "certified"
    assert Fraction(margin.lower) ** 2 < 2 < Fraction(margin.upper) ** 2


def test_the_example_as_printed_is_not_the_function_of_the_network():
    """Its two cases are exchanged: it jumps by two across an axis, where the network does not."""

    def printed(x, y):
        return (x, math.copysign(abs(x), y)) if abs(x) >= abs(y) else (math.copysign(abs(y), x), y)

    assert math.dist(printed(1, 1e-12), printed(1, -1e-12)) == pytest.approx(2)
    above, below = CROSS([[1, 1e-12], [1, -1e-12]])
    assert math.dist(above, below) < 1e-11
    X = np.random.default_rng(0).uniform(-1, 1, (10_000, 2))
    assert (CROSS(X) == np.abs(X).min(1, keepdims=True) * np.sign(X)).all()


def test_a_round_circle_tells_nothing_about_the_cross():
    for n in (4, 8, 64):
        assert antipodal_margin(CROSS, regular(n)).lower == 0
        assert antipodal_margin(CROSS, regular(n)).upper < 1e-13


@pytest.mark.parametrize("n", [4, 6, 16, 256])
def test_opposite_points_of_a_polygon_are_twice_its_inner_radius_apart(n):
    """For the identity; it tends to 2, the margin of the round circle."""
    assert near(antipodal_margin(IDENTITY, regular(n)), 2 * math.cos(math.pi / n))


def test_a_triod_makes_a_hexagon():
    """Tip, centre, tip, centre, ...: opposite points of the hexagon lie on different legs."""
    tips = regular(3)
    hexagon = np.stack([tips, np.zeros((3, 2))], axis=1).reshape(6, 2)
    assert near(antipodal_margin(IDENTITY, hexagon), math.sqrt(3) / 2)
    assert near(triod_margin(IDENTITY, tips, [0, 0]), 1.0)


@pytest.mark.parametrize(
    "f", [BEND, CONSTANT, composed(CROSS, DeepNet([[[1, 1], [2, 2]]], [[0, 1]]))]
)
def test_nothing_keeps_a_function_of_rank_one_apart(f):
    for seed in range(5):
        points = np.random.default_rng(seed).uniform(-1, 1, (4, 2))
        assert triod_margin(f, points[:3], points[3]).lower == 0
        assert antipodal_margin(f, points).lower == 0


@pytest.mark.parametrize("widths", [(2, 5, 2), (3, 8, 8, 4), (4, 10, 10, 10, 1)])
@pytest.mark.parametrize("slope", [0.0, 0.3, -0.5])
def test_the_margin_of_a_random_network_is_that_of_dense_samples(widths, slope):
    f = random_network(*widths, rng=default_rng(1), negative_slope=slope)
    points = np.random.default_rng(2).uniform(-1, 1, (4, widths[0]))
    margin = triod_margin(f, points[:3], points[3])
    sampled = sampled_margin(f, points[:3], points[3])
    assert margin.lower <= sampled <= margin.upper + 0.05
    assert margin.gap < 1e-8


def test_half_the_margin_is_the_radius_and_no_smaller_part_of_it():
    """With m = 1 on unit legs, bending one leg onto another leaves the identity by 1/2, no more."""
    tips = regular(3)
    m = triod_margin(IDENTITY, tips, [0, 0]).value
    # g maps tip 1 to -1, the centre to 0, tip 2 to 1, and leg 3 onto [0, 1/1000] there and stops at
    # half its length; h is the identity on legs 1 and 2, but for an excursion to the middle of leg
    # 3 while g is below 1/1000.
    s, eps = np.linspace(0, 1, 2001), 1e-3
    excursion = np.where(s < eps / 2, s / eps, np.maximum(1 - s / eps, 0))[:, None] * tips[2]
    leg_2 = excursion + np.maximum(s - eps, 0)[:, None] / (1 - eps) * tips[1]
    leg_3 = np.minimum(s, 0.5)[:, None] * tips[2]
    error = max(
        np.linalg.norm(leg_2 - s[:, None] * tips[1], axis=1).max(),
        np.linalg.norm(leg_3 - s[:, None] * tips[2], axis=1).max(),
    )
    assert 0.5 * m <= error < 0.501 * m
    # Without the half the statement would be false: this function of rank one is closer than m.
    assert error < m


def test_a_lemniscate_is_more_than_a_line():
    """A line, bent; but at its crossing the identity on it is no function of one number."""

    def arm(corner, end):
        t = np.linspace(np.pi / 2, end, 65) + corner
        x, y = np.cos(t), np.sin(t) * np.cos(t)
        return np.sqrt(2) * np.stack([x, y], axis=1) / (1 + np.sin(t) ** 2)[:, None]

    arms = [arm(0, 0.0), arm(0, 3 * np.pi / 4), arm(np.pi, np.pi / 4)]
    # A network that sends the legs of a tripod to these arms: a spline in the distance from the
    # centre for each.
    tips, s = regular(3), np.linspace(0, 1, 65)
    slopes = [np.diff(points, axis=0) * 64 for points in arms]
    changes = [np.diff(slope, axis=0, prepend=np.zeros((1, 2))) for slope in slopes]
    f = DeepNet(
        [np.repeat(tips, 64, axis=0), np.concatenate(changes).T], [np.tile(-s[:-1], 3), np.zeros(2)]
    )
    assert f(tips) == pytest.approx(np.stack([points[-1] for points in arms]), abs=1e-12)
    margin = triod_margin(f, tips, [0, 0])
    assert margin.lower > 0.5 and near(margin, sampled_margin(f, tips, [0, 0]), 1e-4)


@pytest.mark.parametrize("slope", [0.0, 0.4, -0.7])
def test_the_image_of_a_segment_is_close_to_its_chords(slope, monkeypatch):
    f = random_network(2, 12, 12, 12, 3, rng=default_rng(3), negative_slope=slope)
    start, end = np.array([[-1.0, 0.2]]), np.array([[0.9, 1.0]])

    def farthest(seen, shares):
        """From chords to the function, at places within the pieces."""
        distances = []
        for part in np.linspace(0, 1, 101):
            share = shares[:-1] * (1 - part) + shares[1:] * part
            on_chord = seen.values[0, :-1] * (1 - part) + seen.values[0, 1:] * part
            distances.append(
                np.linalg.norm(f(start + share[:, None] * (end - start)) - on_chord, axis=1)
            )
        return np.max(distances, axis=0)

    seen, shares = image(f, start, end), kinks(f, start, end)
    assert seen.error.max() < 1e-10 and (farthest(seen, shares) < 1e-12).all()
    # Divided in the wrong places, the bound is large, and still true.
    shares = np.linspace(0, 1, 6)
    monkeypatch.setattr("repcost.ranks.straight_paths.kinks", lambda *_: shares)
    seen = image(f, start, end)
    assert (farthest(seen, shares) > 1e-3).any() and (farthest(seen, shares) <= seen.error[0]).all()


# Ranks


@pytest.mark.parametrize("problem", RANKS, ids=str)
def test_ranks_known_by_hand(problem):
    jacobian = jacobian_rank(problem.network, problem.domain)
    rank = bottleneck_rank(problem.network, problem.domain)
    assert (jacobian.lower, rank.lower) == problem.ranks
    assert (rank.gap, rank.how) == (0, "exact")


@pytest.mark.parametrize("problem", DEEP, ids=str)
def test_ranks_of_deep_problems(problem):
    assert problem.ranks[1] in bottleneck_rank(problem.network, problem.domain)
    assert bottleneck_rank(problem.network, problem.domain).gap == 0


def test_the_search_finds_the_best_triod_of_the_cross():
    triod = widest_triod(CROSS, SQUARE)
    assert triod is not None and near(triod.margin, math.sqrt(2))
    assert np.abs(triod.tips).min() == 1 and (triod.centre == 0).all()
    again = widest_triod(CROSS, SQUARE)
    assert again is not None and (again.tips == triod.tips).all()
    assert widest_triod(CONSTANT, SQUARE) is None


def test_the_least_rank_of_a_cell_is_no_rank():
    """With min for max in Definition 1, relu(x) and -relu(-x) would have rank 0; their sum is x."""
    up, down = DeepNet([[[1]], [[1]]], [[0], [0]]), DeepNet([[[-1]], [[-1]]], [[0], [0]])
    line = ([-1], [1])

    def least(net):
        return min(region.rank for region in linear_regions(net, line))

    assert least(added(up, down)) == 1 > least(up) + least(down) == 0
    assert bottleneck_rank(added(up, down), line).value == 1 == bottleneck_rank(up, line).value
    least_of_late = min(region.rank for region in linear_regions(LATE, SQUARE))
    assert least_of_late == 1 < bottleneck_rank(LATE, SQUARE).lower


def test_a_two_layer_network_is_a_deep_one():
    assert bottleneck_rank(TwoLayer([[1.0, 2.0]], [1.0], [0.0]), SQUARE).value == 1


def test_dependence_up_to_rounding_is_independence():
    almost = DeepNet([[[0.1, 0.3], [0.3, 0.9]]], [[0, 0]])
    assert np.linalg.matrix_rank(almost.weights[0]) == 1
    assert bottleneck_rank(almost, SQUARE).value == 2


def test_a_closed_curve_is_one_number_too():
    """Around a triangle by x: no value has more than two neighbours, but the ends meet."""
    corners = np.array([[0, 0], [3, 0], [0, 3], [0, 0]])
    slopes = np.diff(corners, axis=0)
    changes = np.diff(slopes, axis=0, prepend=np.zeros((1, 2), dtype=int))
    around = DeepNet([[[1, 0]] * 3, changes.T], [[0, -1, -2], [0, 0]])
    assert around([[0, 0], [1, 0], [2, 0], [3, 0]]).tolist() == corners.tolist()
    found = plane_cells(around, np.array([0.0, 0.0]), np.array([3.0, 1.0]))
    assert along_a_curve(found) and span([cell.map for cell in found], 2) == 2


def test_a_branch_is_no_curve():
    found = plane_cells(CROSS, np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    assert not along_a_curve(found)
    half = plane_cells(CROSS, np.array([-1.0, 0.0]), np.array([1.0, 1.0]))
    assert along_a_curve(half)
    assert bottleneck_rank(CROSS, ([-1, 0], [1, 1])).value == 1


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10**6), st.sampled_from([(2, 3, 3, 2), (2, 4, 2), (2, 2, 2, 3), (2, 4, 4, 2)])
)
def test_certificates_never_contradict_each_other(seed, widths):
    """A proof of rank one and a positive margin would; each is looked for, whatever is known."""
    f = random_network(*widths, rng=default_rng(seed), kind="whole")
    rank, jacobian = bottleneck_rank(f, SQUARE), jacobian_rank(f, SQUARE)
    assert jacobian.lower <= rank.lower <= rank.upper <= min(widths)
    assert rank.upper <= 2 * jacobian.upper + 1
    triod = widest_triod(f, SQUARE)
    assert triod is None or triod.margin.lower == 0 or rank.upper >= 2
    part = bottleneck_rank(f, ([-1, -0.5], [0.5, 1]))
    assert part.lower <= rank.upper


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_composition_and_sum(seed, other):
    inner = random_network(2, 3, 2, rng=default_rng(seed), kind="whole")
    outer = random_network(2, 3, 2, rng=default_rng(other), kind="whole")
    ranks = [bottleneck_rank(net, SQUARE).upper for net in (inner, outer)]
    least = min(ranks[0], bottleneck_rank(outer, ([-50, -50], [50, 50])).upper)
    assert np.abs(inner([[a, b] for a in (-1, 1) for b in (-1, 1)])).max() <= 50
    assert bottleneck_rank(composed(outer, inner), SQUARE).lower <= least
    assert bottleneck_rank(added(inner, outer), SQUARE).lower <= sum(ranks)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_a_bijection_changes_nothing(seed):
    """Shears and their inverses in whole numbers, before and after."""
    f = random_network(2, 3, 3, 2, rng=default_rng(seed), kind="whole")
    bend = DeepNet(
        [[[1, 0], [-1, 0], [0, 1], [0, -1]], [[1, -1, 0, 0], [1, 1, 1, -1]]], [[0] * 4, [0, 0]]
    )
    rank, bent = bottleneck_rank(f, SQUARE), bottleneck_rank(composed(bend, f), SQUARE)
    assert max(rank.lower, bent.lower) <= min(rank.upper, bent.upper)
    assert jacobian_rank(f, SQUARE).lower == jacobian_rank(composed(bend, f), SQUARE).lower


def test_nearby_functions_keep_their_rank():
    """Half the margin is a radius: a change of the cross that is smaller leaves a triod."""
    shaken = DeepNet(CROSS.weights, [bias + 0.05 for bias in CROSS.biases])
    X = np.random.default_rng(0).uniform(-1, 1, (5000, 2))
    assert np.linalg.norm(shaken(X) - CROSS(X), axis=1).max() < math.sqrt(2) / 2
    assert bottleneck_rank(shaken, SQUARE).lower == 2


# Truncation


def test_a_truncated_matrix_loses_what_it_drops():
    net = DeepNet([[[3, 0], [0, 0.5]]], [[1, 1]])
    assert near(truncation_error(net, SQUARE, layer=0, rank=1), 0.5)
    assert near(truncation_error(net, SQUARE, layer=0, rank=0), math.hypot(3, 0.5))
    assert truncation_error(net, SQUARE, layer=0, rank=2).upper < 1e-14


@pytest.mark.parametrize("layer", [0, 1, 2])
@pytest.mark.parametrize("inputs", [1, 2, 3, 4])
def test_truncation_against_samples(layer, inputs):
    net = random_network(inputs, 5, 5, 2, rng=default_rng(layer))
    low, high = -np.ones(inputs), np.ones(inputs)
    X = np.random.default_rng(0).uniform(low, high, (20_000, inputs))
    error = truncation_error(net, (low, high), layer=layer, rank=1)
    weights, biases = list(net.weights), list(net.biases)
    U, s, V = np.linalg.svd(weights[layer])
    weights[layer] = s[0] * np.outer(U[:, 0], V[0])
    at_zero = net.preactivations([np.zeros(inputs)])
    passed = net.activation(at_zero[layer - 1][0]) if layer else np.zeros(inputs)
    biases[layer] = at_zero[layer][0] - weights[layer] @ passed
    sampled = np.linalg.norm(net(X) - DeepNet(weights, biases)(X), axis=1).max()
    assert sampled <= error.upper * (1 + 1e-9) + 1e-12
    if inputs < 4:
        # A sample of space comes less near to a corner.
        assert error.lower * (0.9 if inputs < 3 else 0.8) - 1e-12 <= sampled
        assert error.gap < 1e-11


def test_a_truncation_without_a_bias_of_its_own_is_far_off():
    net = DeepNet([[[1, 0], [0, 0.01]], [[1, 0], [0, 0.5]]], [[9, 9], [0, 0]])
    assert near(truncation_error(net, SQUARE, layer=1, rank=1), 0.005)
    kept = DeepNet([net.weights[0], [[1, 0], [0, 0]]], net.biases)
    assert np.linalg.norm(net([[0, 0]]) - kept([[0, 0]])) == 4.5


def test_a_bottleneck_loses_nothing():
    inner = random_network(2, 6, 1, rng=default_rng(0))
    net = composed(random_network(1, 6, 2, rng=default_rng(0)), inner)
    joint = net.depth // 2
    assert np.linalg.matrix_rank(net.weights[joint]) == 1
    assert truncation_error(net, SQUARE, layer=joint, rank=1).upper < 1e-12
    assert truncation_error(net, SQUARE, layer=joint, rank=0).lower > 0.1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: triod_margin(CROSS, TIPS[:2], [0, 0]), "tips has shape"),
        (lambda: triod_margin(CROSS, TIPS, [0, 0, 0]), "centre has 3 entries"),
        (lambda: triod_margin(CROSS, TIPS, [0, np.nan]), "centre holds NaN"),
        (lambda: triod_margin(np.sin, TIPS, [0, 0]), "DeepNet or a TwoLayer"),  # pyright: ignore[reportArgumentType]
        (lambda: antipodal_margin(CROSS, regular(5)), "circle has 5 corners"),
        (lambda: antipodal_margin(CROSS, regular(2)), "circle has 2 corners"),
        (lambda: antipodal_margin(CROSS, np.ones((4, 3))), "circle has 3 columns"),
        (lambda: bottleneck_rank(CROSS, ([0], [1])), "domain has corners"),
        (lambda: bottleneck_rank(CROSS, ([1, 1], [0, 0])), "low < high"),
        (lambda: bottleneck_rank("net", SQUARE), "DeepNet or a TwoLayer"),  # pyright: ignore[reportArgumentType]
        (
            lambda: truncation_error(CROSS, SQUARE, layer=3, rank=1),
            "layer must be a whole number of places in weights, from 0 to 2, not 3",
        ),
        (
            lambda: truncation_error(CROSS, SQUARE, layer=0, rank=3),
            "rank must be a whole number of weights\\[0\\], from 0 to 2",
        ),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()
