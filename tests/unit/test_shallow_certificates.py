"""How far given networks are from the least loss, and where a certificate would prove too much."""

import numpy as np
import pytest

from repcost import DeepNet, certify_shallow, shallow_optimum
from repcost.shallow import Oracle
from tests.shallow_problems import inputs_with_bias, random_data, trained


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


def test_too_many_patterns_are_certified_with_one_output_and_stay_wide_with_two():
    X, Y = random_data(14, 8, 2)
    wide = shallow_optimum(X, Y, 0.1, rtol=1e-2)
    assert wide.loss.how == "certified"
    assert wide.loss.relative_gap > 0.1
    assert "spectral" in wide.loss.reason
    optimum = shallow_optimum(X, Y[:, 0], 0.1, rtol=1e-4)
    assert optimum.loss.relative_gap <= 1e-4
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
