"""Noisy points on a line, and their fits by another solver."""

import cvxpy as cp
import numpy as np

from repcost import function_cost

LOSSES = ["squared", "absolute"]


def with_repetitions(rng, n=25) -> tuple[np.ndarray, np.ndarray]:
    """Points in disorder, on a grid, some of them with the same x and different y."""
    return rng.integers(-6, 7, size=n) / 4.0, rng.normal(size=n)


def objective(fit, y, strength, loss) -> float:
    residual = fit.fitted - y
    size = 0.5 * residual @ residual if loss == "squared" else np.abs(residual).sum()
    return size + strength * function_cost(fit.function).value


def by_cvxpy(x, y, strength, loss) -> float:
    """(24) over all slopes of a linear spline, the outermost ones included: no F2, no dual."""
    knots, group = np.unique(x, return_inverse=True)
    z, left, right = cp.Variable(len(knots)), cp.Variable(), cp.Variable()
    inner = [cp.multiply(cp.diff(z), 1 / np.diff(knots))] if len(knots) > 1 else []
    slopes = cp.hstack([left, *inner, right])
    cost = cp.maximum(cp.norm1(cp.diff(slopes)), cp.abs(left + right))
    residual = z[group] - y
    size = 0.5 * cp.sum_squares(residual) if loss == "squared" else cp.norm1(residual)
    total = size + strength * cost
    cp.Problem(cp.Minimize(total)).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11
    )
    return float(np.asarray(total.value))
