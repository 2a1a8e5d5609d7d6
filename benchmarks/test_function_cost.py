"""The cost of a network with many units: against fractions, float sums and a cone programme."""

from collections import defaultdict
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from benchmarks.duels import Rival, duel

from repcost import TwoLayer, function_cost

UNITS = 10_000
LINE = f"function_cost, {UNITS} units"
MANY = "function_cost, 1000000 units"
PAIRS = "function_cost, 1000000 units, two on each kink"
FLOATS = "five lines of numpy: sums in floats"
SPACE = "function_cost, 300 units of 5 variables, 150 hyperplanes"


@pytest.fixture(scope="module")
def network() -> TwoLayer:
    rng = np.random.default_rng(0)
    return TwoLayer(
        rng.choice([-1.0, 1.0], (UNITS, 1)), rng.normal(size=UNITS), rng.integers(-500, 500, UNITS)
    )


@pytest.fixture(scope="module")
def in_space() -> TwoLayer:
    """Two units on each hyperplane nearly cancel: the linear part needs a solver."""
    rng = np.random.default_rng(1)
    W, b, a = rng.normal(size=(150, 5)), rng.normal(size=150), rng.normal(size=150)
    return TwoLayer(np.vstack([W, -W]), np.append(a, -0.9 * a), np.append(b, -b))


def by_fractions(net: TwoLayer) -> Fraction:
    jumps, slopes = defaultdict(Fraction), Fraction(0)
    for w, a, b in zip(
        map(Fraction, net.W[:, 0]), map(Fraction, net.a), map(Fraction, net.b), strict=True
    ):
        jumps[-b / w] += a * abs(w)
        slopes += a * w
    return max(sum(map(abs, jumps.values()), Fraction(0)), abs(slopes))


def by_float_sums(net: TwoLayer) -> float:
    """No certificate, and thresholds merged by rounded quotients."""
    w, a, b = net.W[:, 0], net.a, net.b
    _, kink = np.unique(-b / w, return_inverse=True)
    return float(max(np.abs(np.bincount(kink, a * np.abs(w))).sum(), abs(a @ w)))


def by_cvxpy(net: TwoLayer) -> float:
    """No certificate, and hyperplanes merged by rounded quotients."""
    _, first, plane = np.unique(
        (np.column_stack([net.W, net.b]) / net.W[:, :1]).round(9),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    lengths = np.linalg.norm(net.W, axis=1)
    masses = np.bincount(plane.ravel(), net.a * lengths)
    shares = cp.Variable(len(first))
    bends = (masses / lengths[first])[:, None] * net.W[first]
    problem = cp.Problem(
        cp.Minimize(cp.norm(net.a @ net.W - bends.T @ shares)), [cp.abs(shares) <= 1]
    )
    return np.abs(masses).sum() + problem.solve(solver=cp.CLARABEL)


@pytest.mark.benchmark(group=LINE)
def test_ours(benchmark, network):
    fractions = Rival("Python's fractions, exact", lambda: by_fractions(network), proved=True)
    floats = Rival(FLOATS, lambda: by_float_sums(network))
    ours, exact, rounded = duel(benchmark, lambda: function_cost(network), fractions, floats)
    assert ours.relative_gap < 1e-15 and exact in ours
    assert rounded == pytest.approx(ours.value, rel=1e-12)


@pytest.mark.benchmark(group=PAIRS)
def test_ours_in_pairs(benchmark):
    rng = np.random.default_rng(0)
    kinks = np.repeat(rng.normal(size=10**6 // 2), 2) * np.tile([1, -1], 10**6 // 2)
    W = np.tile([[1.0], [-1.0]], (10**6 // 2, 1))
    net = TwoLayer(W, rng.normal(size=10**6), kinks)
    floats = Rival(FLOATS, lambda: by_float_sums(net))
    ours, rounded = duel(benchmark, lambda: function_cost(net), floats)
    assert ours.relative_gap < 1e-15 and rounded == pytest.approx(ours.value, rel=1e-9)


@pytest.mark.benchmark(group=MANY)
@pytest.mark.parametrize("dimension", [1, 2])
def test_a_million_units(benchmark, dimension):
    rng = np.random.default_rng(2)
    net = TwoLayer(rng.normal(size=(10**6, dimension)), *rng.normal(size=(2, 10**6)))
    assert benchmark.pedantic(function_cost, (net,), rounds=5).relative_gap < 1e-14


@pytest.mark.benchmark(group=SPACE)
def test_ours_in_space(benchmark, in_space):
    cone = Rival("a second-order cone programme, by cvxpy and Clarabel", lambda: by_cvxpy(in_space))
    ours, theirs = duel(benchmark, lambda: function_cost(in_space), cone)
    assert ours.relative_gap < 1e-12 and theirs == pytest.approx(ours.value, rel=1e-7)
