"""Both reformulations of the loss, linear networks, and descent on representations, each with its
controls.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import DeepNet, Objective, linear_map_cost, shallow_optimum
from repcost.covariances import covariance_cost, linear_covariances
from repcost.representations import (
    Representations,
    descend,
    descend_smoothed,
    representations,
    residual_weights,
)


def random_net(widths, bias=1.0, seed=0, negative_slope=0.0):
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(out, into)) / np.sqrt(into) for into, out in pairwise(widths)]
    return DeepNet(weights, [bias * rng.normal(size=out) for out in widths[1:]], negative_slope)


def squared_norm(net, bias):
    return Objective.jacot_2022(1.0, bias=bias).cost(net)


def pseudo_inverse(S):
    return np.linalg.pinv(S, rtol=1e-10)


@pytest.mark.parametrize("bias", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("widths", [(4, 7, 7, 2), (3, 2, 5, 1), (6, 3), (2, 9, 1)])
@pytest.mark.parametrize("slope", [0.0, 0.4])
def test_weights_are_what_the_data_see_and_a_rest(bias, widths, slope):
    """The identity behind Proposition 1, for any weights: |W|^2 = cost of the representations +
    |rest|^2.
    """
    net = random_net(widths, bias, negative_slope=slope)
    X = np.random.default_rng(1).normal(size=(5, widths[0]))
    layers, rest = representations(net, X, bias), residual_weights(net, X, bias)
    squares = sum(np.sum(W**2) for W in rest)
    assert layers.cost + squares == pytest.approx(squared_norm(net, bias), rel=1e-10)
    assert layers.misfit < 1e-12
    for S, part, left in zip(layers.activations, layers.weights, rest, strict=True):
        assert np.abs(S @ left.T).max() < 1e-12
        assert abs(np.sum(part * left)) < 1e-11
    # Control: where S has dependent columns the rest is not zero, and the inequality strict.
    columns = [S.shape[1] - (bias == 0) for S in layers.activations]
    dependent = [
        np.linalg.matrix_rank(S, tol=1e-9) < n
        for S, n in zip(layers.activations, columns, strict=True)
    ]
    assert (squares > 1e-3) == any(dependent)
    # Psi of the representations has the same outputs, at no larger norm.
    least = layers.network
    assert least(X) == pytest.approx(net(X), abs=1e-10)
    assert squared_norm(least, bias) == pytest.approx(layers.cost, rel=1e-12)


def test_what_a_layer_is():
    net, X = random_net((3, 4, 2), 0.5), np.random.default_rng(2).normal(size=(6, 3))
    layers = representations(net, X, 0.5)
    Z, S = layers.preactivations, layers.activations
    assert [A.shape for A in (*Z, *S)] == [(6, 4), (6, 2), (6, 4), (6, 5)]
    assert (S[0] == np.column_stack([X, np.full(6, 0.5)])).all()
    assert (S[1] == np.column_stack([np.maximum(Z[0], 0), np.full(6, 0.5)])).all()
    K, K_sigma = layers.covariances
    assert K[0] == pytest.approx(Z[0] @ Z[0].T)
    assert K_sigma[1] == pytest.approx(S[1] @ S[1].T)


def test_unseen_weights_change_the_loss_and_not_the_covariances():
    """Remark 4 needs them to be zero: a step along them keeps (K, Z_L) and moves the loss up or
    down.
    """
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4, 6))
    net = representations(random_net((6, 5, 1)), X).network
    unseen = np.linalg.svd(np.column_stack([X, np.ones(4)]))[2][-1]
    first = [net.weights[0] + 0.5 * unseen[:-1], net.biases[0] + 0.5 * unseen[-1]]
    moved = DeepNet([first[0], net.weights[1]], [first[1], net.biases[1]])
    one, other = representations(net, X), representations(moved, X)
    for before, after in zip(sum(one.covariances, ()), sum(other.covariances, ()), strict=True):
        assert after == pytest.approx(before, abs=1e-12)
    assert other.cost == pytest.approx(one.cost)
    assert squared_norm(moved, 1.0) == pytest.approx(squared_norm(net, 1.0) + 5 * 0.25)


@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("widths", [(4, 7, 7, 2), (3, 2, 5, 1)])
def test_costs_are_functions_of_covariances(bias, widths):
    """Proposition 3, and its smoothed form: an increasing lower bound."""
    layers = representations(
        random_net(widths, bias), np.random.default_rng(4).normal(size=(5, widths[0])), bias
    )
    assert covariance_cost(*layers.covariances) == pytest.approx(layers.cost, rel=1e-9)
    smoothed = [covariance_cost(*layers.covariances, tikhonov=t) for t in (1.0, 1e-2, 1e-4, 1e-6)]
    assert smoothed == sorted(smoothed)
    assert smoothed[-1] <= layers.cost * (1 + 1e-8)
    assert smoothed[-1] == pytest.approx(layers.cost, rel=1e-2)
    assert smoothed[0] < 0.9 * layers.cost


def test_the_smoothed_cost_is_that_of_weights_that_may_miss():
    """Tr K (K_sigma + t)^-1 = min over W of |W|^2 + |Z - S W^T|^2 / t."""
    rng = np.random.default_rng(5)
    S, Z, t = rng.normal(size=(5, 3)), rng.normal(size=(5, 2)), 0.1
    W = np.linalg.solve(S @ S.T + t * np.eye(5), Z).T @ S
    assert covariance_cost([Z @ Z.T], [S @ S.T], tikhonov=t) == pytest.approx(
        np.sum(W**2) + np.sum((Z - S @ W.T) ** 2) / t, rel=1e-12
    )


def test_outside_of_the_image_the_cost_is_infinite():
    K, K_sigma = np.diag([1.0, 1.0]), np.diag([1.0, 0.0])
    assert covariance_cost([K], [K_sigma]) == np.inf
    assert covariance_cost([K], [K_sigma], tikhonov=1e-6) > 1e5
    assert covariance_cost([K_sigma], [K_sigma]) == 1.0
    # Control: the plain pseudo-inverse forgets the second point.
    assert np.trace(K @ np.linalg.pinv(K_sigma)) == 1.0


def test_rounding_makes_directions_that_must_not_count():
    """Activations of rank 2 up to rounding: numpy's own limit for pseudo-inverses pays for the
    noise.
    """
    rng = np.random.default_rng(6)
    X = rng.normal(size=(8, 2))
    wide = X @ rng.normal(size=(2, 12))
    net = random_net((12, 1), 0.0)
    cost = representations(net, wide, 0.0).cost
    U, s, _ = np.linalg.svd(wide, full_matrices=False)
    assert cost == pytest.approx(np.sum((U[:, :2].T @ net(wide) / s[:2, None]) ** 2), rel=1e-10)
    naive = np.linalg.pinv(wide, rtol=1e-18) @ (net(wide) + 1e-15 * rng.normal(size=(8, 1)))
    assert np.sum(naive**2) > 1.1 * cost


@pytest.mark.parametrize("factor", [2.0, 0.3])
def test_aligned_units_merge(factor):
    """Units alpha z and z become one sqrt(1 + alpha^2) z: same covariances, cost and outputs; for
    alpha > 0 only.
    """
    net, X = random_net((3, 5, 4, 2)), np.random.default_rng(7).normal(size=(6, 3))
    first = np.vstack([net.weights[0], factor * net.weights[0][:1]])
    second = np.hstack([net.weights[1], np.ones((4, 1))])
    biases = [np.append(net.biases[0], factor * net.biases[0][0]), *net.biases[1:]]

    def merged(net, factor):
        layers = representations(net, X)
        Z = layers.preactivations[0]
        Z = np.column_stack([np.sqrt(1 + factor**2) * Z[:, 0], Z[:, 1:-1]])
        return layers, Representations(X, [Z, *layers.preactivations[1:]])

    layers, fewer = merged(DeepNet([first, second, net.weights[2]], biases), factor)
    assert fewer.preactivations[0].shape == (6, 5)
    assert fewer.misfit < 1e-9
    assert fewer.cost == pytest.approx(layers.cost, rel=1e-9)
    assert fewer.network(X) == pytest.approx(layers.network(X), abs=1e-9)
    first[-1], biases[0][-1] = -factor * net.weights[0][0], -factor * net.biases[0][0]
    layers, fewer = merged(DeepNet([first, second, net.weights[2]], biases), -factor)
    assert (
        np.abs(fewer.activations[1] @ fewer.activations[1].T - layers.covariances[1][1]).max()
        > 0.01
    )


def random_triples(rng, N=3):
    """A feasible (K, K_sigma, Z_next) of the last hidden layer, and the covariance below it."""
    Z = rng.normal(size=(N, rng.integers(1, 5)))
    A = np.column_stack([np.maximum(Z, 0), np.ones(N)])
    return Z @ Z.T, A @ A.T, A @ rng.normal(size=(A.shape[1], 2))


def test_the_last_hidden_layer_and_the_outputs_are_jointly_convex():
    """Beyond Proposition 5: two layers are one convex problem."""
    rng = np.random.default_rng(8)
    below = np.eye(3) + 0.5

    def cost(K, K_sigma, Z):
        return covariance_cost([K, Z @ Z.T], [below, K_sigma])

    for _ in range(300):
        one, other = random_triples(rng), random_triples(rng)
        middle = [(a + b) / 2 for a, b in zip(one, other, strict=True)]
        assert cost(*middle) <= (cost(*one) + cost(*other)) / 2 * (1 + 1e-9)


def test_two_hidden_layers_are_not_jointly_convex():
    def cost(first, second):
        return covariance_cost([[[first]], [[second]], [[0.0]]], [[[1.0]], [[first]], [[second]]])

    ends = (cost(1.0, 0.1) + cost(2.0, 2.0)) / 2
    assert ends == pytest.approx(2.05)
    assert cost(1.5, 1.05) == pytest.approx(2.2)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("N, d", [(4, 4), (6, 3), (3, 5)])
@pytest.mark.parametrize("rank", [1, 3])
def test_linear_networks(depth, N, d, rank):
    """Item 2 of section 3.1, also for X that is not square, and the formula itself where it is."""
    rng = np.random.default_rng(depth)
    X = rng.normal(size=(N, d))
    Z = X @ rng.normal(size=(d, rank)) @ rng.normal(size=(rank, 4))
    K = linear_covariances(X, Z, depth)
    assert len(K) == depth
    assert K[-1] == pytest.approx(Z @ Z.T, abs=1e-10 * np.abs(Z).max() ** 2)
    cost = covariance_cost(K, [X @ X.T, *K[:-1]])
    assert cost == pytest.approx(linear_map_cost(pseudo_inverse(X) @ Z, depth).value, rel=1e-7)
    assert all(np.linalg.matrix_rank(layer, tol=1e-8) == min(rank, N, d) for layer in K)
    if d == N and rank == 3:
        inner = np.linalg.inv(X) @ Z @ Z.T @ np.linalg.inv(X).T
        sizes, V = np.linalg.eigh(inner)
        sizes = np.where(sizes > 1e-12 * sizes[-1], sizes, 0.0)
        for layer in range(1, depth + 1):
            expected = X @ (V * sizes ** (layer / depth)) @ V.T @ X.T
            assert K[layer - 1] == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())
    if depth > 1:
        # Controls: the exponents of another depth, and covariances nearby, cost more.
        G = np.eye(N) + 0.05 * rng.normal(size=(N, N))
        basis = X @ pseudo_inverse(X)
        nearby = basis @ G @ K[0] @ G.T @ basis
        assert covariance_cost([nearby, *K[1:]], [X @ X.T, nearby, *K[1:-1]]) > cost * (1 + 1e-6)
        deeper = linear_covariances(X, Z, depth + 1)
        assert np.abs(deeper[0] - K[0]).max() > 1e-4 * np.abs(K[0]).max()


def test_zero_singular_values_stay_zero():
    """A zero that is 1e-17 after rounding is 0.6 % of the rest after an eighth root."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(4, 4))
    Z = X @ np.outer(rng.normal(size=4), rng.normal(size=4))
    K = linear_covariances(X, Z, 8)
    assert np.linalg.matrix_rank(K[0], tol=1e-10) == 1
    inner = np.linalg.inv(X) @ Z @ Z.T @ np.linalg.inv(X).T
    sizes, V = np.linalg.eigh(inner)
    naive = X @ (V * np.abs(sizes) ** (1 / 8)) @ V.T @ X.T
    assert np.linalg.matrix_rank(naive, tol=1e-4) > 1


