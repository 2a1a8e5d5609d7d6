"""Certified optima of shallow networks: closed forms, a conic solver, training, the proofs."""

import numpy as np
import pytest

from repcost import certify_shallow, shallow_cost, shallow_optimum
from tests.shallow_problems import (
    assert_certified,
    balanced_blocks,
    by_cone,
    inputs_with_bias,
    loss_of,
    random_data,
    steepest_by_search,
    trained,
)

# Closed forms.


@pytest.mark.parametrize(
    ("N", "strength"), [(4, 0.05), (4, 0.2), (4, 0.45), (6, 0.2), (6, 0.45), (8, 0.45), (10, 0.45)]
)
def test_balanced_blocks_have_a_closed_form(N, strength):
    optimum = shallow_optimum(np.eye(N), balanced_blocks(N), strength, bias=0)
    assert_certified(optimum.loss)
    exact = strength * N**2 - N * (N - 1) * strength**2
    assert optimum.loss.lower <= exact * (1 + 1e-15)
    assert exact * (1 - 1e-15) <= optimum.loss.upper
    # Half the strength is the other reading of weight decay.
    assert strength / 2 * N**2 - N * (N - 1) * strength**2 / 4 not in optimum.loss


@pytest.mark.parametrize("strength", [0.01, 0.1])
@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 3, 1), (4, 2)])
def test_the_loss_of_one_hot_labels(sizes, strength):
    Y, N, roots = np.repeat(np.eye(len(sizes)), sizes, axis=0), sum(sizes), np.sqrt(sizes)
    optimum = shallow_optimum(np.eye(N), Y, strength, bias=0)
    assert_certified(optimum.loss)
    exact = (2 * strength * roots - N * strength**2).sum()
    assert optimum.loss.value == pytest.approx(exact, rel=2e-6)


@pytest.mark.parametrize("Y", [(1.0, -1.0), (1.0, 1.0)])
def test_proposition_19(Y):
    """4 lambda - 2 lambda^2 with the sum of squares, 4 lambda - 4 lambda^2 with the mean.

    The first is below the local minimum of the proposition.
    """
    X, strength = [[1.0], [-1.0]], 0.2
    mean = shallow_optimum(X, Y, strength, bias=0).loss
    total = shallow_optimum(X, Y, strength / 2, bias=0).loss
    assert_certified(mean, 1e-10)
    assert pytest.approx(mean.value, rel=1e-10) == 0.64
    assert pytest.approx(2 * total.value, rel=1e-10) == 0.72
    assert 1 + 2 * strength - strength**2 > 2 * total.upper


def test_one_point():
    """min over z of |z - y|^2 + strength 2 z / |x| for a neuron alone."""
    optimum = shallow_optimum([[3.0, 4.0]], [[2.0]], 0.5, bias=0)
    shrunk = 2 - 0.5 / 5
    assert optimum.loss.value == pytest.approx((2 - shrunk) ** 2 + 0.5 * 2 * shrunk / 5, rel=1e-9)
    assert optimum.network.widths == (2, 1, 1)


def test_strong_decay_leaves_the_output_bias_only():
    X, Y = random_data(7, 2, 2)
    optimum, strength = shallow_optimum(X, Y, 10.0), 10.0
    assert optimum.network.widths == (2, 0, 2)
    b = Y.mean(axis=0) / (1 + strength)
    exact = np.sum((Y - b) ** 2) / 7 + strength * b @ b
    assert optimum.loss.value == pytest.approx(exact, rel=1e-12)
    without_biases = shallow_optimum(X, Y, 100.0, bias=0).loss
    assert without_biases.value == pytest.approx(np.sum(Y**2) / 7, rel=1e-12)


def test_nothing_to_learn():
    assert shallow_optimum([[1.0], [2.0]], [0, 0], 0.1).loss.value == 0
    assert shallow_optimum([[0.0]], [1.0], 0.1, bias=0).loss.value == pytest.approx(1.0)
    assert 4.0 in shallow_optimum([[1.0], [1.0]], [2.0, -2.0], 1e3).loss  # contradicting points


# Other methods.


@pytest.mark.parametrize(
    ("N", "d", "bias"), [(5, 1, 1.0), (8, 1, 0.3), (5, 2, 1.0), (5, 2, 0.0), (4, 3, 2.0)]
)
@pytest.mark.parametrize("strength", [0.1, 0.003])
def test_scalar_optimum_by_a_cone_programme(N, d, bias, strength):
    X, Y = random_data(N, d, 1)
    ours = shallow_optimum(X, Y, strength, bias=bias).loss
    theirs = by_cone(X, Y[:, 0], strength, bias)
    assert_certified(ours)
    assert ours.lower <= theirs * (1 + 1e-7)
    assert theirs * (1 - 1e-7) <= ours.upper


def test_wrong_factors_are_seen():
    X, Y = random_data(6, 1, 1)
    Y = Y + 3
    loss = shallow_optimum(X, Y, 0.01).loss
    without_the_output_bias = by_cone(np.column_stack([X, np.ones(6)]), Y[:, 0], 0.01, 0.0)
    assert without_the_output_bias > 1.01 * loss.upper
    assert by_cone(X, Y[:, 0], 0.005, 1.0) < 0.9 * loss.lower  # half the strength


