"""Representations: what weights the data see, what a layer is, the projection, and what is kept."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import DeepNet
from repcost.representations import (
    Representations,
    augmented_weights,
    network_of,
    passage,
    representations,
    residual_weights,
)
from tests.layer_problems import scaled_net, sent, squared_norm

BIASES, SLOPES = (0.0, 1.0, 0.3), (0.0, 0.4)
WIDTHS = (4, 7, 7, 2), (3, 2, 5, 1), (6, 3), (2, 9, 1)


@pytest.fixture(params=product(WIDTHS, BIASES, SLOPES), ids=str)
def case(request):
    """A network, points, the bias, and the representations there."""
    widths, bias, slope = request.param
    net = scaled_net(*widths, bias=bias, negative_slope=slope)
    X = np.random.default_rng(1).normal(size=(5, widths[0]))
    return net, X, bias, representations(net, X, bias)


def test_weights_are_what_the_data_see_and_a_rest(case):
    """Behind Proposition 1, for any weights: |W|^2 = cost of the representations + |rest|^2."""
    net, X, bias, layers = case
    rest = residual_weights(net, X, bias)
    squares = sum(np.sum(W**2) for W in rest)
    assert layers.cost + squares == pytest.approx(squared_norm(net, bias), rel=1e-10)
    assert layers.misfit < 1e-12
    for S, part, left in zip(layers.activations, layers.weights, rest, strict=True):
        assert np.abs(S @ left.T).max() < 1e-12
        assert abs(np.sum(part * left)) < 1e-11
    # Control: where S has dependent columns the rest is not zero, and the inequality strict.
    ranks = [np.linalg.matrix_rank(S, tol=1e-9) for S in layers.activations]
    columns = [S.shape[1] - (bias == 0) for S in layers.activations]
    assert (squares > 1e-3) == any(np.less(ranks, columns))


def test_the_least_network_has_the_same_outputs(case):
    """Psi of the representations, at no larger norm."""
    net, X, bias, layers = case
    least = layers.network
    assert least(X) == pytest.approx(net(X), abs=1e-10)
    assert squared_norm(least, bias) == pytest.approx(layers.cost, rel=1e-12)


def test_what_a_layer_is():
    net, X = scaled_net(3, 4, 2, bias=0.5), np.random.default_rng(2).normal(size=(6, 3))
    layers = representations(net, X, 0.5)
    Z, S = layers.preactivations, layers.activations
    assert [A.shape for A in (*Z, *S)] == [(6, 4), (6, 2), (6, 4), (6, 5)]
    assert (S[0] == np.column_stack([X, np.full(6, 0.5)])).all()
    assert (S[1] == sent(Z[0], 0.5)).all()
    K, K_sigma = layers.covariances
    assert K[0] == pytest.approx(Z[0] @ Z[0].T)
    assert K_sigma[1] == pytest.approx(S[1] @ S[1].T)


def test_unseen_weights_change_the_loss_and_not_the_covariances():
    """Remark 4 needs them to be zero: a step along them keeps (K, Z_L) and moves the loss."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4, 6))
    net = representations(scaled_net(6, 5, 1), X).network
    unseen = np.linalg.svd(np.column_stack([X, np.ones(4)]))[2][-1]
    first = [net.weights[0] + 0.5 * unseen[:-1], net.biases[0] + 0.5 * unseen[-1]]
    moved = DeepNet([first[0], net.weights[1]], [first[1], net.biases[1]])
    one, other = representations(net, X), representations(moved, X)
    for before, after in zip(sum(one.covariances, ()), sum(other.covariances, ()), strict=True):
        assert after == pytest.approx(before, abs=1e-12)
    assert other.cost == pytest.approx(one.cost)
    assert squared_norm(moved, 1.0) == pytest.approx(squared_norm(net, 1.0) + 5 * 0.25)


