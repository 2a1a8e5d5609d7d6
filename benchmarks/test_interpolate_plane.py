"""The cheapest networks through points of the plane: ours, certified, and a dictionary of units.

Each group of the table is one problem; the numbers in brackets are the ratios within it.
"""

import numpy as np
import pytest
from scipy.optimize import linprog

from repcost import interpolate_plane


def problem(n):
    rng = np.random.default_rng(n)
    return rng.normal(size=(n, 2)), rng.normal(size=n)


def by_dictionary(X, y, directions=400):
    """Thresholds at the points and directions at equal angles, by HiGHS: an upper bound only."""
    angles = 2 * np.pi * np.arange(directions) / directions
    t = X @ np.stack([np.cos(angles), np.sin(angles)])
    sums = np.maximum(t[:, None] - t, 0).reshape(len(y), -1)
    ones = np.ones((len(y), 1))
    costs = np.append(np.ones(2 * sums.shape[1]), [0, 0])
    return linprog(costs, A_eq=np.hstack([sums, -sums, ones, -ones]), b_eq=y, method="highs").fun


@pytest.fixture(scope="module", params=[6, 12, 24])
def n(request):
    """Of the module, so that ours and theirs of one size take turns."""
    return request.param


def test_ours(benchmark, n):
    benchmark.group = f"interpolate_plane, depth 2, {n} points"
    assert benchmark(interpolate_plane, *problem(n)).cost.relative_gap < 1e-9


def test_theirs_dictionary(benchmark, n):
    benchmark.group = f"interpolate_plane, depth 2, {n} points"
    found = benchmark.pedantic(by_dictionary, problem(n), rounds=3)
    assert found == pytest.approx(interpolate_plane(*problem(n)).cost.value, rel=5e-3)


@pytest.mark.parametrize("points", [24, 48, 96])
@pytest.mark.benchmark(group="interpolate_plane, depth 2, by points")
def test_ours_many(benchmark, points):
    cost = benchmark.pedantic(interpolate_plane, problem(points), rounds=2).cost
    assert cost.relative_gap < 1e-9


@pytest.mark.parametrize("rtol", [2e-2, 2e-3, 5e-4])
@pytest.mark.benchmark(group="interpolate_plane, depth 3, 6 points, by gap")
def test_ours_deep(benchmark, rtol):
    X, y = problem(6)
    cost = benchmark.pedantic(interpolate_plane, (X, y, 3), {"rtol": rtol}, rounds=1).cost
    assert cost.lower >= cost.upper * (1 - 1.001 * rtol)


@pytest.mark.parametrize("depth", [3, 4])
@pytest.mark.parametrize("points", [6, 12])
def test_ours_by_depth(benchmark, depth, points):
    benchmark.group = f"interpolate_plane, {points} points, by depth"
    cost = benchmark.pedantic(interpolate_plane, (*problem(points), depth), rounds=1).cost
    assert (cost.lower / cost.upper) ** (depth / 2) > 1 - 2.01e-3
