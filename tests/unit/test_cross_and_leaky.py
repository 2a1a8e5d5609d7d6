"""The walk along the cross, and activations that are leaky ones."""

from fractions import Fraction

import numpy as np
import pytest

from repcost.constructions import as_leaky, cross_walk, cross_walk_times
from repcost.datasets import cross_network, example_networks


def test_the_walk_comes_by_every_value_of_the_cross():
    X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    Y = np.vstack([cross_network()(X), [[0, 0], [1, 1], [-1, 1], [-1, -1], [1, -1]]])
    times = cross_walk_times(Y)
    assert cross_walk(times) == pytest.approx(Y, abs=1e-14)
    assert times.min() >= 0 and times.max() <= 6 * 2**0.5


def test_the_walk_has_speed_one_and_stands_at_its_ends():
    t = np.linspace(0, 6 * 2**0.5, 601)
    assert np.linalg.norm(np.diff(cross_walk(t), axis=0), axis=1) == pytest.approx(np.diff(t))
    assert (cross_walk([-1.0, 9.0]) == [[1, 1], [1, -1]]).all()


@pytest.mark.parametrize("Y", [[[1.0, 0.5]], [[2.0, 2.0]], [[1.0, 1.0, 1.0]]])
def test_what_is_not_on_the_cross_has_no_time(Y):
    with pytest.raises(ValueError, match="Y must have rows"):
        cross_walk_times(Y)


@pytest.mark.parametrize(("right", "left"), [(3, -5), (-2, 1), (0, 4), (7, 0.5), (-1, -9)])
def test_activations_with_two_slopes_are_leaky_ones(right, left):
    c, a, b = as_leaky(right, left)
    assert abs(c) == 1 and abs(a) < 1
    for t in (Fraction(-7, 3), Fraction(0), Fraction(2)):
        assert c * (b * t if b * t >= 0 else a * b * t) == (right if t >= 0 else Fraction(left)) * t


@pytest.mark.parametrize(("right", "left"), [(1, 1), (2, -2), (0, 0)])
def test_lines_and_absolute_values_are_no_leaky_ones(right, left):
    with pytest.raises(ValueError, match="right and left must differ in size"):
        as_leaky(right, left)


def test_points_of_an_example_lie_in_its_domain_everywhere():
    for example in example_networks().values():
        X, (low, high) = example.points(400, np.random.default_rng(1)), example.domain
        assert (low <= X).all() and (high >= X).all()
        assert np.ptp(X, axis=0) == pytest.approx(high - low, rel=0.05)
        assert example.ranks == {example.jacobian_rank, example.bottleneck_rank}
