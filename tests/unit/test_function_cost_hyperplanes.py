"""Which kinks are one, whatever their size; and the distance to a zonotope."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import TwoLayer, function_cost
from repcost.costs.functions_in_space import cost_in_space
from repcost.costs.hyperplanes import shared_hyperplanes
from repcost.costs.zonotopes import distance_to_zonotope
from tests.kink_problems import BY_HAND, CROSS, assert_is, fractions, joined, lattice, units


@settings(max_examples=60, deadline=None)
@given(lattice, st.randoms(use_true_random=False))
def test_what_leaves_the_function_leaves_the_cost(net, random):
    cost = function_cost(net)
    order = random.sample(range(net.width), net.width)
    scale = 2.0 ** np.array([random.randint(-9, 9) for _ in order])
    moved = TwoLayer(net.W, net.a, net.b + net.W @ [2.0, -1.0], c=7.0)
    same = [
        TwoLayer(net.W[order], net.a[order], net.b[order]),
        TwoLayer(scale[:, None] * net.W, net.a / scale, scale * net.b),
        joined(
            TwoLayer(net.W, 0.25 * net.a, net.b), TwoLayer(4 * net.W, 0.1875 * net.a, 4 * net.b)
        ),
        joined(net, units((1, 1, 3, 1), (-0.5, 2, 6, 2))),
        moved,
    ]
    turned = TwoLayer(
        net.W @ [[3.0, -4.0], [4.0, 3.0]], net.a, net.b
    )  # by an angle of a Pythagorean triangle
    for other in map(function_cost, same):
        assert_same(other.lower, other.upper, cost)
    other = function_cost(turned)
    assert_same(other.lower / 5, other.upper / 5, cost)


def assert_same(lower, upper, cost):
    size = 1e-12 * (1 + cost.upper)
    assert abs(lower - cost.lower) <= size
    assert abs(upper - cost.upper) <= size


@settings(max_examples=60, deadline=None)
@given(lattice, lattice, st.sampled_from([-4.0, -0.5, 3.0]))
def test_it_is_a_seminorm(one, other, factor):
    cost = function_cost(one)
    scaled = function_cost(TwoLayer(one.W, factor * one.a, one.b))
    assert_same(scaled.lower / abs(factor), scaled.upper / abs(factor), cost)
    assert function_cost(joined(one, other)).lower <= cost.upper + function_cost(other).upper


@settings(max_examples=100, deadline=None)
@given(lattice)
def test_one_variable_is_theorem_3_1(net):
    """A network of one variable by the general route, and as one of two that feels one."""
    w = net.W[:, :1]
    line = function_cost(TwoLayer(w, net.a, net.b))
    in_plane = function_cost(TwoLayer(np.hstack([w, 0 * w]), net.a, net.b))
    bends = w[:, 0] != 0
    in_space = cost_in_space(w[bends], net.a[bends], net.b[bends])
    for cost in (in_plane, in_space):
        assert cost.lower <= line.upper and line.lower <= cost.upper
        assert cost.gap <= 1e-13 * (1 + line.upper)


def test_hyperplanes_are_shared_exactly_when_proportional_as_rationals():
    rng = np.random.default_rng(3)
    W = rng.choice([-3.0, -1.0, -0.3, -0.1, 0.1, 0.3, 1.0, 3.0], (300, 2))
    b = rng.choice([0.0, 0.1, 0.3, 1.0], 300)
    pivots = np.where(np.abs(W[:, 0]) >= np.abs(W[:, 1]), *W.T)
    ours = {frozenset(group.tolist()) for group in shared_hyperplanes([b, *W.T], pivots)}
    theirs = defaultdict(set)
    for k, row in enumerate(map(fractions, np.column_stack([W, b]))):
        theirs[tuple(x / row[0] for x in row)].add(k)
    assert ours == {frozenset(group) for group in theirs.values() if len(group) > 1}
    by_division = {tuple(row) for row in np.column_stack([W, b]) / W[:, :1]}
    assert len(by_division) < len(theirs)  # floats that divide alike need not be alike


@pytest.mark.parametrize("sizes", [[1.0], [1.0, 3.0], [0.1, 0.3, 1.0, 3.0, 1e-300, 7e290]])
def test_kinks_on_a_line_are_shared_exactly_when_equal_as_rationals(sizes):
    """Copies and mirrored units are told by their floats, multiples of each other by digits."""
    rng = np.random.default_rng(4)
    w = rng.choice(sizes, 400) * rng.choice([-1.0, 1.0], 400)
    b = w * rng.choice([0.0, 0.1, 0.3, -1.0, 1e-10], 400)
    # One last digit further, of which the quotient may know nothing.
    b = np.where(rng.random(400) < 0.2, np.nextafter(b, 2.0), b)
    theirs = defaultdict(set)
    for k in range(400):
        theirs[Fraction(b[k]) / Fraction(w[k])].add(k)
    ours = {frozenset(group.tolist()) for group in shared_hyperplanes([b], w)}
    assert ours == {frozenset(group) for group in theirs.values() if len(group) > 1}
    assert len(ours) >= 3


@pytest.mark.parametrize("moved", [0, 1])
def test_hyperplanes_that_differ_in_the_last_digit_are_two(moved):
    W = np.array([[1.0, 0.3], [1.0, 0.3]])
    W[1, moved] = np.nextafter(W[1, moved], 2)
    assert_is(function_cost(TwoLayer(W, [1, -1], [0, 0])), 2 * math.hypot(1, 0.3))
    assert function_cost(TwoLayer(W[[0, 0]], [1, -1], [0, 0])).upper == 0


@pytest.mark.parametrize("size", [1e-250, 1e-200, 1.0, 1e200, 1e290])
def test_any_size(size):
    net, cost = BY_HAND["cross, slope beyond a corner"]
    half = math.sqrt(size)
    assert_is(function_cost(TwoLayer(half * net.W, half * net.a, net.b)), cost * half * half)


def test_sizes_far_apart():
    """Small bends are lost in rounding, large ones are not; the reverse where large ones cancel."""
    cross, nine = units(*CROSS), BY_HAND["cross, slope beyond a corner"][0]
    small = TwoLayer(cross.W * 1e-140, cross.a * 1e-100, cross.b)
    assert_is(function_cost(joined(nine, small)), 9)
    away = TwoLayer(
        np.vstack([nine.W, nine.W]) * 1e100, np.append(nine.a, -nine.a), np.append(nine.b, nine.b)
    )
    assert_is(function_cost(joined(away, small)), 4e-240, 1e-12)


def test_products_below_the_smallest_float():
    """They widen the bracket: the cost is a little less than 1 here, and a little more there."""
    for sign in (1.0, -1.0):
        cost = function_cost(
            TwoLayer([[1.0, 0.0], [1e-200, 0.0]], [1.0, sign * 1e-200], [0.0, 0.0])
        )
        assert 1 + sign * Fraction(1, 10**400) in cost
    cost = function_cost(TwoLayer([[1.0, 1e-200], [-1.0, 0.0]], [1e-100, -1e-100], [0.0, 0.0]))
    assert Fraction(1e-100) * 2 in cost


def test_refuses_what_overflows(unchecked):
    with pytest.raises(ValueError, match="exceeds 1e\\+300; divide a"):
        function_cost(TwoLayer([[1.0, 1e200]], [1e200], [0.0]))


@pytest.mark.parametrize("seed", range(20))
def test_distance_to_a_zonotope_of_graded_generators(seed):
    """Eight decades, points inside and outside: both ends are proven, so a gap says it all."""
    rng = np.random.default_rng(seed)
    K, d = int(rng.integers(1, 200)), int(rng.integers(2, 12))
    M = rng.normal(size=(K, d)) * 10.0 ** rng.uniform(-8, 0, (K, 1))
    direction = rng.normal(size=d) / np.sqrt(d)
    size = np.linalg.norm(M, axis=1).sum()
    for reach in (0.01, 0.3, 3.0):
        distance = distance_to_zonotope(reach * size * direction, M)
        assert distance.gap < 1e-11 * size
    inside = rng.uniform(-1, 1, K) @ M
    assert distance_to_zonotope(inside, M).upper < 1e-11 * size


def test_distance_without_generators():
    assert_is(distance_to_zonotope(np.array([3.0, 4.0]), np.zeros((0, 2))), 5)
    assert_is(distance_to_zonotope(np.array([3.0, 4.0]), np.zeros((3, 2))), 5)
    assert distance_to_zonotope(np.zeros(2), np.zeros((0, 2))).upper == 0
