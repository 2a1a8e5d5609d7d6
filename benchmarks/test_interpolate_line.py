"""Data in one variable: ours, certified, against a linear programme and a cone programme."""

import cvxpy as cp
import numpy as np
import pytest
from benchmarks.duels import Rival, duel
from scipy import sparse
from scipy.optimize import linprog
from splineops.adaptive_regression_splines.sparsification import sparsest_interpolant

from repcost import interpolate_line, regularised_fit

POINTS, STRENGTH = 100, 0.1
TREND = "a sparse cone programme in second differences, by cvxpy and Clarabel"
RAMPS = "a cone programme over all ramps, by cvxpy and Clarabel"
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


def by_trend_filter(x, y):
    """The values at the points as unknowns, and second differences: sparse, so it goes further."""
    order = np.argsort(x)
    x, y, n = x[order], y[order], len(x)
    steps = sparse.eye_array(n - 1, n, k=1) - sparse.eye_array(n - 1, n)
    values = cp.Variable(n)
    slopes = sparse.diags_array(1 / np.diff(x)) @ steps @ values
    cost = cp.maximum(cp.norm1(slopes[1:] - slopes[:-1]), cp.abs(slopes[0] + slopes[-1]))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(values - y) / 2 + STRENGTH * cost))
    return problem.solve(solver=cp.CLARABEL)


@pytest.mark.benchmark(group=INTERPOLANT)
def test_ours(benchmark, data):
    rival = Rival("a linear programme over all ramps, by HiGHS", lambda: by_linear_programme(*data))
    ours, theirs = duel(benchmark, lambda: interpolate_line(*data).cost, rival)
    assert ours.relative_gap < 1e-12 and theirs == pytest.approx(ours.value, rel=1e-6)


@pytest.mark.benchmark(group=SPARSEST)
def test_ours_sparsest(benchmark, data):
    rival = Rival("the sparsest interpolant of splineops", lambda: sparsest_interpolant(*data)[0])
    ours, theirs = duel(benchmark, lambda: interpolate_line(*data).sparsest.knots, rival)
    # Ours count the end points too, where the two ends bend against each other.
    assert len(ours) < POINTS and abs(len(theirs) - len(ours)) <= 1


@pytest.mark.parametrize("count", [100, 1_000, 10_000, 100_000])
def test_ours_regularised(benchmark, count):
    benchmark.group = f"regularised_fit, {count} points"
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 10, count), rng.normal(size=count)
    # At 100,000 points Clarabel gives up.
    rivals = [Rival(TREND, lambda: by_trend_filter(x, y))] if count <= 10_000 else []
    if count <= 100:
        rivals.append(Rival(RAMPS, lambda: by_cone_programme(x, y)))
    ours, *theirs = duel(benchmark, lambda: regularised_fit(x, y, STRENGTH).objective, *rivals)
    assert ours.relative_gap < 1e-8
    for found in theirs:
        assert found == pytest.approx(ours.value, rel=1e-5)


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
