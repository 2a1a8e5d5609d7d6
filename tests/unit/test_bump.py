"""The bump against integrals over spheres and against what is known in three dimensions."""

import numpy as np
import pytest

from repcost import function_cost
from repcost.constructions import (
    average_curvature,
    ball_volume,
    bump_network,
    even_directions,
    radial_bump,
    sphere_area,
)


def test_areas_and_volumes():
    assert sphere_area(np.arange(1, 5)) == pytest.approx([2, 2 * np.pi, 4 * np.pi, 2 * np.pi**2])
    assert ball_volume(np.arange(4)) == pytest.approx([1, 2, np.pi, 4 * np.pi / 3])
    d = np.arange(1, 9)
    assert d * ball_volume(d) == pytest.approx(sphere_area(d))


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_directions_are_even(d):
    n = even_directions(d, 12, np.random.default_rng(0))
    assert n.shape == (4096, d) and np.linalg.norm(n, axis=1) == pytest.approx(1)
    assert n.T @ n / len(n) == pytest.approx(np.eye(d) / d, abs=2e-3)


@pytest.mark.parametrize("d", [2, 3, 4, 6])
def test_the_bump_is_the_integral_of_ridges(d):
    n = even_directions(d, 14, np.random.default_rng(1))
    for r in (0.0, 0.4, 1.0, 3.0):
        ridges = np.maximum(1 - np.abs(r * n[:, 0]), 0)
        assert radial_bump(r, d) == pytest.approx(sphere_area(d) * ridges.mean(), rel=5e-3)


def test_the_bump_in_three_dimensions_is_a_cone_in_a_potential():
    inside, outside = np.linspace(0, 1, 11), np.linspace(1, 9, 17)
    assert radial_bump(inside, 3) == pytest.approx(4 * np.pi - 2 * np.pi * inside)
    assert radial_bump(outside, 3) == pytest.approx(2 * np.pi / outside)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_network_is_the_sum_of_ridges_and_costs_four_areas(d):
    w = even_directions(d, 5, np.random.default_rng(2))
    w = w if d > 1 else np.ones((1, 1))
    net, X = bump_network(w), np.random.default_rng(3).normal(size=(20, d))
    ridges = np.maximum(1 - np.abs(X @ w.T), 0).mean(axis=1)
    assert net(X) == pytest.approx(sphere_area(d) * ridges, abs=1e-12)
    assert function_cost(net).value == pytest.approx(4 * sphere_area(d), rel=1e-12)


def test_its_average_curvature_in_three_dimensions():
    """h is 4 pi - 2 pi r and then 2 pi / r, so both integrals are known."""
    for r in (1.5, 10.0, 1e3):
        known = (8 * np.pi**2 + 32 * np.pi**2 * np.log(r)) / r**2
        assert average_curvature(r, 3) == pytest.approx(known, rel=1e-8)


@pytest.mark.parametrize("d", [2, 4])
def test_its_average_curvature_by_differences(d):
    """The nuclear norm is |h''| + (d - 1) |h'| / r."""
    r, step = np.linspace(1e-4, 20, 400_001), 1e-4
    after, here, before = (radial_bump(r + s, d) for s in (step, 0, -step))
    radial, across = (after - 2 * here + before) / step**2, (after - before) / (2 * step * r)
    norm = np.abs(radial) + (d - 1) * np.abs(across)
    measured = sphere_area(d) * np.trapezoid(norm * r ** (d - 1), r) / 20 ** (d - 1)
    assert average_curvature(20.0, d) == pytest.approx(measured, rel=5e-3)
