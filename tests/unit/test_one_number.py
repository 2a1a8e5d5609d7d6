"""One number against the identity: bounds against all orders of few values, crossings both ways."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from repcost import Bracket
from repcost.constructions import (
    identity_cheaper_until,
    one_number_cheaper_from,
    through_one_number,
    unavoidable_slope,
)
from repcost.ends import farther_end

RNG = np.random.default_rng(0)


def test_the_slope_is_that_of_the_shortest_of_all_paths():
    X, Y = RNG.normal(size=(6, 3)), RNG.normal(size=(6, 2))
    paths = [
        sum(np.linalg.norm(Y[i] - Y[j]) for i, j in pairwise(order))
        for order in permutations(range(6))
    ]
    widest = max(np.linalg.norm(x - z) for x in X for z in X)
    assert unavoidable_slope(X, Y) == pytest.approx(min(paths) / widest)
    assert unavoidable_slope(X, Y) < min(paths) / widest


def test_no_fit_through_one_number_is_less_steep():
    for _ in range(20):
        X, unit = RNG.random((7, 2)), RNG.normal(size=2)
        net = through_one_number(X, X, unit / np.linalg.norm(unit))
        steepest = np.linalg.norm(net.jacobians(RNG.random((500, 2))), 2, axis=(1, 2)).max()
        assert unavoidable_slope(X, X) <= max(
            steepest, np.linalg.norm(net.jacobians(X), 2, axis=(1, 2)).max()
        )


@pytest.mark.parametrize("slope", [0.5, 1.0, 1.5, 2.0, 7.9, 8.0, 300.0])
def test_up_to_that_depth_and_no_further(slope):
    last = identity_cheaper_until(slope)
    assert all(slope ** (2 / L) > 2 for L in range(1, last + 1))
    assert slope ** (2 / (last + 1)) <= 2 * (1 + 1e-12)


def test_a_crossing_has_a_network_on_its_cheap_side_only():
    X = RNG.random((5, 2))
    found = one_number_cheaper_from(X)
    assert found.network.depth == found.depth and found.at_half.depth == found.depth // 2
    assert found.network(X) == pytest.approx(X, abs=1e-9)
    assert found.network.squared_norm < 2 * found.depth
    assert found.at_half.squared_norm > 2 * (found.depth // 2)
    assert identity_cheaper_until(unavoidable_slope(X, X)) < found.depth


def test_the_farther_end():
    brackets = Bracket(1, 2, "exact"), Bracket(2.5, 3, "exact")
    assert farther_end(2, *brackets) == 1
    assert farther_end(2, Bracket(2, 2, "exact")) == 0
    assert farther_end(3, *brackets) == 2
