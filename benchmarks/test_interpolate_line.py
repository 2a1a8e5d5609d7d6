"""Data in one variable: ours, certified, against a linear programme and a cone programme.

Each group of the table is one problem; the numbers in brackets are the ratios within it.
"""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog
from splineops.adaptive_regression_splines.sparsification import sparsest_interpolant

from repcost import interpolate_line, regularised_fit

POINTS, STRENGTH = 100, 0.1
FIT = f"regularised_fit, {POINTS} points"
INTERPOLANT = f"interpolate_line, {POINTS} points"
SPARSEST = f"interpolate_line, the sparsest of {POINTS} points"


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return np.sort(rng.uniform(0, 10, POINTS)), rng.normal(size=POINTS)


def ramps(x):
    """The units that bend at the points, both ways: a cheapest network needs no others."""
    over = np.subtract.outer(x, x)
    return np.maximum(np.hstack([over, -over]), 0)


def by_linear_programme(x, y):
    A, free = ramps(x), np.ones((len(x), 1))
    costs = np.append(np.ones(2 * A.shape[1]), [0, 0])
    return linprog(costs, A_eq=np.hstack([A, -A, free, -free]), b_eq=y, method="highs").fun


def by_cone_programme(x, y):
    a, c = cp.Variable(2 * len(x)), cp.Variable()
    loss = cp.sum_squares(ramps(x) @ a + c - y) / 2
    return cp.Problem(cp.Minimize(loss + STRENGTH * cp.norm1(a))).solve(solver=cp.CLARABEL)


@pytest.mark.benchmark(group=INTERPOLANT)
def test_ours(benchmark, data):
    assert benchmark(lambda: interpolate_line(data[0], data[1]).cost).relative_gap < 1e-12


@pytest.mark.benchmark(group=INTERPOLANT)
def test_theirs_linear_programme(benchmark, data):
    found = benchmark.pedantic(by_linear_programme, data, rounds=3)
    assert found == pytest.approx(interpolate_line(data[0], data[1]).cost.value, rel=1e-6)


@pytest.mark.benchmark(group=SPARSEST)
def test_ours_sparsest(benchmark, data):
    assert len(benchmark(lambda: interpolate_line(*data).sparsest).knots) < POINTS


@pytest.mark.benchmark(group=SPARSEST)
def test_theirs_splineops(benchmark, data):
    knots = benchmark(sparsest_interpolant, *data)[0]
    # Ours count the end points too, where the two ends bend against each other.
    assert abs(len(knots) - len(interpolate_line(*data).sparsest.knots)) <= 1


@pytest.mark.benchmark(group=FIT)
def test_ours_regularised(benchmark, data):
    assert (
        benchmark(lambda: regularised_fit(data[0], data[1], STRENGTH).objective).relative_gap < 1e-6
    )


@pytest.mark.benchmark(group=FIT)
def test_theirs_cone_programme(benchmark, data):
    found = benchmark.pedantic(by_cone_programme, data, rounds=3)
    assert found == pytest.approx(
        regularised_fit(data[0], data[1], STRENGTH).objective.value, rel=1e-5
    )


@pytest.mark.benchmark(group="regularised_fit, many points")
@pytest.mark.parametrize("count", [1_000, 100_000])
def test_ours_many_regularised(benchmark, count):
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 10, count), rng.normal(size=count)
    found = benchmark.pedantic(lambda: regularised_fit(x, y, STRENGTH).objective, rounds=3)
    assert found.relative_gap < 1e-8


@pytest.mark.benchmark(group="interpolate_line and its certificate, a million points")
def test_ours_many(benchmark):
    rng = np.random.default_rng(0)
    x, y = rng.uniform(size=10**6), rng.normal(size=10**6)

    def both():
        fit = interpolate_line(x, y)
        return fit.cost, fit.certificate

    cost, certificate = benchmark.pedantic(both, rounds=3)
    order = np.argsort(x)
    assert certificate @ y[order] == pytest.approx(cost.value, rel=1e-6)
