"""The cost with linear layers as a path norm after a linear map: attained, and never below."""

import numpy as np
import pytest

from repcost import TwoLayer, linear_layers_cost
from repcost.costs.linear_layers import best_metric, metric_lengths

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("depth", [2, 3, 5, 20])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_the_best_metric_gives_the_cost_and_another_gives_more(depth, rank):
    W = RNG.normal(size=(5, rank)) @ RNG.normal(size=(rank, 3))
    net = TwoLayer(W, RNG.normal(size=5))
    rows = net.a[:, None] * net.W
    T = best_metric(net, depth)
    cost = linear_layers_cost(net, depth).lower ** (depth / 2)
    assert np.isclose(np.trace(T), 1) and np.linalg.matrix_rank(T, tol=1e-9) == rank
    assert np.isclose(metric_lengths(rows, T, depth).sum(), cost, rtol=1e-7)
    other = metric_lengths(rows, np.eye(3) / 3, depth).sum()
    assert other > 1.001 * cost if depth > 2 else np.isclose(other, cost)


def test_rows_off_the_span_are_infinitely_long():
    T = np.diag([1.0, 0.0])
    assert metric_lengths([[2.0, 0.0], [1.0, 1.0]], T, 4).tolist() == [2.0, np.inf]


def test_what_is_refused():
    with pytest.raises(ValueError, match="units without weights"):
        best_metric(TwoLayer(np.eye(2), [1.0, 0.0]), 3)
    with pytest.raises(ValueError, match="T must be symmetric"):
        metric_lengths(np.eye(2), [[1.0, 0.5], [0.0, 1.0]], 3)
