import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from repcost import (
    DeepNet,
    TwoLayer,
    imbalance,
    leaky_network,
    neuron_imbalance,
    rebalance,
    rebalanced_norm,
)
from repcost.datasets import random_network
from tests.deep_problems import DEEP


def scaled(net, scales):
    """Hidden unit i of layer l times scales[l][i]."""
    scales = [np.ones(net.widths[0]), *scales, np.ones(net.widths[-1])]
    weights = [
        W * up[:, None] / down for W, down, up in zip(net.weights, scales, scales[1:], strict=False)
    ]
    biases = [b * up for b, up in zip(net.biases, scales[1:], strict=True)]
    return net.with_layers(weights, biases)


def random_scales(net, seed, spread=2.0):
    rng = np.random.default_rng(seed)
    return [np.exp(spread * rng.normal(size=width)) for width in net.widths[1:-1]]


def by_sweeps(net, best, sweeps):
    """Layer after layer scaled by best(squares it receives, squares it sends), again and again."""
    W, b = [weight.copy() for weight in net.weights], [bias.copy() for bias in net.biases]
    for _ in range(sweeps):
        for layer in range(net.depth - 1):
            scale = best((W[layer] ** 2).sum(1) + b[layer] ** 2, (W[layer + 1] ** 2).sum(0))
            W[layer], b[layer] = scale[:, None] * W[layer], scale * b[layer]
            W[layer + 1] = W[layer + 1] / scale
    return net.with_layers(W, b)


def by_coordinates(net, sweeps=2000):
    """Every unit scaled to its best."""
    return by_sweeps(net, lambda received, sent: (sent / received) ** 0.25, sweeps)


def by_layers(net, sweeps=500):
    """Whole layers scaled instead of units: all that the statement on weak balancedness needs."""
    return by_sweeps(
        net,
        lambda received, sent: np.full(len(sent), (sent.sum() / received.sum()) ** 0.25),
        sweeps,
    )


@pytest.mark.parametrize("slope", [0.0, 0.4, -0.7])
@pytest.mark.parametrize("widths", [(1, 1, 1), (3, 6, 2), (2, 5, 4, 3, 2), (4, 3, 3, 3, 3, 3, 1)])
def test_equals_coordinate_descent_and_keeps_the_function(widths, slope):
    net = random_network(*widths, rng=default_rng(1), negative_slope=slope)
    found = rebalance(net)
    theirs = by_coordinates(net)
    assert found.squared_norm == pytest.approx(theirs.squared_norm, rel=1e-12)
    for ours, other in zip(
        (*found.weights, *found.biases), (*theirs.weights, *theirs.biases), strict=True
    ):
        assert ours == pytest.approx(other, abs=1e-6)  # the minimiser is unique, and flat
    X = np.random.default_rng(0).normal(size=(100, widths[0]))
    assert found(X) == pytest.approx(net(X), rel=1e-13, abs=1e-13)
    assert found.squared_norm <= net.squared_norm
    assert max(np.abs(layer).max() for layer in neuron_imbalance(found)) < 1e-10
    least = rebalanced_norm(net)
    assert theirs.squared_norm in least and least.relative_gap < 1e-12


