"""Ranks of networks: ours, proved from both sides, against ranks of Jacobians in floats."""

import numpy as np
import pytest
from benchmarks.duels import Rival, duel

from repcost import DeepNet, bottleneck_rank, jacobian_rank
from repcost.datasets import random_network

# Digits in, classes out; then small networks, whose regions in three variables are many.
WIDTHS = [(784, 32, 10), (784, 1024, 1024, 10), (3, 8, 8, 3), (3, 8, 8, 8, 3)]


def problem(widths: tuple[int, ...]) -> tuple[DeepNet, tuple[np.ndarray, np.ndarray]]:
    net = random_network(*widths, rng=np.random.default_rng(0), kind="scaled")
    return net, (-np.ones(widths[0]), np.ones(widths[0]))


def at_ten_points(net: DeepNet) -> int:
    """The largest rank seen, by numpy's rule for which singular values are zero."""
    X = np.random.default_rng(0).uniform(-1, 1, (10, net.widths[0]))
    return int(np.linalg.matrix_rank(net.jacobians(X)).max())


def in_the_middle(net: DeepNet) -> int:
    """The least rank of the weights: through so many numbers the network passes."""
    return min(int(np.linalg.matrix_rank(W)) for W in net.weights)


@pytest.mark.parametrize("widths", WIDTHS, ids=str)
def test_jacobian_rank(benchmark, widths):
    benchmark.group = f"jacobian_rank, {'-'.join(map(str, widths))}"
    net, domain = problem(widths)
    rival = Rival(
        "numpy's ranks of Jacobians at ten points: no upper end", lambda: at_ten_points(net)
    )
    ours, theirs = duel(benchmark, lambda: jacobian_rank(net, domain), rival)
    assert ours.lower == ours.upper == theirs


@pytest.mark.parametrize("widths", WIDTHS, ids=str)
def test_bottleneck_rank(benchmark, widths):
    benchmark.group = f"bottleneck_rank, {'-'.join(map(str, widths))}"
    net, domain = problem(widths)
    rival = Rival(
        "numpy's ranks of Jacobians at ten points, and of weights",
        lambda: (at_ten_points(net), in_the_middle(net)),
    )
    ours, theirs = duel(benchmark, lambda: bottleneck_rank(net, domain), rival)
    assert (ours.lower, ours.upper) == theirs
