"""Pruned networks: the same outputs, no more cost, no more neurons than Carathéodory needs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from repcost import DeepNet, prune
from repcost.datasets import random_network
from repcost.shallow import basic_weights


def random_net(*widths, seed=0, negative_slope=0.0):
    rng = np.random.default_rng(seed)
    return random_network(*widths, rng=rng, negative_slope=negative_slope)


def points(N, d, seed=0):
    return np.random.default_rng([N, d, seed]).normal(size=(N, d))


@pytest.mark.parametrize(
    ("N", "widths", "most"),
    [(5, (1, 60, 1), 5), (5, (2, 60, 1), 5), (6, (3, 80, 2), 12), (4, (2, 7, 40, 3), 12)],
)
def test_no_more_neurons_than_points_times_outputs(N, widths, most):
    net, X = random_net(*widths), points(N, widths[0])
    small = prune(net, X)
    assert small.widths[-2] <= most
    assert small.widths[:-2] == widths[:-2]
    assert small(X) == pytest.approx(net(X), abs=1e-11)
    assert small.squared_norm < net.squared_norm / 2
    assert prune(small, X).squared_norm == pytest.approx(small.squared_norm, rel=1e-9)


@pytest.mark.parametrize("slope", [0.0, 0.4, -0.3])
def test_leaky_networks_too(slope):
    net, X = random_net(2, 50, 2, negative_slope=slope), points(4, 2)
    small = prune(net, X)
    assert small.widths[1] <= 8
    assert small.negative_slope == slope
    assert small(X) == pytest.approx(net(X), abs=1e-11)


def test_dropping_the_smallest_neurons_would_change_the_outputs():
    net, X = random_net(1, 60, 1), points(5, 1)
    largest = np.argsort(-np.abs(net.weights[1][0]) * np.linalg.norm(net.weights[0], axis=1))[:5]
    cut = DeepNet(
        [net.weights[0][largest], net.weights[1][:, largest]],
        [net.biases[0][largest], net.biases[1]],
    )
    assert np.abs(cut(X) - net(X)).max() > 0.1


def test_the_layer_comes_out_balanced_for_the_given_bias():
    net, X = random_net(2, 30, 2), points(4, 2)
    small = prune(net, X, bias=0.5)
    into = np.sum(small.weights[0] ** 2, axis=1) + (small.biases[0] / 0.5) ** 2
    assert into == pytest.approx(np.sum(small.weights[1] ** 2, axis=0), rel=1e-12)

    def paid(n):
        return sum(np.sum(w**2) for w in n.weights) + sum(np.sum(b**2) for b in n.biases) / 0.25

    assert paid(small) < paid(net)


def test_proportional_neurons_become_one():
    net = DeepNet(
        [[[1.0, 1.0], [2.0, 2.0], [-1.0, -1.0]], [[1.0, 1.0, 1.0], [0.0, 3.0, 1.0]]],
        [np.zeros(3), [0, 0]],
    )
    X = points(9, 2)
    small = prune(net, X, bias=0)
    assert small.widths == (2, 2, 2)  # the third has a negative factor
    anywhere = points(50, 2, seed=1)
    assert small(anywhere) == pytest.approx(net(anywhere), abs=1e-12)


def test_neurons_without_effect_go_away():
    net = DeepNet([[[1.0], [0.0], [2.0]], [[0.0, 1.0, 0.0]]], [[1.0, 0.0, 0.0], [3.0]])
    small = prune(net, [[1.0], [2.0]])
    assert small.widths == (1, 0, 1)
    assert small([[5.0]]).tolist() == [[3.0]]


@settings(max_examples=30, deadline=None)
@given(
    N=st.integers(1, 5),
    d=st.integers(1, 3),
    m=st.integers(1, 2),
    width=st.integers(1, 25),
    seed=st.integers(0, 1000),
)
def test_outputs_stay_and_the_cost_never_rises(N, d, m, width, seed):
    net, X = random_net(d, width, m, seed=seed), points(N, d, seed)
    small = prune(net, X)
    assert small(X) == pytest.approx(net(X), abs=1e-10)
    assert small.squared_norm <= net.squared_norm * (1 + 1e-12)
    assert small.widths[1] <= min(width, N * m)


def test_the_weights_are_those_of_the_linear_programme():
    rng = np.random.default_rng(2)
    columns, weights = rng.normal(size=(6, 21)), rng.uniform(size=21)
    ours = basic_weights(columns, weights)
    theirs = linprog(np.ones(21), A_eq=columns, b_eq=columns @ weights, method="highs-ipm").fun
    assert ours.sum() == pytest.approx(theirs, rel=1e-9)
    assert np.count_nonzero(ours) <= 6
    assert columns @ ours == pytest.approx(columns @ weights, abs=1e-13)


def test_bad_input_is_named():
    net = random_net(2, 3, 1)
    with pytest.raises(ValueError, match="no hidden layer"):
        prune(DeepNet([[[1.0]]], [[0.0]]), [[1.0]])
    with pytest.raises(ValueError, match="X has 3 columns"):
        prune(net, points(4, 3))
    with pytest.raises(ValueError, match="hidden biases"):
        prune(net, points(4, 2), bias=0)


@pytest.mark.parametrize("seed", range(20))
def test_an_edge_that_rises_by_less_than_the_solver_sees(seed):
    """Weights cost the same up to 1e-8: the programme ends above the total every second time."""
    rng = np.random.default_rng(seed)
    columns = np.abs(rng.normal(size=(4, 9)))
    columns /= columns.sum(axis=0) * (1 + 1e-8 * rng.uniform(size=9))
    weights = rng.uniform(0.1, 1, 9)
    kept = basic_weights(columns, weights)
    assert np.sum(kept > 0) <= 4
    assert columns @ kept == pytest.approx(columns @ weights, rel=1e-11)
    assert kept.sum() <= weights.sum() * (1 + 1e-13)


def test_a_faint_unit_may_be_the_one_that_is_kept():
    """Its outer weight grows from 1e-142 to 1e173, which is more than any factor holds."""
    net = DeepNet([[[1.0], [1.0]], [[-8e-143, -5e173]]], [[1.004, 1.0], [0.0]])
    small = prune(net, [[0.0]], bias=1e30)
    assert small.widths == (1, 1, 1)
    assert small([[0.0]]) == pytest.approx(net([[0.0]]), rel=1e-12)


def test_neurons_whose_balanced_biases_are_no_floats_stay_as_they_are():
    b = [-6.2e290, 1.2e291]
    net = DeepNet([[[0.0], [0.0]], [[1.3e300, 1.0]]], [b, [0.0]])
    small = prune(net, [[0.0], [1.0]], bias=2.0**100)
    assert small.biases[0].tolist() == b and small([[0.0]]) == net([[0.0]])