def test_scaling_layers_instead_of_units_costs_more():
    net = random_network(3, 6, 5, 2, rng=default_rng(4))
    by_layer = by_layers(net)
    assert np.abs(imbalance(by_layer)).max() < 1e-10
    assert max(np.abs(layer).max() for layer in neuron_imbalance(by_layer)) > 1
    assert by_layer.squared_norm > 1.05 * rebalanced_norm(net).upper


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, -0.5]))
def test_the_orbit_has_one_least_norm(seed, slope):
    net = random_network(2, 5, 4, 3, rng=default_rng(seed), negative_slope=slope)
    least = rebalanced_norm(net)
    other = scaled(net, random_scales(net, seed))
    assert least.lower <= other.squared_norm
    assert rebalance(other).squared_norm == pytest.approx(least.value, rel=1e-12)
    again = rebalance(rebalance(net))
    assert again.squared_norm == pytest.approx(least.value, rel=1e-13)
    near = scaled(rebalance(net), random_scales(net, seed, 0.01))
    assert near.squared_norm > least.upper


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_idle_units_go(seed):
    """Whole weights, many of them zero: what is left is used, and the function is the same."""
    net = random_network(2, 4, 3, 3, 2, rng=default_rng(seed), kind="whole")
    mask = np.random.default_rng(seed)
    net = DeepNet(
        [W * mask.integers(0, 2, W.shape) for W in net.weights],
        [b * mask.integers(0, 2, b.shape) for b in net.biases],
    )
    found = rebalance(net)
    X = np.random.default_rng(1).normal(size=(30, 2))
    assert found(X) == pytest.approx(net(X), rel=1e-12, abs=1e-12)
    for layer, unbalanced in enumerate(neuron_imbalance(found)):
        assert np.abs(unbalanced).max(initial=0.0) < 1e-9
        assert (np.abs(found.weights[layer + 1]).sum(0) > 0).all()
    least = rebalanced_norm(net)
    assert least.upper <= net.squared_norm * (1 + 1e-12) and least.relative_gap < 1e-12


def test_a_unit_without_a_source_and_one_that_is_not_seen():
    net = DeepNet([[[1.0], [0.0], [5.0]], [[2.0, 3.0, 0.0]]], [[0.0, 0.0, 1.0], [1.0]])
    assert rebalance(net).widths == (1, 1, 1)
    assert rebalance(net).squared_norm == pytest.approx(5.0)  # 2 |1 * 2| + 1
    constant = DeepNet([[[0.0]], [[2.0]]], [[0.0], [3.0]])
    assert rebalance(constant).widths == (1, 0, 1)
    assert rebalance(constant)([[7.0]]).tolist() == [[3.0]]
    assert rebalanced_norm(constant).value == pytest.approx(9.0)


def test_two_layers_reach_the_path_norm():
    rng = np.random.default_rng(0)
    net = TwoLayer(rng.normal(size=(6, 3)), rng.normal(size=6), np.zeros(6))
    assert 2 * net.path_norm in rebalanced_norm(net)


@pytest.mark.parametrize("factor", [1e-60, 1e60])
def test_weights_of_very_different_size(factor):
    net = random_network(2, 4, 4, 4, 1, rng=default_rng(2))
    lopsided = scaled(net, [np.full(4, factor), np.full(4, factor**-1), np.full(4, factor)])
    assert rebalance(lopsided).squared_norm == pytest.approx(rebalance(net).squared_norm, rel=1e-12)


@pytest.mark.parametrize("size", [1e60, 1e-60])
def test_rounding_does_not_hold_the_last_step_back(size):
    # Logarithms of such weights are rounded by more than the norm falls in the last step.
    net = DeepNet([[[0.0]], [[0.0]], [[1e31]]], [[0.0], [size], [0.0]])
    balanced = rebalance(net)
    assert neuron_imbalance(balanced)[1] == pytest.approx(0, abs=1e-11 * balanced.squared_norm)
    assert balanced.squared_norm == pytest.approx(2 * 1e31 * size, rel=1e-11)


def test_a_hundred_layers():
    net = random_network(2, *[6] * 100, 1, rng=default_rng(3))
    scales = random_scales(net, 0)
    assert rebalanced_norm(scaled(net, scales)).relative_gap < 1e-10
    assert rebalanced_norm(net).value == pytest.approx(
        rebalanced_norm(scaled(net, scales)).value, rel=1e-11
    )


def test_weights_too_large_to_square_are_refused():
    with pytest.raises(ValueError, match="weights beyond 1e"):
        rebalance(DeepNet([[[1e200]], [[1.0]]], [[0.0], [0.0]]))


