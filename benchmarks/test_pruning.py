"""Pruning a wide layer to what Carathéodory's theorem needs."""

import numpy as np
import pytest

from repcost import prune
from repcost.datasets import random_network


@pytest.mark.benchmark(group="prune, 50 points and 2 outputs")
def test_pruning(benchmark):
    net = random_network(5, 1000, 2, rng=np.random.default_rng(0))
    X = np.random.default_rng(0).normal(size=(50, 5))
    assert benchmark.pedantic(prune, (net, X), rounds=2).widths[1] <= 100
