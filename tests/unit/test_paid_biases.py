"""Costs with paid biases: by hand, by cones, by cutting planes, by shallow_cost, and refused."""

import numpy as np
import pytest

from repcost import (
    DeepNet,
    PiecewiseLinear,
    TwoLayer,
    cheapest_network,
    function_cost,
    interpolate_line,
    rebalance,
    rebalanced_norm,
    shallow_cost,
)
from repcost.conventions import (
    HALF_OF_WEIGHTS_AND_BIASES,
    HALF_WITH_HIDDEN_BIASES,
    HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE,
)
from repcost.costs.paid_biases.arguments import Output
from repcost.experiments.priced_units import least_price
from tests.paid_problems import OUTPUTS, by_cones, by_cuts, proof
from tests.problems import ONE_VARIABLE

ROOT = 2**0.5
COUNTS = {
    "free": HALF_WITH_HIDDEN_BIASES,
    "paid": HALF_OF_WEIGHTS_AND_BIASES,
    "linear": HALF_WITH_HIDDEN_BIASES_BESIDE_A_LINE,
}


def paid_cost(f, output: Output = "free"):
    return function_cost(f, biases="paid", output=output)


def through(x, y, output: Output = "free"):
    return interpolate_line(x, y, biases="paid", output=output)


def random_function(rng, *, moved=0.0):
    knots = np.sort(rng.normal(size=rng.integers(0, 9))) * rng.choice([0.1, 1, 5]) + moved
    slopes = rng.normal(size=len(knots) + 1) + rng.choice([0, 2])
    return PiecewiseLinear(knots, slopes, tuple(rng.normal(size=2)))


def random_points(rng, most=9):
    n = rng.integers(3, most)
    x = np.sort(rng.uniform(-3, 3, n)) + rng.choice([0, 2, -4])
    y = rng.normal(size=n)
    return x, np.sort(y) if rng.random() < 0.5 else y


# A function


KNOWN = {
    # A line needs pairs of units at 0, and its height is cheaper by the output bias up to 1.
    "a line": (PiecewiseLinear([], [3.0], (0, 0)), {"free": 6, "paid": 6, "linear": 0}),
    "a constant": (PiecewiseLinear([], [0.0], (0, 5)), {"free": 0, "paid": 4.5, "linear": 0}),
    "a low constant": (PiecewiseLinear([], [0.0], (0, 0.5)), {"paid": 1 / 8}),
    "a bend at 1": (
        PiecewiseLinear([1.0], [0.0, 1.0], (0, 0)),
        dict.fromkeys(OUTPUTS, ROOT),
    ),
    "a bend at 1, and a constant": (
        PiecewiseLinear([1.0], [0.0, 1.0], (0, 0.5)),
        {"free": ROOT, "paid": ROOT + 1 / 8, "linear": ROOT},
    ),
    "a bend on a line": (
        PiecewiseLinear([1.0], [1.0, 2.0], (0, 0)),
        {"free": ROOT + 2, "linear": ROOT},
    ),
    # A line h x + k as a pair of units: 2 sqrt(h^2 + k^2), here 1 of k by the output bias.
    "a high line": (PiecewiseLinear([], [3.0], (0, 100)), {"free": 6, "linear": 0}),
}


@pytest.mark.parametrize("f, costs", KNOWN.values(), ids=KNOWN)
def test_costs_known_by_hand(f, costs):
    for output, cost in costs.items():
        found = paid_cost(f, output)
        assert found.lower - 1e-13 <= cost <= found.upper + 1e-13
        assert found.relative_gap < 1e-12 and found.how == "certified"
        assert found.counts == COUNTS[output]