@pytest.mark.parametrize("slope", [0.0, -0.5, 0.3])
@pytest.mark.parametrize("loss", ["squares", "cross-entropy"])
def test_gradient_flow_forgets_the_imbalance_at_a_rate_that_no_data_change(slope, loss):
    """Along the flow of loss + strength |W|^2 each unit's imbalance D obeys D' = -4 strength D."""
    import torch

    strength = 0.05
    net = random_network(3, 6, 5, 4, rng=default_rng(6), negative_slope=slope)
    W = [torch.tensor(weight.copy(), requires_grad=True) for weight in net.weights]
    b = [torch.tensor(bias.copy(), requires_grad=True) for bias in net.biases]
    x = torch.tensor(np.random.default_rng(0).normal(size=(20, 3)))
    for layer in range(3):
        x = x @ W[layer].T + b[layer]
        x = torch.nn.functional.leaky_relu(x, slope) if layer < 2 else x
    data = torch.arange(20) % 4
    value = x.square().mean() if loss == "squares" else torch.nn.functional.cross_entropy(x, data)
    (value + strength * sum(part.square().sum() for part in (*W, *b))).backward()

    def velocity(part):
        assert part.grad is not None
        return -part.grad.numpy()

    for layer, unbalanced in enumerate(neuron_imbalance(net)):
        change = 2 * (net.weights[layer] * velocity(W[layer])).sum(1) + 2 * net.biases[
            layer
        ] * velocity(b[layer])
        change = change - 2 * (net.weights[layer + 1] * velocity(W[layer + 1])).sum(0)
        assert change == pytest.approx(-4 * strength * unbalanced, abs=1e-12)
        assert (
            np.abs(change + 2 * strength * unbalanced).max() > 0.1
        )  # strength |W|^2 / 2 would give half the rate


def test_imbalance_of_a_layer_is_the_sum_over_its_units():
    net = random_network(3, 4, 5, 2, rng=default_rng(0))
    W, b = net.weights, net.biases
    expected = [np.sum(W[i] ** 2) + np.sum(b[i] ** 2) - np.sum(W[i + 1] ** 2) for i in range(2)]
    assert imbalance(net) == pytest.approx(expected)
    assert imbalance(random_network(2, 2, rng=default_rng(0))).shape == (0,)


@pytest.mark.parametrize("slope", [-0.9, -0.5, 0.25, 0.8])
def test_leaky_units_make_any_relu_network(slope):
    """Corollary 1: (s(t) + a s(-t)) / (1 - a^2); with the minus sign of the paper it is another."""
    drawn = random_network(3, 5, 4, 2, rng=default_rng(0))
    nets = [drawn, *(problem.network for problem in DEEP)]
    for net in nets:
        leaky = leaky_network(net, slope)
        X = np.random.default_rng(0).uniform(-1, 1, (300, net.widths[0]))
        assert (leaky.negative_slope, leaky.depth) == (slope, net.depth)
        assert leaky(X) == pytest.approx(net(X), abs=1e-9)
        assert rebalance(leaky)(X) == pytest.approx(net(X), abs=1e-9)
    half = nets[0].widths[1]
    weights = [
        leaky_network(nets[0], slope).weights[0],
        leaky_network(nets[0], slope).weights[1].copy(),
    ]
    weights[1][:, half:] *= -1
    printed = DeepNet(
        [*weights, *leaky_network(nets[0], slope).weights[2:]],
        leaky_network(nets[0], slope).biases,
        slope,
    )
    X = np.random.default_rng(0).uniform(-1, 1, (300, 3))
    assert np.abs(printed(X) - nets[0](X)).max() > 0.1


def test_only_relu_networks_become_leaky():
    with pytest.raises(ValueError, match="must have ReLU units"):
        leaky_network(DeepNet([[[1.0]], [[1.0]]], [[0.0], [0.0]], 0.5), 0.25)
    with pytest.raises(ValueError, match="negative_slope must lie"):
        leaky_network(DeepNet([[[1.0]], [[1.0]]], [[0.0], [0.0]]), 1.0)