def test_the_projection_is_one_and_is_needed():
    rng = np.random.default_rng(10)
    chain = Representations(rng.normal(size=(6, 2)), [rng.normal(size=(6, n)) for n in (3, 2, 1)])
    assert chain.misfit > 0.3
    projected = chain.projected()
    assert projected.misfit < 1e-12
    for once, twice in zip(
        projected.preactivations, projected.projected().preactivations, strict=True
    ):
        assert twice == pytest.approx(once, abs=1e-12)
    assert projected.network(chain.X) == pytest.approx(projected.preactivations[-1], abs=1e-10)
    # Control: the network of weights S^+ Z has other representations where Z cannot be had.
    assert np.abs(chain.network(chain.X) - chain.preactivations[-1]).max() > 0.1
    # A layer with n + 1 >= N units in general position needs no projection above it.
    wide = Representations(rng.normal(size=(4, 4)), [rng.normal(size=(4, n)) for n in (9, 2)])
    assert wide.misfit < 1e-10


@pytest.mark.parametrize("seed", [0, 1])
def test_descent_with_and_without_projection(seed):
    """Appendix B.1: in a narrow network the loss without projection falls below the infimum over
    all networks.
    """
    rng = np.random.default_rng(seed)
    N, strength = 6, 0.01
    X, Y = rng.normal(size=(N, 1)), rng.normal(size=(N, 1))
    infimum = shallow_optimum(X, Y, strength).loss.lower
    start = representations(random_net((1, 2, 1), seed=seed), X)
    good, bad = (
        descend(start, Y, strength, steps=150, projected=projected) for projected in (True, False)
    )
    for found in (good, bad):
        assert (np.diff(found.losses) < 0).all()
    assert good.losses[-1] >= infimum
    assert good.losses[-1] < 0.97 * good.losses[0]
    assert good.representations.misfit < 1e-9
    loss = Objective.jacot_2022(strength).value(good.network, X, Y)
    assert loss == pytest.approx(good.losses[-1], rel=1e-6)
    assert bad.losses[-1] < 0.5 * infimum
    assert bad.representations.misfit > 0.1
    assert Objective.jacot_2022(strength).value(bad.network, X, Y) > infimum


