"""Certified shallow optima: ours against the conic programme over all activation patterns, which
has no certificate.

Each group of the table is one problem; the numbers in brackets are the ratios within it.
"""

import cvxpy as cp
import numpy as np
import pytest

from repcost import DeepNet, prune, shallow_cost, shallow_optimum
from repcost.shallow.arrangements import sign_vectors, whole_rows

SIZES = [(8, 1), (12, 1), (8, 2)]


def problem(N, d, m=1):
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, d)), rng.normal(size=(N, m))


def by_cone(X, y, strength):
    """Pilanci & Ergen (2020): two cones per pattern."""
    Xt = np.column_stack([X, np.ones(len(X))])
    signs = sign_vectors(whole_rows(Xt), 50_000)
    assert signs is not None
    output, paid, cones = (b := cp.Variable()), cp.square(b), []
    for pattern in signs[(signs != 0).all(axis=1)] > 0:
        for sign in (1, -1):
            u = cp.Variable(Xt.shape[1])
            cones.append(cp.multiply(2.0 * pattern - 1, Xt @ u) >= 0)
            output, paid = output + sign * cp.multiply(1.0 * pattern, Xt @ u), paid + 2 * cp.norm(u)
    objective = cp.sum_squares(output - y) / len(X) + strength * paid
    return cp.Problem(cp.Minimize(objective), cones).solve(solver="CLARABEL")


@pytest.mark.parametrize("N, d", SIZES)
def test_ours(benchmark, N, d):
    benchmark.group = f"shallow_optimum, {N} points in {d} variables"
    assert benchmark(shallow_optimum, *problem(N, d), 0.01).loss.relative_gap < 1e-6


@pytest.mark.parametrize("N, d", SIZES)
def test_theirs(benchmark, N, d):
    benchmark.group = f"shallow_optimum, {N} points in {d} variables"
    X, Y = problem(N, d)
    found = benchmark.pedantic(by_cone, (X, Y[:, 0], 0.01), rounds=2)
    assert found == pytest.approx(shallow_optimum(X, Y, 0.01).loss.value, rel=1e-5)


@pytest.mark.parametrize("N, d, m", [(100, 1, 1), (12, 2, 3), (40, 2, 2), (15, 3, 2)])
@pytest.mark.benchmark(group="shallow_optimum, larger")
def test_ours_larger(benchmark, N, d, m):
    assert (
        benchmark.pedantic(shallow_optimum, (*problem(N, d, m), 0.001), rounds=1).loss.relative_gap
        < 1e-6
    )


@pytest.mark.parametrize("N, d, m", [(12, 1, 1), (12, 1, 2), (12, 2, 1)])
@pytest.mark.benchmark(group="shallow_cost")
def test_cost(benchmark, N, d, m):
    assert benchmark.pedantic(shallow_cost, problem(N, d, m), rounds=1).relative_gap < 1e-6


@pytest.mark.benchmark(group="prune, 50 points and 2 outputs")
def test_pruning(benchmark):
    rng = np.random.default_rng(0)
    net = DeepNet(
        [rng.normal(size=(1000, 5)), rng.normal(size=(2, 1000))],
        [rng.normal(size=1000), rng.normal(size=2)],
    )
    assert benchmark.pedantic(prune, (net, problem(50, 5)[0]), rounds=2).widths[1] <= 100
