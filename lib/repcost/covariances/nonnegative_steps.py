"""Nonnegative factors of one matrix, A = B B^T, by Levenberg and Marquardt's method.

There are fewer equations than unknowns, so a step is the shortest one that solves the linear
equations, damped: J^T (J J^T + m)^-1 r, with a matrix of the size of the equations. Entries that
are zero and would become negative stay zero, and what a step makes negative is set to zero.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from repcost.covariances.cost import Covariance

Factor = Float[np.ndarray, "N k"]
Errors = Float[np.ndarray, " equations"]

# For a matrix with entries of size one: the damping at first, its least, and when to give up.
_DAMPING, _LEAST, _MOST = 1e-2, 1e-14, 1e6
_EASED, _RAISED = 0.2, 4.0
# Steps that gain less than this part of the squared error are counted as none.
_GAIN, _PATIENCE = 1e-3, 8


class _Point(NamedTuple):
    """A factor, the errors of its products, each pair of points once, and their squares' sum."""

    B: Factor
    errors: Errors
    total: float


def nonnegative_factor(
    A: Covariance, start: Factor, free: Bool[np.ndarray, "N k"], steps: int
) -> Factor:
    """A factor with smaller errors, zero where it is not free."""
    at = _measured(A, np.where(free, np.maximum(start, 0.0), 0.0))
    damping, idle = _DAMPING, 0
    for _ in range(steps):
        if at.total == 0 or damping > _MOST or idle > _PATIENCE:
            break
        after = _measured(A, _stepped(at, free, damping))
        better = after.total < at.total
        idle = 0 if after.total < (1 - _GAIN) * at.total else idle + 1
        damping = max(damping * _EASED, _LEAST) if better else damping * _RAISED
        at = after if better else at
    return at.B


def _measured(A: Covariance, B: Factor) -> _Point:
    errors = (B @ B.T - A)[np.tril_indices(len(A))]
    return _Point(B, errors, float(errors @ errors))


def _stepped(at: _Point, free: Bool[np.ndarray, "N k"], damping: float) -> Factor:
    N, k = at.B.shape
    i, j = np.tril_indices(N)
    pairs = np.arange(len(i))
    rows = np.zeros((len(i), N, k))
    # On the diagonal, i = j, both terms fall on the same entry.
    rows[pairs, i] += at.B[j]
    rows[pairs, j] += at.B[i]
    downhill = -np.tensordot(at.errors, rows, axes=1)
    moving = free & ((at.B > 0) | (downhill > 0))
    J = rows[:, moving]
    try:
        solved = cho_solve(cho_factor(J @ J.T + damping * np.eye(len(J))), at.errors)
    except LinAlgError:
        return at.B
    B = at.B.copy()
    B[moving] -= solved @ J
    return np.maximum(B, 0.0)
