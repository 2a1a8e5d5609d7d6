"""The loss seen from covariances, where it is convex, and the covariances of linear networks."""

import numpy as np
import pytest

from repcost import linear_map_cost
from repcost.covariances import covariance_cost, linear_covariances
from repcost.representations import representations
from tests.layer_problems import scaled_net, sent


@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("widths", [(4, 7, 7, 2), (3, 2, 5, 1)])
def test_costs_are_functions_of_covariances(bias, widths):
    """Proposition 3, and its smoothed form: an increasing lower bound."""
    X = np.random.default_rng(4).normal(size=(5, widths[0]))
    layers = representations(scaled_net(*widths, bias=bias), X, bias)
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
    expected = np.sum(W**2) + np.sum((Z - S @ W.T) ** 2) / t
    smoothed = covariance_cost([Z @ Z.T], [S @ S.T], tikhonov=t)
    assert smoothed == pytest.approx(expected, rel=1e-12)


def test_outside_of_the_image_the_cost_is_infinite():
    K, K_sigma = np.diag([1.0, 1.0]), np.diag([1.0, 0.0])
    assert covariance_cost([K], [K_sigma]) == np.inf
    assert covariance_cost([K], [K_sigma], tikhonov=1e-6) > 1e5
    assert covariance_cost([K_sigma], [K_sigma]) == 1.0
    # Control: the plain pseudo-inverse forgets the second point.
    assert np.trace(K @ np.linalg.pinv(K_sigma)) == 1.0


def random_triples(rng, N=3):
    """A feasible (K, K_sigma, Z_next) of the last hidden layer, and the covariance below it."""
    Z = rng.normal(size=(N, rng.integers(1, 5)))
    A = sent(Z, 1.0)
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


def linear_problem(depth, N, d, rank):
    """X and Z_last, of that rank, and a generator for more."""
    rng = np.random.default_rng(depth)
    X = rng.normal(size=(N, d))
    return X, X @ rng.normal(size=(d, rank)) @ rng.normal(size=(rank, 4)), rng


def pseudo_inverse(S):
    return np.linalg.pinv(S, rtol=1e-10)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("N, d", [(4, 4), (6, 3), (3, 5)])
@pytest.mark.parametrize("rank", [1, 3])
def test_linear_networks(depth, N, d, rank):
    """Item 2 of section 3.1, also for X that is not square."""
    X, Z, _ = linear_problem(depth, N, d, rank)
    K = linear_covariances(X, Z, depth)
    assert len(K) == depth
    assert K[-1] == pytest.approx(Z @ Z.T, abs=1e-10 * np.abs(Z).max() ** 2)
    cost = covariance_cost(K, [X @ X.T, *K[:-1]])
    # Of the rank that was meant: the products are of that rank up to rounding only.
    least = linear_map_cost(pseudo_inverse(X) @ Z, depth).lower
    assert cost == pytest.approx(least, rel=1e-7)
    assert all(np.linalg.matrix_rank(layer, tol=1e-8) == min(rank, N, d) for layer in K)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_the_formula_for_invertible_inputs(depth):
    X, Z, _ = linear_problem(depth, 4, 4, 3)
    inner = np.linalg.inv(X) @ Z @ Z.T @ np.linalg.inv(X).T
    sizes, V = np.linalg.eigh(inner)
    sizes = np.where(sizes > 1e-12 * sizes[-1], sizes, 0.0)
    for layer, found in enumerate(linear_covariances(X, Z, depth), start=1):
        expected = X @ (V * sizes ** (layer / depth)) @ V.T @ X.T
        assert found == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("depth", [2, 3, 5])
@pytest.mark.parametrize("N, d", [(4, 4), (6, 3), (3, 5)])
@pytest.mark.parametrize("rank", [1, 3])
def test_other_covariances_cost_more(depth, N, d, rank):
    """Controls: covariances nearby, and the exponents of another depth."""
    X, Z, rng = linear_problem(depth, N, d, rank)
    K = linear_covariances(X, Z, depth)
    G = np.eye(N) + 0.05 * rng.normal(size=(N, N))
    basis = X @ pseudo_inverse(X)
    nearby = basis @ G @ K[0] @ G.T @ basis
    cost = covariance_cost(K, [X @ X.T, *K[:-1]])
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


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: covariance_cost([], []), "one of each per layer"),
        (lambda: covariance_cost([np.eye(2)], [np.ones((1, 1))]), "K_sigma"),
        (lambda: covariance_cost([[[1.0, 2.0], [0.0, 1.0]]], [np.eye(2)]), "not symmetric"),
        (lambda: covariance_cost([np.eye(2)], [np.eye(2)], tikhonov=-1.0), "tikhonov must be"),
        (lambda: linear_covariances([[1.0], [0.0]], [[0.0], [1.0]], 2), "not a linear function"),
        (lambda: linear_covariances([[1.0]], [[1.0]], 0), "depth must be"),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()