def test_the_surcharge_and_wrong_formulas_for_it():
    """sum (rho - 1) |m|, and neither the price of the places alone nor that of a knot."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        f = random_function(rng)
        sizes, knots = np.abs(np.diff(f.slopes)), f.knots
        added = paid_cost(f).value - function_cost(f).value
        assert added == pytest.approx((np.hypot(1, knots) - 1) @ sizes, abs=1e-12)
        if len(knots):
            assert added != pytest.approx(np.abs(knots) @ sizes, rel=1e-3)
            assert added != pytest.approx((np.hypot(1, knots) - 1).sum(), rel=1e-3)


@pytest.mark.parametrize("known", ONE_VARIABLE, ids=str)
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_network_and_its_function_cost_the_same(known, output):
    of_net, of_function = paid_cost(known.network, output), paid_cost(known.function, output)
    assert of_net.value == pytest.approx(of_function.value, abs=1e-12)
    deep = paid_cost(DeepNet.from_two_layer(known.network), output)
    assert deep.value == pytest.approx(of_net.value, abs=1e-12)


def test_no_network_of_a_function_pays_less():
    rng = np.random.default_rng(1)
    for _ in range(40):
        f = random_function(rng)
        net = rebalance(cheapest_network(f))
        hidden = np.sum(net.weights[0] ** 2) + np.sum(net.weights[1] ** 2)
        hidden = (hidden + np.sum(net.biases[0] ** 2)) / 2
        assert paid_cost(f, "free").lower <= hidden * (1 + 1e-12)
        assert paid_cost(f, "paid").lower <= rebalanced_norm(net).upper / 2
        assert paid_cost(f, "linear").lower <= paid_cost(f).upper
        assert paid_cost(f).lower <= paid_cost(f, "paid").upper
        missing = abs(f.slopes[0] + f.slopes[-1]) - np.abs(np.diff(f.slopes)).sum()
        if missing < 0:
            # Without pairs of units the cheapest network for free biases is cheapest here too.
            assert paid_cost(f).value == pytest.approx(hidden, rel=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        PiecewiseLinear([], [0.0], (0, 3)),  # a constant beyond one
        PiecewiseLinear([], [0.0], (0, 0.5)),
        PiecewiseLinear([], [3.0], (0, -2)),
        PiecewiseLinear([-1.0, 2.0], [1.0, 4.0, 2.5], (0, 2)),
    ],
)
def test_units_in_many_directions_make_it_for_what_it_costs(f):
    cost = function_cost(f, biases="paid", output="paid")
    price = least_price(f, 60)
    assert -1e-6 < price / cost.lower - 1 < (np.pi / 60) ** 2 / 8
    assert price > 1.01 * function_cost(f, biases="paid").value


def test_units_that_share_a_place_cancel_exactly():
    net = TwoLayer([[1.0], [-2.0], [3.0]], [1.0, 0.5, -1 / 3], [-1.0, 2.0, -3.0], 0.25)
    # 1, 1 and -1 at 1: one unit.
    assert paid_cost(net).value == pytest.approx(ROOT, rel=1e-14)
    tiny = TwoLayer([[1e-200], [1.0]], [1e-150, 1.0], [0.0, -1.0])
    assert paid_cost(tiny).value == pytest.approx(ROOT, rel=1e-14)


# Points


@pytest.mark.parametrize("output", OUTPUTS)
def test_points_against_cones_and_their_own_proof(output):
    rng = np.random.default_rng(2)
    for _ in range(12):
        x, y = random_points(rng)
        found = through(x, y, output)
        assert found.cost.relative_gap < 1e-6
        assert found.cost.value == pytest.approx(by_cones(x, y, output), rel=2e-6)
        assert found.function(x) == pytest.approx(y, abs=1e-7)
        of_function = paid_cost(found.function, output)
        assert found.cost.lower * (1 - 1e-7) <= of_function.value <= found.cost.upper * (1 + 1e-12)
        proven, excess = proof(x, y, found.certificate, output)
        assert proven == pytest.approx(found.cost.lower, rel=1e-9) and excess < 1e-9


@pytest.mark.parametrize("output", OUTPUTS)
def test_points_against_cutting_planes(output):
    rng = np.random.default_rng(3)
    for _ in range(3):
        x, y = random_points(rng, 6)
        low, high = by_cuts(x, y, output)
        cost = through(x, y, output).cost
        assert high - low < 1e-4 * high
        # The cuts look at many places, not at all.
        assert low * (1 - 1e-6) <= cost.upper and cost.lower <= high * (1 + 1e-9)


def test_paid_output_against_shallow_cost():
    rng = np.random.default_rng(4)
    for _ in range(6):
        x, y = random_points(rng, 6)
        cost, other = through(x, y, "paid").cost, shallow_cost(x[:, None], y)
        assert other.relative_gap < 1e-6
        assert cost.upper == pytest.approx(other.upper / 2, rel=1e-6)
        assert other.lower / 2 <= cost.upper and cost.lower <= other.upper / 2


def test_no_other_function_through_the_points_is_cheaper():
    """Splines with more knots, whose values there are free, do not get below the lower end."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        x, y = random_points(rng)
        more = np.setdiff1d(rng.uniform(x[0] - 1, x[-1] + 1, 4), x)
        least = {output: through(x, y, output).cost.lower for output in OUTPUTS}
        fitted = through(x, y).function
        for _ in range(5):
            at = np.sort(np.concatenate([x, more]))
            values = np.where(np.isin(at, x), fitted(at), fitted(at) + rng.normal(size=len(at)))
            f = PiecewiseLinear.through(at, values)
            assert all(
                paid_cost(f, output).upper >= least[output] * (1 - 1e-9) for output in OUTPUTS
            )