def test_the_bound_of_appendix_b_is_false_as_printed():
    """|Z S^+| >= |Z v v^T S^+| for a unit v: not for Z = (1, -1), S^+ = (1, 1)^T, v = e_1."""
    Z, S, v = np.array([[1.0, -1.0]]), np.array([[1.0], [1.0]]), np.array([1.0, 0.0])
    assert np.linalg.norm(Z @ S) == 0
    assert np.linalg.norm((Z @ v) * (v @ S)) == 1


def test_smoothed_descent_comes_near_the_certified_optimum():
    rng = np.random.default_rng(1)
    X, Y, strength = rng.normal(size=(6, 1)), rng.normal(size=(6, 1)), 0.01
    optimum = shallow_optimum(X, Y, strength).loss
    start = representations(random_net((1, 4, 1), seed=1), X)
    found = descend_smoothed(start, Y, strength, tikhonov=(1e-1, 1e-2, 1e-4))
    loss = Objective.jacot_2022(strength).value(found.network, X, Y)
    assert optimum.lower <= loss < 1.01 * optimum.upper
    assert found.losses[-1] == pytest.approx(loss, rel=5e-3)
    # Control: a large t is no approximation, and its value no loss of a network.
    assert found.losses[0] < 0.5 * optimum.lower


def test_descent_finds_the_linear_optimum():
    """N = 1 and no biases: |c - y|^2 + 2 strength |c| is least at y - strength."""
    start = Representations([[1.0]], [[[1.0]], [[1.0]]], bias=0.0)
    for found in (descend(start, [[2.0]], 0.1), descend_smoothed(start, [[2.0]], 0.1)):
        assert found.network([[1.0]]) == pytest.approx(1.9, abs=1e-5)
        assert found.losses[-1] == pytest.approx(0.01 + 0.2 * 1.9, rel=1e-5)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0]))
