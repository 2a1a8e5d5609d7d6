"""Phi_L of one network and of many: ours, certified, against a quasi-Newton and a conic solver."""

import cvxpy as cp
import numpy as np
import pytest
from benchmarks.duels import Rival, duel
from scipy.optimize import minimize

from repcost import TwoLayer, linear_layers_cost, linear_layers_costs

SIZES = [(10, 10), (100, 10), (1000, 10)]
QUASI_NEWTON = "twenty lines of scipy: L-BFGS on equation (14) of Ongie & Willett"


def problem(K, d):
    rng = np.random.default_rng(0)
    return rng.normal(size=(K, d)), rng.normal(size=K)


def by_quasi_newton(W, a, depth=3):
    """The log-convex form of (14), its gradient by one decomposition; no certificate."""
    q, M = 2 / (depth - 1), a[:, None] * W

    def objective(t):
        U, s, _ = np.linalg.svd(np.exp(t)[:, None] * M, full_matrices=False)
        powers, shares = s**q, np.exp(-2 * t)
        value = np.log(powers.sum()) / q + np.log(shares.sum()) / 2
        return value, U**2 @ (powers / powers.sum()) - shares / shares.sum()

    start = -np.log(np.linalg.norm(M, axis=1)) / 2
    options = {"maxiter": 5000, "maxfun": 10000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 30}
    return np.exp(
        minimize(objective, start, jac=True, method="L-BFGS-B", options=options).fun * 2 / depth
    )


def by_cone(W, a):
    """The dual of Lemma 3.8."""
    Q = cp.Variable(W.shape)
    inner = cp.sum(cp.multiply(Q, a[:, None] * W), axis=1)
    dual = cp.Problem(cp.Maximize(cp.sum(cp.power(inner, 2 / 3))), [cp.sigma_max(Q) <= 1])
    return dual.solve(solver="CLARABEL")


@pytest.mark.parametrize("K, d", SIZES)
def test_ours(benchmark, K, d):
    benchmark.group = f"linear_layers_cost, depth 3, {K} units in {d} variables"
    W, a = problem(K, d)
    net = TwoLayer(W, a)
    quasi_newton = Rival(QUASI_NEWTON, lambda: by_quasi_newton(W, a))
    cone = Rival("Lemma 3.8 as a cone programme, by cvxpy and Clarabel", lambda: by_cone(W, a))
    # With 1000 units the cone programme does not finish within a minute.
    rivals = [quasi_newton, cone] if K <= 100 else [quasi_newton]
    ours, *theirs = duel(benchmark, lambda: linear_layers_cost(net, 3), *rivals, rounds=3)
    assert ours.relative_gap < 1e-10
    for found in theirs:
        assert found == pytest.approx(ours.value, rel=1e-5)


@pytest.mark.parametrize("K, d", [(100_000, 10), (400, 400), (784, 784)])
def test_ours_large(benchmark, K, d):
    benchmark.group = f"linear_layers_cost, depth 3, {K} units in {d} variables"
    W, a = problem(K, d)
    net = TwoLayer(W, a)
    # In 784 variables a round of the rival takes longer than all else here.
    rivals = [Rival(QUASI_NEWTON, lambda: by_quasi_newton(W, a))] if d <= 400 else []
    ours, *theirs = duel(benchmark, lambda: linear_layers_cost(net, 3), *rivals, rounds=3)
    assert ours.relative_gap < 1e-7
    for found in theirs:
        assert found == pytest.approx(ours.value, rel=1e-7)


@pytest.mark.parametrize("depth", [3, 5, 50])
@pytest.mark.benchmark(group="linear_layers_cost, 1000 units in 100 variables")
def test_ours_by_depth(benchmark, depth):
    net = TwoLayer(*problem(1000, 100))
    assert benchmark.pedantic(linear_layers_cost, (net, depth), rounds=3).relative_gap < 1e-10


@pytest.mark.parametrize("depth", [3, 5, 50])
@pytest.mark.benchmark(group="linear_layers_cost, 10 units in 10 variables, by depth")
def test_ours_deep(benchmark, depth):
    net = TwoLayer(*problem(10, 10))
    assert benchmark(linear_layers_cost, net, depth).relative_gap < 1e-10


@pytest.mark.benchmark(
    group="linear_layers_cost, depth 3, 10,000 problems of 10 units in 3 variables"
)
def test_ours_batch(benchmark):
    rng = np.random.default_rng(0)
    W, a = rng.normal(size=(10_000, 10, 3)), rng.normal(size=(10_000, 10))
    costs = benchmark.pedantic(linear_layers_costs, (W, a, 3), rounds=2)
    assert costs.relative_gap.max() < 1e-10
