from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from repcost import (
    DeepNet,
    TwoLayer,
    cost_per_layer,
    linear_map_cost,
    linear_regions,
    rebalanced_norm,
    schatten_power,
)
from repcost.costs.per_layer import deepened, slopes_both_ways
from repcost.datasets import random_network
from repcost.regions.extent import extent
from tests.deep_problems import DEEP, SQUARE

NAMED = {problem.name: problem for problem in DEEP}


def bounds(name, depth):
    return cost_per_layer(NAMED[name].network, depth, NAMED[name].domain)


@pytest.mark.parametrize("problem", DEEP, ids=str)
@pytest.mark.parametrize("depth", [4, 16, 64, 256])
def test_known_bounds_and_the_network_that_attains_them(problem, depth):
    cost = cost_per_layer(problem.network, depth, problem.domain)
    lower, upper = problem.bounds[depth]
    assert cost.how == "certified"
    assert cost.lower == pytest.approx(lower, rel=1e-4)
    assert cost.upper <= upper * (1 + 1e-4)
    if depth == 256:  # the same code as at 64
        return
    net = deepened(problem.network, depth, problem.domain)
    assert net.depth == depth
    assert net.squared_norm / depth == pytest.approx(cost.upper, rel=1e-11)
    low, high = np.array(problem.domain, dtype=float)
    X = np.random.default_rng(0).uniform(low, high, (200, len(low)))
    assert net(X) == pytest.approx(problem.function(X), abs=1e-13)


def test_where_the_ends_meet():
    """Maps that keep the positive orthant: no bias, and the Schatten norm from both sides."""
    for depth in (1, 2, 5, 256):
        cost, theirs = bounds("diagonal", depth), linear_map_cost([[2, 0], [0, 0.5]], depth)
        assert cost.relative_gap < 1e-11
        assert cost.lower <= theirs.upper / depth and theirs.lower / depth <= cost.upper
    assert Fraction(17, 4) in bounds("diagonal", 1) and Fraction(5, 2) in bounds("diagonal", 2)
    four = bounds("diagonal", 4)  # 3 / sqrt(2)
    assert Fraction(four.lower) ** 2 <= Fraction(9, 2) <= Fraction(four.upper) ** 2
    ones = cost_per_layer(DeepNet([np.ones((2, 2))], [[0.0, 0.0]]), 4, ([0, 0], [1, 1]))
    assert Fraction(ones.lower) ** 2 <= 2 <= Fraction(ones.upper) ** 2 and ones.relative_gap < 1e-11


@pytest.mark.parametrize(
    ("name", "at_most"),
    [("tent", 0.96), ("identity", 1.70), ("bent mean", 9.6), ("bent plane", 12.8)],
)
def test_the_gap_is_a_constant_over_the_depth(name, at_most):
    """R / L = rank + O(1 / L) where the Jacobian's rank and the bottleneck agree."""
    gaps = [depth * bounds(name, depth).gap for depth in (32, 128)]
    assert gaps[0] * 1.1 > gaps[1] > 0
    assert gaps[1] < 1.05 * at_most


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_slopes_up_and_down_are_paid_together(slope):
    """No network costs less than |M|_F^(2/L), and |x| costs just that."""
    rng, won = default_rng(4), 0
    for _ in range(40):
        into, hidden, out = rng.integers(1, 3, 3).tolist()
        net = random_network(into, *[3] * hidden, out, rng=rng, negative_slope=slope)
        box = ([-2.0] * net.widths[0], [2.0] * net.widths[0])
        J = np.array([region.jacobian for region in linear_regions(net, box)])
        M = np.maximum(J, 0).max(axis=0) + np.maximum(-J, 0).max(axis=0)
        assert (slopes_both_ways(net, box) == M).all()
        both_ways = np.linalg.norm(M) ** (2 / net.depth)
        singly = max(schatten_power(each, 2 / net.depth) for each in J)
        cost = cost_per_layer(net, net.depth, box)
        assert cost.lower == pytest.approx(max(both_ways, singly), rel=1e-11)
        assert cost.lower <= min(cost.upper, rebalanced_norm(net).upper / net.depth)
        won += both_ways > singly
    assert won > 5
    for depth in (2, 3, 4, 256):
        assert bounds("absolute value", depth).relative_gap < 1e-11


def test_negative_slopes_of_units_undo_paths():
    """With slopes of both signs a path can add to both slopes, so that only Jacobians are used."""
    net = DeepNet([[[1.0]], [[1.0]]], [[0.0], [0.0]], negative_slope=-0.9)
    cost = cost_per_layer(net, 2, ([-1], [1]))
    assert 1 in cost and cost.upper < 1.9


def test_the_cross_stays_between_its_two_ranks():
    cost = bounds("cross", 256)
    assert 1 < cost.lower < 1.01 and 2 < cost.upper < 2.05


def test_depth_may_be_that_of_the_network():
    net = random_network(2, 4, 3, 2, rng=default_rng(0))
    cost = cost_per_layer(net, 3, SQUARE)
    assert cost.upper * 3 < net.squared_norm


