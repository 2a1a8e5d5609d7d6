"""A score is what a network pays, and zero miss is the function itself."""

from typing import Any, cast

import numpy as np
import pytest

from repcost import DeepNet, PiecewiseLinear, cost_per_layer, interpolate_line, rebalanced_norm
from repcost.bounds import Bracket
from repcost.constructions import folded_zigzag, unused_constant, used_constant
from repcost.datasets import cross_network, example_networks, random_network
from repcost.experiments.scoring import both_ways, known_on_line, score, score_bound, score_layers
from repcost.regions.on_the_line import as_piecewise_linear

SQUARE = ([-1.0, -1.0], [1.0, 1.0])
VEE = [(-1.0, 1.0), (0.0, 0.0), (1.0, 1.0)]
HAT = [(-1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]
LINE = [(-1.0, -1.0), (1.0, 1.0)]


def test_the_cheapest_known_network_scores_the_upper_end():
    tent = example_networks()["tent"]
    found = score(tent.network, tent.network, tent.domain)
    assert found.miss == 0 and found.depth == 2
    known = cost_per_layer(tent.network, 2, tent.domain)
    assert found.per_layer.upper == pytest.approx(known.upper, rel=1e-9)
    assert str(found) == f"2 layers pay {found.per_layer} each; off by 0 at most"
    # Scaling a unit changes neither.
    W, V = tent.network.weights
    scaled = tent.network.with_layers(
        [3 * W, V / 3], [3 * tent.network.biases[0], tent.network.biases[1]]
    )
    again = score(scaled, tent.network, tent.domain)
    assert again.per_layer.value == pytest.approx(found.per_layer.value) and again.miss < 1e-14


def test_another_function_is_missed_by_its_distance():
    cross = cross_network()
    zero = DeepNet([np.zeros((1, 2)), np.zeros((2, 1))], [[0.0], [0.0, 0.0]])
    # A shallower network is made as deep as the function's own; the cross is one in the corners.
    assert score(zero, cross, SQUARE).miss == pytest.approx(1)
    moved = cross.with_layers(cross.weights, [*cross.biases[:-1], np.array([0.0, 0.25])])
    found = score(moved, cross, SQUARE)
    assert found.miss == pytest.approx(0.25) and found.depth == 3


@pytest.mark.usefixtures("unchecked")
def test_what_is_no_network_is_refused_by_name():
    with pytest.raises(ValueError, match=r"\btarget\b"):
        score(cross_network(), cast(Any, 3), SQUARE)
    with pytest.raises(ValueError, match=r"\bnet\b"):
        score(cast(Any, "text"), cross_network(), SQUARE)


# ---- One variable ----


def joined(f: PiecewiseLinear) -> np.ndarray:
    x = np.unique([-1.0, *f.knots[np.abs(f.knots) < 1], 1.0])
    return np.column_stack([x, f(x)])


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_no_network_pays_less_than_its_slopes_both_ways(depth):
    rng = np.random.default_rng(depth)
    for _ in range(30):
        net = random_network(1, *[3] * (depth - 1), 1, rng=rng, biases=0.5)
        f = as_piecewise_linear(net)
        paid = rebalanced_norm(net).upper / depth
        assert both_ways(joined(f), depth) <= paid
    # All bends would be too much to ask: a zigzag that is folded pays less for them.
    zigzag = joined(as_piecewise_linear(folded_zigzag(4)))
    slopes = np.diff(zigzag[:, 1]) / np.diff(zigzag[:, 0])
    paid = rebalanced_norm(folded_zigzag(4)).upper / 5
    assert both_ways(zigzag, 5) < paid < np.abs(np.diff(slopes)).sum() ** (2 / 5)


@pytest.mark.parametrize("depth", [2, 3, 64])
def test_of_the_absolute_value_all_is_known(depth):
    cost = known_on_line(VEE, depth)
    assert cost.relative_gap < 1e-12 and cost.value == pytest.approx(2 ** (2 / depth))
    assert known_on_line(HAT, depth).lower == pytest.approx(2 ** (2 / depth))
    assert known_on_line(LINE, depth).lower == pytest.approx(2 ** (1 / depth))
    if depth == 2:
        x, y = np.array(VEE).T
        assert interpolate_line(x, y, biases="paid", output="paid").cost.lower <= cost.upper


def test_a_bound_that_is_over_a_network_is_told():
    functions = {"vee": VEE, "hat": HAT}
    known = {(name, 8): known_on_line(dots, 8) for name, dots in functions.items()}
    old = score_bound(both_ways, functions, known)
    assert old.closed == 0 and old.over <= 0
    new = score_bound(lambda points, depth: both_ways(points, depth) + 0.01, functions, known)
    assert 0 < new.closed < 1 and new.over == pytest.approx(0.01)
    assert str(new) == "no bound: 0.01 more than a network pays"
    assert str(old) == "closes 0.0% of a gap, and no network pays less"
    assert score_bound(lambda *_: -1.0, functions, known).closed == 0
    assert score_bound(lambda *_: 9.0, functions, known).closed == 1
    shut = {("vee", 2): Bracket(1.0, 1.0, "certified")}
    assert score_bound(lambda *_: 0.5, functions, shut).closed == 0


@pytest.mark.parametrize(
    "points", [[(-1, 0)], [(0, 0), (1, 1)], [(-1, 0), (-1, 0), (1, 0)], LINE[0]]
)
def test_points_that_are_no_function_there_are_refused(points):
    with pytest.raises(ValueError, match=r"\bpoints\b"):
        both_ways(points, 2)


# ---- Layers ----


def test_a_constant_that_nobody_uses_is_no_record():
    ends = [[0.0], [1.0]]
    assert score_layers(unused_constant(64), ends).ratio == 0
    found = score_layers(used_constant(64), ends)
    assert found.depth == 64 and found.centred == 0
    assert found.ratio > 0.39 and found.beyond < 5
    # What rescaling changes, it changes before it is scored.
    assert found.beyond == pytest.approx(rebalanced_norm(used_constant(64)).lower - 64)
    assert used_constant(64).squared_norm > 64 + found.beyond + 0.1