def test_rounding_makes_directions_that_must_not_count():
    """Activations of rank 2 up to rounding: a limit near rounding pays for the noise."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(8, 2))
    wide = X @ rng.normal(size=(2, 12))
    net = scaled_net(12, 1, bias=0.0)
    cost = representations(net, wide, 0.0).cost
    U, s, _ = np.linalg.svd(wide, full_matrices=False)
    assert cost == pytest.approx(np.sum((U[:, :2].T @ net(wide) / s[:2, None]) ** 2), rel=1e-10)
    naive = np.linalg.pinv(wide, rtol=1e-18) @ (net(wide) + 1e-15 * rng.normal(size=(8, 1)))
    assert np.sum(naive**2) > 1.1 * cost


def with_an_aligned_unit(net, factor):
    """One more unit in the first layer, which receives `factor` times what the first one does."""
    W, b = net.weights, net.biases
    first = np.vstack([W[0], factor * W[0][:1]])
    second = np.hstack([W[1], np.ones((len(W[1]), 1))])
    return DeepNet([first, second, *W[2:]], [np.append(b[0], factor * b[0][0]), *b[1:]])


def before_and_after_merging(net, X, factor):
    """The last unit of the first layer goes into the first, sqrt(1 + factor^2) times as large."""
    layers = representations(net, X)
    Z = layers.preactivations[0]
    Z = np.column_stack([np.sqrt(1 + factor**2) * Z[:, 0], Z[:, 1:-1]])
    return layers, Representations(X, [Z, *layers.preactivations[1:]])


@pytest.mark.parametrize("factor", [2.0, 0.3])
def test_aligned_units_merge(factor):
    """Units alpha z and z become one: same covariances, cost and outputs; for alpha > 0 only."""
    net, X = scaled_net(3, 5, 4, 2), np.random.default_rng(7).normal(size=(6, 3))
    wide = with_an_aligned_unit(net, factor)
    layers, fewer = before_and_after_merging(wide, X, factor)
    assert fewer.preactivations[0].shape == (6, 5)
    assert fewer.misfit < 1e-9
    assert fewer.cost == pytest.approx(layers.cost, rel=1e-9)
    assert fewer.network(X) == pytest.approx(layers.network(X), abs=1e-9)
    opposite = with_an_aligned_unit(net, -factor)
    layers, fewer = before_and_after_merging(opposite, X, -factor)
    changed = fewer.covariances[1][1] - layers.covariances[1][1]
    assert np.abs(changed).max() > 0.01


def test_the_projection_is_one_and_is_needed():
    rng = np.random.default_rng(10)
    chain = Representations(rng.normal(size=(6, 2)), [rng.normal(size=(6, n)) for n in (3, 2, 1)])
    assert chain.misfit > 0.3
    projected = chain.projected()
    assert projected.misfit < 1e-12
    again = projected.projected().preactivations
    for once, twice in zip(projected.preactivations, again, strict=True):
        assert twice == pytest.approx(once, abs=1e-12)
    assert projected.network(chain.X) == pytest.approx(projected.preactivations[-1], abs=1e-10)
    # Control: the network of weights S^+ Z has other representations where Z cannot be had.
    assert np.abs(chain.network(chain.X) - chain.preactivations[-1]).max() > 0.1
    # A layer with n + 1 >= N units in general position needs no projection above it.
    wide = Representations(rng.normal(size=(4, 4)), [rng.normal(size=(4, n)) for n in (9, 2)])
    assert wide.misfit < 1e-10


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0]))
def test_rotations_and_permutations_of_points_change_no_cost(seed, bias):
    rng = np.random.default_rng(seed)
    net, X = scaled_net(3, 4, 5, 2, bias=bias, seed=seed), rng.normal(size=(5, 3))
    layers, order = representations(net, X, bias), rng.permutation(5)
    turn, last = np.linalg.qr(rng.normal(size=(3, 3)))[0], np.linalg.qr(rng.normal(size=(2, 2)))[0]
    Z = [layer[order] for layer in layers.preactivations]
    moved = Representations(X[order] @ turn, [*Z[:-1], Z[-1] @ last], bias)
    assert moved.layer_costs == pytest.approx(layers.layer_costs, rel=1e-6)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.1, 10))
def test_the_homogeneity_of_each_layer(seed, factor):
    """Z_l -> s Z_l without biases: its layer costs s^2 times as much, the one above s^-2 times."""
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(4, 6)), [rng.normal(size=(4, n)) for n in (7, 2)]
    layers, moved = Representations(X, Z, 0.0), Representations(X, [factor * Z[0], Z[1]], 0.0)
    expected = layers.layer_costs * [factor**2, factor**-2]
    assert moved.layer_costs == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: Representations([[1.0]], []), "at least one of each"),
        (lambda: Representations([[1.0]], [[[1.0], [2.0]]]), "same number of rows"),
        (lambda: Representations([[1.0]], [[[np.nan]]]), "holds NaN"),
        (lambda: Representations([[1.0]], [[[1.0]]], negative_slope=1.0), "negative_slope must"),
        (lambda: representations(DeepNet([[[1.0]]], [[1.0]]), [[1.0]], 0.0), "bias is 0, but"),
        (lambda: residual_weights(DeepNet([[[1.0]]], [[1.0]]), [[1.0, 2.0]]), "X has 2 columns"),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()


def test_what_each_layer_is_sent_in_fractions():
    """The definition with numbers that floats hold exactly; without the constant it is another."""
    weights = [[[1, -2, 3], [0, 1, -1]], [[2, -1, 1]]]
    X = [[1, 0], [-2, 1], [Fraction(1, 2), 2]]
    net = network_of(weights, bias=0.5)
    received, out = X, []
    for (S, W), exact in zip(passage(net, X, 0.5), weights, strict=True):
        wanted = [[*row, Fraction(1, 2)] for row in received]
        assert S.tolist() == wanted and W.tolist() == exact
        out = [
            [sum(w * s for w, s in zip(unit, row, strict=True)) for unit in exact] for row in wanted
        ]
        received = [[max(z, 0) for z in row] for row in out]
    assert net(np.array(X, dtype=float)).tolist() == out
    assert passage(net, X, 1.0)[0][0].tolist() != passage(net, X, 0.5)[0][0].tolist()


def test_there_and_back(case):
    net, _, bias, _ = case
    if bias:
        again = network_of(augmented_weights(net, bias), bias, net.activation)
        for mine, given in zip(
            [*again.weights, *again.biases], [*net.weights, *net.biases], strict=True
        ):
            np.testing.assert_allclose(mine, given, rtol=1e-15)