def test_points_that_do_not_rise_or_fall_need_no_free_line():
    rng = np.random.default_rng(6)
    differ = 0
    for _ in range(40):
        x, y = random_points(rng)
        free, linear = through(x, y).cost, through(x, y, "linear").cost
        monotone = (np.diff(y) >= 0).all() or (np.diff(y) <= 0).all()
        if free.value > linear.value * (1 + 1e-6):
            differ += 1
            assert monotone
    assert differ > 3


HARD = {
    # A stretch whose Newton steps run into the ends of their range.
    "squares": (np.arange(12) - 6.0, (np.arange(12) - 6.0) ** 2),
    # The first line turns about its point: a right angle and more between the first two.
    "wide": (np.array([-10.0, 10, 11]), np.array([0.0, 0, 1])),
    "wide, mirrored": (np.array([-11.0, -10, 10]), np.array([1.0, 0, 0])),
    "straight beside wide": (
        np.array([-4.86, -2.82, 4.26, 4.7, 6.02, 7.37]),
        np.array([1.0, 1, 1, 1, -1, -2]),
    ),
    "straight between": (np.array([-9.0, -8, 0.5, 8, 9]), np.array([1.0, 0, 0, 0, 1])),
    "straight, then down": (np.array([-9.0, -8, 0.5, 8, 9]), np.array([1.0, 0, 0, 0, -1])),
    "close": (np.array([0, 1e-9, 1, 2.0]), np.array([0, 1e-9, 0, 1.0])),
    "far": (np.array([1e6, 1e6 + 1, 1e6 + 2]), np.array([1.0, 0, 1])),
}


@pytest.mark.parametrize("x, y", HARD.values(), ids=HARD)
def test_hard_points_by_the_shortest_path(x, y):
    found = through(x, y, "linear")
    assert found.cost.relative_gap < 1e-9 and not found.cost.reason
    # Where points are close or far the cones lose their digits, and the Bracket alone is asked.
    if np.diff(x).min() > 1e-3 and np.abs(x).max() < 100:
        assert found.cost.value == pytest.approx(by_cones(x, y, "linear"), rel=1e-5)


def test_points_on_a_line_and_no_points_at_all():
    x = np.array([0.1, 0.3, 0.7])
    assert through(x, 3 * x, "linear").cost.value == 0
    assert through(x, 0 * x, "paid").cost.upper == 0
    # Left of 0 a line is cheapest as a unit that bends there, outside of the data.
    left = through([-2, -1], [0, 3])
    assert left.cost.value == pytest.approx(3, rel=1e-9)
    assert left.function.knots == pytest.approx([0.0], abs=1e-6)
    # Two points on both sides of 0, further than 1: one bend, at 1 over the further of them.
    two = through([-1, 2], [0, 3])
    assert two.cost.value == pytest.approx(3 / 5**0.5, rel=1e-8)
    with pytest.raises(ValueError, match="x is empty"):
        through([], [])


@pytest.mark.parametrize("x", [0.0, 0.5, -2.0])
@pytest.mark.parametrize("y", [0.0, 0.3, -4.0])
def test_one_point(x, y):
    for output in OUTPUTS:
        found = through([x], [y], output)
        assert found.function([x]) == pytest.approx([y])
        assert paid_cost(found.function, output).value == pytest.approx(found.cost.value, rel=1e-12)
        assert found.cost.counts == COUNTS[output]
    assert through([x], [y], "linear").cost.value == 0
    assert through([x], [y], "paid").cost.value == pytest.approx(
        shallow_cost([[x]], [y]).upper / 2, rel=1e-6
    )


def test_sizes_whose_squares_leave_the_floats():
    """Tiny ones cost what the free output bias leaves, as c^2 is nothing beside c."""
    tiny = PiecewiseLinear([2.0, 7.0], [1e-240, -3e-240, 2e-240], (0, 1e-250))
    assert paid_cost(tiny, "paid").value == pytest.approx(paid_cost(tiny).value, rel=1e-9)
    large = PiecewiseLinear([-4e69, 8e69], [-3e60, 1e43, -2e69])
    assert paid_cost(large, "paid").relative_gap < 1e-9
    x, y = [-6.938893903907228e-18, 2.4e-268], [-1.46e-257, 2.82e-257]
    found, slope = through(x, y, "paid").cost, 4.28e-257 / 6.938893903907228e-18
    assert found.lower <= 2 * slope * (1 + 1e-6) <= found.upper * (1 + 2e-6)


# Ties, and where the data are