@pytest.mark.parametrize(("N", "d", "m"), [(4, 1, 2)])
def test_training_never_beats_the_lower_end_and_reaches_the_upper(N, d, m):
    X, Y = random_data(N, d, m)
    optimum = shallow_optimum(X, Y, 0.05)
    nets = [trained(X, Y, 0.05, 1.0, N * m, seed) for seed in range(3)]
    losses = [loss_of(net, X, Y, 0.05, 1.0) for net in nets]
    assert min(losses) >= optimum.loss.lower
    assert min(losses) == pytest.approx(optimum.loss.upper, rel=2e-3)
    brackets = [certify_shallow(net, X, Y, 0.05) for net in nets]
    assert all(b.lower <= optimum.loss.upper for b in brackets)
    assert [b.upper for b in brackets] == pytest.approx(losses, rel=1e-12)


@pytest.mark.parametrize(("N", "m"), [(4, 1), (8, 3), (12, 2)])
def test_one_variable_is_certified_for_every_number_of_outputs(N, m):
    X, Y = random_data(N, 1, m)
    for strength in (1.0, 0.03, 1e-4):
        optimum = shallow_optimum(X, Y, strength, rtol=1e-7)
        assert_certified(optimum.loss, 1e-7)
        assert len(optimum.network.weights[0]) <= N * m
    cost = shallow_cost(X, Y)
    assert_certified(cost)
    # The interpolant is one of the networks.
    assert shallow_optimum(X, Y, 1e-6).loss.lower <= 1e-6 * cost.upper


# What is returned.


@pytest.mark.parametrize("bias", [0.0, 0.5, 1.0])
def test_the_network_has_the_loss(bias):
    X, Y = random_data(6, 2, 2)
    optimum, strength = shallow_optimum(X, Y, 0.02, bias=bias), 0.02
    by_definition = loss_of(optimum.network, X, Y, strength, bias)
    assert by_definition == pytest.approx(optimum.loss.upper, rel=1e-12)
    fit = np.sum((optimum.network(X) - Y) ** 2) / len(X)
    assert fit + strength * optimum.cost == pytest.approx(optimum.loss.upper, rel=1e-12)


@pytest.mark.parametrize("bias", [0.0, 0.5, 1.0])
def test_the_multiplier_proves_the_lower_end(bias):
    X, Y = random_data(6, 2, 2)
    optimum, strength = shallow_optimum(X, Y, 0.02, bias=bias), 0.02
    V, rho = optimum.multiplier, len(X) * strength
    dual = 2 * np.sum(V * Y) - rho * np.sum(V**2) - bias**2 * np.sum(V.sum(axis=0) ** 2)
    assert strength * dual == pytest.approx(optimum.loss.lower, rel=1e-12)
    assert 0.99 < steepest_by_search(V, inputs_with_bias(X, bias)) <= 1
    # At the optimum V is the residual over strength.
    assert (Y - optimum.network(X)) / rho == pytest.approx(V, abs=2e-3 * np.abs(V).max())


def test_neurons_are_balanced():
    net = shallow_optimum(*random_data(8, 1, 2), 0.01).network
    into = np.sum(net.weights[0] ** 2, axis=1) + net.biases[0] ** 2
    assert into == pytest.approx(np.sum(net.weights[1] ** 2, axis=0), rel=1e-12)


def test_progress_shows_a_bar(capfd):
    shallow_optimum(*random_data(6, 1, 1), 0.01, progress=True)
    assert "rounds" in capfd.readouterr().err


# Bad input.


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([[1.0]], [1.0], 0.0), "strength must be positive.*shallow_cost"),
        (([[1.0]], [1.0, 2.0], 0.1), "same number of rows"),
        (([1.0], [1.0], 0.1), "X must have 2 axes"),
        (([[np.nan]], [1.0], 0.1), "X holds NaN"),
        ((np.zeros((0, 1)), np.zeros(0), 0.1), "at least one point"),
        (([[1e70]], [1.0], 0.1), "X must stay between"),
    ],
)
def test_bad_input_is_named(arguments, says):
    with pytest.raises(ValueError, match=says):
        shallow_optimum(*arguments)


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="bias must be zero or positive"):
        shallow_cost([[1.0]], [1.0], bias=-1.0)
    with pytest.raises(ValueError, match="rtol must be between 0 and 1"):
        shallow_optimum([[1.0]], [1.0], 0.1, rtol=0.0)


def test_neurons_that_a_search_found_several_times_are_one_again():
    """Classes of points that share nothing: of sizes 5 to 1, the larger four are worth a neuron."""
    sizes = np.array([5, 4, 3, 2, 1, 1])
    labels = np.repeat(np.eye(6), sizes, axis=0)
    found = shallow_optimum(np.eye(16), labels, 1.2 / 16, bias=0.0)
    assert found.network.widths == (16, 4, 6)
    assert found.loss.relative_gap < 1e-6


def test_columns_go_on_where_a_descent_ended_before_they_were_weighed():
    """More inputs than points: a descent stopped at 300 steps left no neuron worth its price."""
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(20, 40)), rng.normal(size=(20, 1))
    found = shallow_optimum(X, Y, 0.01, rtol=1e-4)
    # It was six times as much.
    assert found.loss.relative_gap <= 1e-4 and not found.loss.reason
