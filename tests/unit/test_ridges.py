"""Functions of one number against numpy's interpolation and the certified costs."""

import numpy as np
import pytest

from repcost import PiecewiseLinear, function_cost, interpolate_line
from repcost.constructions import carried_interpolant, dots_along, rank_one_interpolant, ridge
from repcost.datasets import random_spline


def random_dots(rng: np.random.Generator, n: int = 7, d: int = 3, m: int = 2):
    u = rng.normal(size=d)
    return rng.normal(size=(n, d)), rng.normal(size=(n, m)), u / np.linalg.norm(u)


def joined(X, Y, u, at):
    """The values that numpy's interpolation gives, constant before the first point."""
    order = np.argsort(X @ u)
    return np.column_stack([np.interp(at, (X @ u)[order], y[order]) for y in Y.T])


def test_a_ridge_is_its_function_along_the_direction_at_its_cost():
    rng, u = np.random.default_rng(0), np.array([0.6, -0.8])
    X = rng.uniform(-50, 80, (200, 2))
    for g in (random_spline(rng, range(1, 9)) for _ in range(50)):
        net = ridge(g, u)
        assert net(X) == pytest.approx(g(X @ u), abs=1e-9)
        cost = function_cost(g).value
        assert net.path_norm == pytest.approx(cost, abs=1e-9)
        assert function_cost(net).value == pytest.approx(cost, rel=1e-9, abs=1e-9)
        assert np.all(net.a != 0) and np.linalg.norm(net.W, axis=1) == pytest.approx(1)


def test_a_ridge_that_is_flat_on_the_left_has_a_unit_for_each_bend():
    g = PiecewiseLinear([0.0, 1.0, 3.0], [1e-12, 2.0, -1.0, 0.0], (0.0, 4.0))
    net = ridge(g, [1.0])
    assert net.width == 3 and np.all(net.W == 1) and net.c == 4.0
    assert ridge(PiecewiseLinear([], [2.0]), [1.0])([3.0]).tolist() == [6.0]


def test_the_cheapest_fit_along_a_direction_fits():
    X, Y, u = random_dots(np.random.default_rng(1), m=1)
    fit = interpolate_line(X @ u, Y[:, 0])
    net = ridge(fit.function, u)
    assert net(X) == pytest.approx(Y[:, 0], abs=1e-9)
    assert net.path_norm == pytest.approx(fit.cost.value, rel=1e-9)


@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize("depth", [2, 3, 6])
def test_the_dots_are_joined(depth, slope):
    rng = np.random.default_rng(depth)
    X, Y, u = random_dots(rng)
    if depth == 2:
        net = rank_one_interpolant(X, Y, u)
    else:
        net = carried_interpolant(X, Y, u, depth, slope)
    assert net.depth == depth and net(X) == pytest.approx(Y, abs=1e-9)
    low, high = np.sort(X @ u)[[0, -1]]
    inside = X[rng.integers(7, size=60)] + 0.3 * rng.normal(size=(60, 3))
    numbers = inside @ u
    inside = inside[(low < numbers) & (numbers < high)]
    assert len(inside) > 20
    assert net(inside) == pytest.approx(joined(X, Y, u, inside @ u), abs=1e-9)
    ranks = np.linalg.matrix_rank(net.jacobians(inside), tol=1e-9)
    assert ranks.max() == 1


def test_one_number_is_carried_by_one_unit_a_layer():
    X, Y, u = random_dots(np.random.default_rng(5))
    assert carried_interpolant(X, Y, u, 6).widths == (3, 1, 1, 1, 1, 6, 2)
    with pytest.raises(ValueError, match="depth must be at least 3"):
        carried_interpolant(X, Y, u, 2)


def test_dots_are_in_order_and_told_apart():
    X, Y, u = random_dots(np.random.default_rng(6))
    dots = dots_along(X, Y, u)
    assert np.all(np.diff(dots.places) > 0) and dots.slopes.shape == (6, 2)
    assert dots.slopes[2] == pytest.approx(
        (dots.values[3] - dots.values[2]) / (dots.places[3] - dots.places[2])
    )
    with pytest.raises(ValueError, match="u must tell the points apart"):
        dots_along(np.array([[1.0, 0.0], [1.0, 5.0]]), Y[:2], [1.0, 0.0])
