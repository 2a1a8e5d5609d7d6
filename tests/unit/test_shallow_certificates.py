"""How far given networks are from the least loss, and where a certificate would prove too much."""

import numpy as np
import pytest

from repcost import DeepNet, certify_shallow, shallow_optimum
from repcost.datasets import random_network
from repcost.shallow import Oracle, ShallowProblem
from repcost.shallow.coarse import CoarseBound
from tests.shallow_problems import inputs_with_bias, random_data, steepest_by_search, trained


def test_the_multiple_of_the_residual_must_be_clipped_on_both_sides():
    """Outputs 2 Y have <V, Y> < 0; the best multiple of V, unclipped, is not feasible."""
    X, Y = np.arange(6.0)[:, None], np.array([[0.0], [3.0], [-2.0], [5.0], [4.0], [-6.0]])
    strength, rho = 0.05, 0.3
    doubled = shallow_optimum(X, 2 * Y, 1e-9).network
    truth, bracket = shallow_optimum(X, Y, strength).loss, certify_shallow(doubled, X, Y, strength)
    assert 0 < bracket.lower <= truth.upper
    V = (Y - doubled(X)) / rho
    gain, loss = np.sum(V * Y), rho * np.sum(V**2) + np.sum(V.sum(axis=0) ** 2)
    limit = 1 / Oracle(inputs_with_bias(X, 1.0)).peaks(V).bound
    printed, right = min(limit, gain / loss), np.clip(gain / loss, -limit, limit)
    bounds = [strength * (2 * t * gain - t**2 * loss) for t in (printed, right)]
    assert bounds[0] > 1.2 * truth.upper
    assert bounds[1] == pytest.approx(bracket.lower, rel=1e-9)


def test_a_wide_bracket_proves_nothing_and_the_optimum_is_certified():
    X, Y = random_data(6, 2, 2)
    optimum = shallow_optimum(X, Y, 0.02, rtol=1e-9)
    assert certify_shallow(optimum.network, X, Y, 0.02).relative_gap < 1e-4
    (W, A), (b, c) = optimum.network.weights, optimum.network.biases
    unbalanced = DeepNet([10 * W, 0.1 * A], [10 * b, c])
    bracket = certify_shallow(unbalanced, X, Y, 0.02)
    assert bracket.upper > 2 * optimum.loss.upper
    assert optimum.loss.value in bracket


def test_too_many_patterns_are_certified_with_few_outputs_and_bounded_with_many():
    X, Y = random_data(14, 8, 4)
    oracle = Oracle(inputs_with_bias(X, 1.0))
    assert not oracle.is_exact
    assert oracle.proved(Y, 0.0, 100).bound == oracle.bound(Y)
    optimum = shallow_optimum(X, Y[:, 0], 0.1, rtol=1e-3)
    assert optimum.loss.relative_gap <= 1e-3
    net = trained(X, Y[:, :1], 0.1, 1.0, 5, 0)
    assert certify_shallow(net, X, Y[:, 0], 0.1).upper >= optimum.loss.lower


def test_a_network_that_does_not_fit_is_refused():
    net = DeepNet([np.ones((2, 1)), np.ones((1, 2))], [[0.0, 1.0], [0.0]])
    with pytest.raises(ValueError, match="bias is 0"):
        certify_shallow(net, [[1.0]], [1.0], 0.1, bias=0)
    with pytest.raises(ValueError, match="inputs and outputs"):
        certify_shallow(net, [[1.0, 2.0]], [1.0], 0.1)
    with pytest.raises(ValueError, match="depth 2"):
        certify_shallow(DeepNet([[[1.0]]], [[0.0]]), [[1.0]], [1.0], 0.1)


def test_a_common_direction_is_bounded_by_itself():
    """Points that lean one way: the coarse bound is true, and better than spectral norms alone."""
    X, V = random_data(60, 20, 2)
    X = X + 5
    coarse, size = CoarseBound(X).of(V), np.linalg.norm(V, 2)
    assert steepest_by_search(V, X) <= coarse
    assert coarse < 0.8 * (np.linalg.norm(V.T @ X, 2) + size * np.linalg.norm(X, 2)) / 2
    # Spectral norms of the rest alone, with the direction left out, would be too little.
    rest = np.sqrt(coarse**2 - np.linalg.norm(np.maximum(X.sum(axis=1), 0) @ V) ** 2 / 20)
    assert rest < steepest_by_search(V, X)


def test_many_points_have_a_lower_end_by_another_multiplier():
    X, Y = random_data(80, 12, 1)
    X, Y = X + 2, X[:, :1] ** 2
    net = trained(X, Y, 0.1, 1.0, 5, 0)
    bracket = certify_shallow(net, X, Y, 0.1)
    problem = ShallowProblem.scaled(X, Y, 0.1, 1.0)
    V = Y - net(X)
    own = problem.worth_at_least(problem.lower_bound(V, problem.oracle.bound(V))[0])
    assert own < 0.9 * bracket.lower
    assert bracket.lower <= bracket.upper
    assert (
        certify_shallow(random_network(12, 3, 1, rng=np.random.default_rng(0)), X, Y, 0.1).lower
        <= bracket.upper
    )
