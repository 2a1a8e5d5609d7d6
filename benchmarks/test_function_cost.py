"""The cost of a network with many units: ours, certified, against exact fractions and against a plain float sum.

Each group of the table is one problem; the numbers in brackets are the ratios within it.
"""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from repcost import TwoLayer, function_cost

UNITS = 10_000


@pytest.fixture(scope="module")
def network() -> TwoLayer:
    rng = np.random.default_rng(0)
    return TwoLayer(rng.choice([-1.0, 1.0], (UNITS, 1)), rng.normal(size=UNITS), rng.integers(-500, 500, UNITS))


def by_fractions(net: TwoLayer) -> Fraction:
    jumps, slopes = defaultdict(Fraction), Fraction(0)
    for w, a, b in zip(map(Fraction, net.W[:, 0]), map(Fraction, net.a), map(Fraction, net.b), strict=True):
        jumps[-b / w] += a * abs(w)
        slopes += a * w
    return max(sum(map(abs, jumps.values()), Fraction(0)), abs(slopes))


def by_float_sums(net: TwoLayer) -> float:
    """No certificate, and thresholds merged by rounded quotients."""
    w, a, b = net.W[:, 0], net.a, net.b
    _, kink = np.unique(-b / w, return_inverse=True)
    return float(max(np.abs(np.bincount(kink, a * np.abs(w))).sum(), abs(a @ w)))


@pytest.mark.benchmark(group=f"function_cost, {UNITS} units")
def test_ours(benchmark, network):
    assert benchmark(function_cost, network).relative_gap < 1e-15


@pytest.mark.benchmark(group=f"function_cost, {UNITS} units")
def test_theirs_exact_fractions(benchmark, network):
    assert benchmark.pedantic(by_fractions, (network,), rounds=3) in function_cost(network)


@pytest.mark.benchmark(group=f"function_cost, {UNITS} units")
def test_theirs_float_sums(benchmark, network):
    assert benchmark(by_float_sums, network) == pytest.approx(function_cost(network).value, rel=1e-12)