def test_without_the_free_line_the_cheapest_function_need_not_be_unique():
    """(-a, 0) and (a, 1): units from both sides, in any proportion, all at the least cost."""
    a = 2.0
    least = through([-a, a], [0, 1]).cost
    # a1 [x + 1/a]_+ - a2 [1/a - x]_+ + c rises by (a1 + a2)(a + 1/a).
    total = 1 / (a + 1 / a)
    for share in (0.0, 0.3, 0.5, 1.0):
        up, down = share * total, (1 - share) * total
        net = TwoLayer([[1.0], [-1.0]], [up, -down], [1 / a, 1 / a], down * (a + 1 / a))
        assert net([-a, a]) == pytest.approx([0, 1], abs=1e-14)
        assert paid_cost(net).value == pytest.approx(least.value, rel=1e-9)
    # Beside a free line both cost nothing: there the line is the only one.
    assert through([-a, a], [0, 1], "linear").cost.value == 0


def test_the_cost_moves_with_the_data_and_tends_to_that_of_free_biases():
    x, y = np.arange(-2.0, 3), np.array([2, 0.5, 0, 0.5, 2])
    free = interpolate_line(x, y).cost.value
    costs = [through(x + c, y).cost.value for c in (0, 1, 3, 1000)]
    assert costs == sorted(costs) and costs[0] > free
    assert costs[-1] / 1000 == pytest.approx(free, rel=1e-3)


@pytest.mark.parametrize("output", ["free", "linear"])
def test_scales_signs_and_mirrors(output):
    rng = np.random.default_rng(7)
    for _ in range(10):
        x, y = random_points(rng)
        cost = through(x, y, output).cost.value
        assert through(-x[::-1], y[::-1], output).cost.value == pytest.approx(cost, rel=1e-6)
        assert through(x, 5 - 3 * y, output).cost.value == pytest.approx(3 * cost, rel=1e-6)
        turned = through(-x, -y, "paid").cost.value
        assert through(x, y, "paid").cost.value == pytest.approx(turned, rel=1e-6)


def test_many_points_the_direct_way():
    rng = np.random.default_rng(8)
    x = np.sort(rng.uniform(-2, 2, 300))
    for y in (rng.normal(size=300), np.cos(2 * x)):
        assert through(x, y, "linear").cost.relative_gap < 1e-8


def test_many_points_by_cones():
    rng = np.random.default_rng(9)
    x = np.sort(rng.uniform(-2, 2, 100))
    for output in ("free", "paid"):
        assert through(x, np.exp(x), output).cost.relative_gap < 1e-6


# Refused


def test_words(unchecked):
    f = PiecewiseLinear([], [1.0])
    with pytest.raises(ValueError, match='biases must be "free" or "paid"'):
        function_cost(f, biases="pay")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match='output must be "free" or "paid" or "linear"'):
        function_cost(f, biases="paid", output="none")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match='output must be "free" where biases are; "paid" needs'):
        function_cost(f, output="paid")
    with pytest.raises(ValueError, match='depth must be 2 where biases="paid", not 3'):
        interpolate_line([0, 1], [0, 1], 3, biases="paid")


def test_ranges_and_dimensions(unchecked):
    with pytest.raises(ValueError, match="f must have one variable where biases"):
        paid_cost(TwoLayer([[1.0, 2.0]], [1.0], [0.0]))
    with pytest.raises(ValueError, match="whose prices are no floats"):
        paid_cost(PiecewiseLinear([1e200], [0.0, 1.0]))
    with pytest.raises(ValueError, match=r"x must stay below 1e\+30"):
        through([0, 1e200], [0, 1])
    with pytest.raises(ValueError, match=r"y must rise by less than 1e\+30"):
        through([0, 1e-50], [0, 1e10])
    with pytest.raises(ValueError, match="one hidden layer"):
        paid_cost(DeepNet([[[1.0]]] * 3, [[0.0]] * 3))


@pytest.mark.parametrize("output", ["free", "paid", "linear"])
def test_bends_of_the_size_of_rounding_have_an_answer(output):
    """A stretch of them has a Hessian without an inverse, and is given up for another."""
    x = np.array([0.81, 1.59, 2.45, 2.63, 2.84, 3.8, 4.25, 4.92, 5.52, 6.25, 6.43, 7.3])
    rng = np.random.default_rng(0)
    for _ in range(12):
        y = rng.choice([0, 1e-15, 1e-16], len(x)) + 1.99 * np.maximum(x - rng.choice(x[3:9]), 0)
        cost = interpolate_line(x, y, biases="paid", output=output).cost
        assert 0 < cost.lower <= cost.upper < 1.2 * cost.lower
