"""Data for shallow networks, and independent ways to the least loss of these."""

from collections.abc import Iterable
from itertools import product

import cvxpy as cp
import numpy as np
from scipy.optimize import minimize

from repcost import DeepNet


def random_data(N, d, m, seed=0):
    rng = np.random.default_rng([N, d, m, seed])
    return rng.normal(size=(N, d)), rng.normal(size=(N, m))


def balanced_blocks(N):
    """B_N of Proposition 13: N^2/4 neurons give it, each active at a point of each half."""
    half, ones = np.eye(N // 2) * N / 2, np.ones((N // 2, N // 2))
    return np.block([[half, ones], [ones, half]])


def inputs_with_bias(X, bias):
    """[X, bias 1], or X where there is none.

    Not the library's `with_bias`, which what is tested uses: if that were wrong, so would be both.
    """
    return np.column_stack([X, np.full(len(X), bias)]) if bias else np.asarray(X)


def loss_of(net, X, Y, strength, bias):
    """The definition, with the biases' own weights."""
    weights = [*net.weights, *(b / bias if bias else b for b in net.biases)]
    return np.sum((net(X) - Y) ** 2) / len(X) + strength * sum(np.sum(w**2) for w in weights)


def assert_certified(bracket, rtol=1e-6):
    assert bracket.how == "certified"
    assert bracket.relative_gap <= rtol


def assert_agree(one, other, factor=1.0):
    """The brackets `factor` times one, and the other, may be of the same number."""
    assert one.lower * factor <= other.upper * (1 + 1e-12)
    assert other.lower <= one.upper * factor * (1 + 1e-12)


def steepest_by_search(V, Xt, seed=0):
    """max |V^T relu(Xt w)| over many random unit w."""
    w = np.random.default_rng(seed).normal(size=(50_000, Xt.shape[1]))
    return (np.linalg.norm(np.maximum(w @ Xt.T, 0) @ V, axis=1) / np.linalg.norm(w, axis=1)).max()


# Theirs: other methods for the same minimum.


def cone_programme(
    Xt: np.ndarray, y: np.ndarray, strength: float, bias: float, patterns: Iterable[np.ndarray]
) -> cp.Problem:
    """Pilanci & Ergen (2020): two cones per activation pattern, one for each sign of the output.

    The least loss for one output, over networks with these patterns; strength 0 interpolates.
    """
    b = cp.Variable()
    output, paid, cones = bias * b, cp.square(b), []
    for pattern, sign in product(patterns, (1, -1)):
        u = cp.Variable(Xt.shape[1])
        cones.append(cp.multiply(2.0 * pattern - 1, Xt @ u) >= 0)
        output, paid = output + sign * cp.multiply(1.0 * pattern, Xt @ u), paid + 2 * cp.norm(u)
    if not strength:
        return cp.Problem(cp.Minimize(paid), [*cones, output == y])
    error = cp.sum_squares(output - y) / len(y)
    return cp.Problem(cp.Minimize(error + strength * paid), cones)


def by_cone(X, y, strength, bias):
    """The value of the cone programme, with the patterns of many random neurons."""
    Xt = inputs_with_bias(X, bias)
    w = np.random.default_rng(0).normal(size=(5_000, Xt.shape[1]))
    patterns = np.unique(w @ Xt.T > 0, axis=0)
    programme = cone_programme(Xt, y, strength, bias, patterns)
    tight = {"tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9}
    programme.solve(solver="CLARABEL", **tight)
    return np.asarray(programme.value).item()


def trained(X, Y, strength, bias, width, seed, steps=200):
    """All weights by quasi-Newton from a random start."""
    Xt = inputs_with_bias(X, bias)
    r, m = Xt.shape[1], Y.shape[1]
    constant = np.full((len(X), 1), bias)

    def split(weights):
        return weights[: width * r].reshape(width, r), weights[width * r :].reshape(m, width + 1)

    def objective(weights):
        W, A = split(weights)
        received = Xt @ W.T
        S = np.column_stack([np.maximum(received, 0), constant])
        E = S @ A.T - Y
        back = ((received > 0) * (E @ A[:, :-1])).T @ Xt
        slopes = np.concatenate([back.ravel(), (E.T @ S).ravel()]) * 2 / len(X)
        value = np.sum(E**2) / len(X) + strength * weights @ weights
        return value, slopes + 2 * strength * weights

    start = np.random.default_rng(seed).normal(size=width * r + m * (width + 1))
    options = {"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-14}
    W, A = split(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x)
    first = (W[:, :-1], bias * W[:, -1]) if bias else (W, np.zeros(width))
    return DeepNet([first[0], A[:, :-1]], [first[1], bias * A[:, -1]])
