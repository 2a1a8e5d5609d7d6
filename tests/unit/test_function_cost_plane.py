"""`function_cost` in two and more variables: by hand, in fractions, against other solvers, and its
invariances.
"""

import math
from collections import defaultdict
from fractions import Fraction
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from repcost import TwoLayer, function_cost
from repcost.costs.functions_in_space import cost_in_space
from repcost.costs.hyperplanes import shared_hyperplanes
from repcost.costs.zonotopes import distance_to_zonotope


def units(*rows, c=0.0) -> TwoLayer:
    """A network from rows (a, b, *w)."""
    table = np.array(rows, dtype=float)
    return TwoLayer(table[:, 2:], table[:, 0], table[:, 1], c)


def linear(*v) -> list[tuple[float, ...]]:
    """Two units that add <v, x>."""
    return [(1, 0, *v), (-1, 0, *(-x for x in v))]


def joined(*nets: TwoLayer) -> TwoLayer:
    W, a, b = (np.concatenate([getattr(net, name) for net in nets]) for name in "Wab")
    return TwoLayer(W, a, b, sum(net.c for net in nets))


def fractions(row) -> list[Fraction]:
    return [Fraction(float(x)) for x in row]


def kinks(net: TwoLayer) -> tuple[dict[tuple, Fraction], Any]:
    """(w, b) divided by the first entry of w that is not 0: sums of a |that entry|; and g = sum a
    w, in fractions.
    """
    masses, g = defaultdict(Fraction), np.array([Fraction(0)] * net.dimension)
    for w, a, b in zip(map(fractions, net.W), fractions(net.a), fractions(net.b), strict=True):
        pivot = next((x for x in w if x), None)
        if pivot is not None:
            masses[tuple(x / pivot for x in (*w, b))] += a * abs(pivot)
            g = g + a * np.array(w)
    return masses, g


def generators(net: TwoLayer) -> tuple[np.ndarray, np.ndarray]:
    masses, g = kinks(net)
    rows = [[float(c * x) for x in key[:-1]] for key, c in masses.items() if c]
    return np.array(rows).reshape(-1, net.dimension), g.astype(float)


def by_cone_programme(net: TwoLayer) -> float:
    """sum |c_j| + min |g - sum t_j u_j| as cvxpy puts it, from masses merged in fractions."""
    M, g = generators(net)
    if not len(M):
        return float(np.linalg.norm(g))
    s = cp.Variable(len(M))
    problem = cp.Problem(cp.Minimize(cp.norm(g - M.T @ s)), [cp.abs(s) <= 1])
    problem.solve(solver=cp.CLARABEL)
    return np.linalg.norm(M, axis=1).sum() + problem.value


def by_dictionary(net: TwoLayer, directions: int) -> float:
    """The least sum |a_k| of dictionary units that equal the network, by linear programming; no
    formula is used.

    Units: those of the network and their mirror images, and one through 0 in each of some
    directions. Equality holds at more points than there are units, spread so that it holds
    everywhere.
    """
    angles = 2 * np.pi * np.arange(directions) / directions
    grid = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    own = np.column_stack([net.W, net.b]) / np.linalg.norm(net.W, axis=1)[:, None]
    rows = np.unique(np.vstack([own, -own, grid]).round(14), axis=0)
    X = np.random.default_rng(0).normal(size=(3 * len(rows), 2)) * 4
    values = np.maximum(X @ rows[:, :2].T + rows[:, 2], 0)
    one = np.ones((len(X), 1))
    price = np.append(np.ones(2 * len(rows)), [0, 0])
    found = linprog(
        price, A_eq=np.hstack([values, -values, one, -one]), b_eq=net(X), bounds=(0, None)
    )
    assert found.success
    return found.fun


def assert_is(cost, true, rtol=1e-13):
    assert cost.how == "certified"
    assert cost.lower <= true * (1 + 1e-15)
    assert cost.upper >= true * (1 - 1e-15)
    assert cost.gap <= rtol * true


CROSS = [(1, 0, 1, 0), (1, 0, -1, 0), (1, 0, 0, 1), (1, 0, 0, -1)]  # |x| + |y|
CROSS_IN_SPACE = [(1, 0, *(sign * axis)) for axis in np.eye(3) for sign in (1, -1)]
BY_HAND = {
    "one unit": (units((2, 1, 3, 4)), 10),
    "one unit, downwards": (units((-2, 1, 3, 4)), 10),
    "constant": (units((1, 3, 0, 0), c=5), 0),
    "linear": (units(*linear(3, 4)), 10),
    "linear in space": (units(*linear(1, 2, 2)), 6),
    "linear, at two hyperplanes": (units((1, 2, 3, 4), (-1, -2, -3, -4), *linear(3, 4)), 20),
    "linear, and its opposite elsewhere": (
        units((1, 2, 3, 4), (-1, -2, -3, -4), *linear(-3, -4)),
        0,
    ),
    "absolute value": (units((1, 1, 3, 4), (1, -1, -3, -4)), 10),
    "a unit and its opposite": (units((1, 1, 3, 4), (-2, 0.5, 1.5, 2)), 0),
    "cross": (units(*CROSS), 4),
    "cross, slope inside": (units(*CROSS, *linear(0.9, -0.9)), 4),
    "cross, slope at a corner": (units(*CROSS, *linear(1, -1)), 4),
    "cross, slope beyond a side": (units(*CROSS, *linear(3, 0.5)), 8),
    "cross, slope beyond a corner": (units(*CROSS, *linear(2.5, 3)), 9),
    "cross in space, beyond a corner": (units(*CROSS_IN_SPACE, *linear(1.5, -2, 2)), 9),
    "slope across a bend": (units(*linear(1, 0), (1, 0, 0, 1)), 3),
    "slope along a bend": (units(*linear(0, 2), (1, 0, 0, 1)), 5),
    "slope against a bend": (units(*linear(0, -2), (1, 0, 0, 1)), 3),
}


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
    """Prop. 5.2 of Ongie & Willett compares path norms, 4 against 8 / sqrt 3; but half the kinks of
    g cancel.
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


lattice = st.lists(
    st.tuples(
        st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 3.0]),
        st.integers(-1, 1),
        st.integers(-2, 2),
        st.integers(-2, 2),
    ),
    min_size=1,
    max_size=8,
).map(lambda rows: units(*rows))


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
    """It has 72 directions in place of all, so it may be dearer by a factor of 1 / cos(2.5
    degrees).
    """
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
    """As a network of one variable sent through the general route, and of two that does not feel
    the second.
    """
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
    """The small bends are lost in rounding, the large ones are not; and the reverse where the large
    ones cancel.
    """
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
    """Sizes over eight decades, points inside and outside: both ends are proven, so a small gap
    says it all.
    """
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