def test_rotations_and_permutations_of_points_change_no_cost(seed, bias):
    rng = np.random.default_rng(seed)
    net, X = random_net((3, 4, 5, 2), bias, seed), rng.normal(size=(5, 3))
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
    layers = Representations(
        rng.normal(size=(4, 6)), [rng.normal(size=(4, n)) for n in (7, 2)], 0.0
    )
    Z = layers.preactivations
    moved = Representations(layers.X, [factor * Z[0], Z[1]], 0.0)
    assert moved.layer_costs == pytest.approx(
        layers.layer_costs * [factor**2, factor**-2], rel=1e-6
    )


ONE = Representations([[1.0]], [[[1.0]], [[1.0]]])


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: Representations([[1.0]], []), "at least one of each"),
        (lambda: Representations([[1.0]], [[[1.0], [2.0]]]), "same number of rows"),
        (lambda: Representations([[1.0]], [[[np.nan]]]), "holds NaN"),
        (lambda: representations(DeepNet([[[1.0]]], [[1.0]]), [[1.0]], 0.0), "bias is 0, but"),
        (lambda: residual_weights(DeepNet([[[1.0]]], [[1.0]]), [[1.0, 2.0]]), "X has 2 columns"),
        (lambda: covariance_cost([], []), "one of each per layer"),
        (lambda: covariance_cost([np.eye(2)], [np.ones((1, 1))]), "K_sigma"),
        (lambda: covariance_cost([[[1.0, 2.0], [0.0, 1.0]]], [np.eye(2)]), "not symmetric"),
        (lambda: covariance_cost([np.eye(2)], [np.eye(2)], tikhonov=-1.0), "tikhonov must be"),
        (
            lambda: linear_covariances([[1.0], [0.0]], [[0.0], [1.0]], 2),
            "not a linear function of X",
        ),
        (lambda: linear_covariances([[1.0]], [[1.0]], 0), "depth must be"),
        (lambda: descend(ONE, [[1.0, 2.0]], 0.1), "Y has shape"),
        (lambda: descend(ONE, [[1.0]], 0.0), "strength must be positive"),
        (lambda: descend(Representations([[1.0]], [[[1.0]]], 1.0, 0.5), [[1.0]], 0.1), "leaky"),
        (
            lambda: descend_smoothed(ONE, [[1.0]], 0.1, tikhonov=[0.0]),
            "tikhonov must hold positive",
        ),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()
