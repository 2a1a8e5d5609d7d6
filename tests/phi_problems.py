"""Phi_L by its definition and in 50 digits, and the random problems to ask for."""

import mpmath
import numpy as np
from scipy.optimize import minimize

DEPTHS = [2, 3, 4, 5, 8, 20]


def random_problem(seed, K, d, spread=0.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(K, d)) * 10.0 ** rng.uniform(-spread, spread, (K, 1)), rng.normal(
        size=K
    )


def rotation(seed, d):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


def by_definition(W, a, depth):
    """Equation (11) itself over log lambda: neither Lemma 3.4 nor the contraction is used."""
    q, M = 2 / (depth - 1), a[:, None] * W

    def objective(t):
        U, s, _ = np.linalg.svd(np.exp(-t)[:, None] * M, full_matrices=False)
        value = (np.exp(2 * t).sum() + (depth - 1) * (s**q).sum()) / depth
        return value, 2 / depth * (np.exp(2 * t) - U**2 @ s**q)

    start = np.log(np.linalg.norm(M, axis=1)) / depth
    options = {"maxiter": 5000, "maxfun": 10000, "ftol": 1e-16, "gtol": 1e-12, "maxcor": 30}
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=options).fun


def in_50_digits(W, a, depth, digits=50):
    """The fixed point for exactly these floats; rows or columns must be independent."""
    with mpmath.workdps(digits):
        K, d = W.shape
        M = mpmath.matrix(
            [
                [mpmath.mpf(x) * mpmath.mpf(w) for w in row]
                for row, x in zip(W.tolist(), a, strict=True)
            ]
        )
        beta = mpmath.mpf(1) / (depth - 1)
        c = before = [mpmath.norm(M[k, :]) for k in range(K)]
        shares = c
        for _ in range(90):
            X = mpmath.matrix(K, d)
            for k in range(K):
                X[k, :] = M[k, :] / mpmath.sqrt(c[k])
            sizes, V = mpmath.eigsy(X.T * X if d <= K else X * X.T)
            rows, power = (X * V, beta - 1) if d <= K else (V, beta)
            shares = [
                sum(rows[k, j] ** 2 * sizes[j] ** power for j in range(len(sizes)))
                for k in range(K)
            ]
            image = [mpmath.sqrt(x * share) for x, share in zip(c, shares, strict=True)]
            c, before = image, c
            if max(abs(x / y - 1) for x, y in zip(c, before, strict=True)) < mpmath.mpf(10) ** -30:
                break
        return sum(shares) ** ((depth - 1) * mpmath.mpf(1) / depth) * sum(before) ** (
            mpmath.mpf(1) / depth
        )


def assert_certified(cost, rtol=1e-10):
    assert cost.how == "certified"
    assert np.all(cost.relative_gap <= rtol)