@pytest.mark.parametrize("slope", [0.5, -0.5])
def test_leaky_units(slope):
    net = random_network(2, 3, 4, 2, rng=default_rng(5), negative_slope=slope)
    X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    for depth in (4, 9, 40):
        assert deepened(net, depth, SQUARE)(X) == pytest.approx(net(X), abs=1e-12)
        cost = cost_per_layer(net, depth, SQUARE)
        assert (
            max(
                schatten_power(region.jacobian, 2 / depth) for region in linear_regions(net, SQUARE)
            )
            in cost
        )


def test_a_factor_of_lower_rank_is_found():
    """A bottleneck that is merged into the layers around it costs the same in the limit."""
    mean = NAMED["bent mean"]
    W, b = mean.network.weights, mean.network.biases
    merged = DeepNet([W[1] @ W[0], W[2]], [W[1] @ b[0] + b[1], b[2]])
    assert np.linalg.matrix_rank(merged.weights[0]) == 1
    for depth in (16, 256):
        cost, known = cost_per_layer(merged, depth, mean.domain), bounds("bent mean", depth)
        assert cost.upper == pytest.approx(known.upper, rel=0.05)
        assert cost.lower == pytest.approx(known.lower, rel=1e-12)


def test_a_sign_costs_nothing():
    """What is nowhere positive is carried with its sign changed."""
    net = NAMED["absolute value"].network
    negative = DeepNet([net.weights[0], -net.weights[1]], net.biases)
    assert cost_per_layer(negative, 64, ([-1], [1])).upper == pytest.approx(
        bounds("absolute value", 64).upper
    )


def test_without_the_shift_it_is_another_function():
    net = deepened(DeepNet([[[1.0]]], [[0.0]]), 4, ([-1], [1]))
    unshifted = DeepNet(net.weights, [np.zeros(len(bias)) for bias in net.biases])
    X = np.linspace(-1, 1, 9)[:, None]
    assert net(X) == pytest.approx(X, abs=1e-14)
    assert np.abs(unshifted(X) - X).max() > 0.9


@settings(max_examples=10, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([3, 4, 8, 25]),
    st.sampled_from([0.0, 0.5, -0.25]),
    st.integers(1, 2),
)
def test_every_region_lies_below_every_network(seed, depth, slope, variables):
    net = random_network(variables, 4, 3, 2, rng=default_rng(seed), negative_slope=slope)
    domain = ([-1.0] * variables, [1.0] * variables)
    cost = cost_per_layer(net, depth, domain)
    assert 0 <= cost.lower <= cost.upper
    sums = [schatten_power(region.jacobian, 2 / depth) for region in linear_regions(net, domain)]
    assert cost.lower >= max(sums) * (1 - 1e-9)
    if slope < 0:
        assert cost.lower == pytest.approx(max(sums), rel=1e-9)
    assert (
        max(schatten_power(region.jacobian, 2 / 3) for region in linear_regions(net, domain))
        < net.squared_norm / 3
    )
    X = np.random.default_rng(seed).uniform(-1, 1, (100, variables))
    assert deepened(net, depth, domain)(X) == pytest.approx(net(X), abs=1e-10)
    smaller = cost_per_layer(net, depth, ([-0.5] * variables, [0.5] * variables))
    assert smaller.lower <= cost.upper


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_extent_is_kept_and_reached(seed, variables):
    for net in (
        random_network(variables, 4, 3, rng=default_rng(seed)),
        random_network(
            variables, 3, 3, 2, rng=default_rng(seed), kind="whole", negative_slope=-0.5
        ),
    ):
        low, high = -np.ones(variables), np.ones(variables) / 2
        reach = extent(net, low, high)
        values = net(np.random.default_rng(seed).uniform(low, high, (200, variables)))
        for (least, most), seen in zip(reach, values.T, strict=True):
            assert least - Fraction(1, 10**12) <= seen.min() and seen.max() <= most + Fraction(
                1, 10**12
            )
        if variables < 4:
            corners = np.vstack([region.vertices for region in linear_regions(net, (low, high))])
            ends = np.array([[float(end) for end in each] for each in reach]).T
            assert net(corners).min(0) == pytest.approx(ends[0], abs=1e-12)
            assert net(corners).max(0) == pytest.approx(ends[1], abs=1e-12)


def test_two_layer_networks_and_constants():
    assert cost_per_layer(TwoLayer([[1.0]], [1.0], [0.0]), 2, ([-1], [1])).value == pytest.approx(
        1.0
    )
    constant = cost_per_layer(DeepNet([[[0.0]]], [[0.5]]), 8, ([0], [1]))
    assert constant.lower == 0 and constant.upper * 8 == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("depth", "domain", "says"),
    [
        (2, SQUARE, "depth is 2, but net has 3 layers"),
        (2.5, SQUARE, "depth must be a whole number"),
        (4, ([0, 0], [0, 1]), "low < high"),
    ],
)
def test_bad_input_is_named(depth, domain, says, unchecked):
    with pytest.raises(ValueError, match=says):
        cost_per_layer(random_network(2, 3, 3, 1, rng=default_rng(0)), depth, domain)
