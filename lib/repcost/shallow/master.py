"""The best shallow network of any width by column generation: neurons are added until none can
lower the loss.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import clarabel
import numpy as np
from jaxtyping import Float
from scipy import sparse
from scipy.optimize import minimize

from repcost.shallow.problem import Multiplier, Problem
from repcost.shallow.pruning import Atoms, Other, Outer, basic_weights, merged, unit_atoms

solver: Any = clarabel  # compiled, without types
New = Float[np.ndarray, "new r"]
MOST_ROUNDS = 200
# Rounds without a narrower bracket after which another will not help.
_PATIENCE = 15
# Neurons added in a round, and rounds between two descents on all weights at once.
_NEW, _DESCENT = 60, 4


@dataclass(frozen=True, eq=False)
class Found:
    """lower: proven by the multiplier; upper: the scaled loss of the network of unit atoms (k, r)
    and outer (k, m).
    """

    lower: float
    upper: float
    multiplier: Multiplier
    atoms: Atoms
    outer: Outer

    @property
    def gap(self) -> float:
        return self.upper - self.lower


def least_network(
    problem: Problem, rtol: float, atoms: Atoms | None = None, progress: bool = False
) -> Found:
    """The minimum over all widths between two ends, for rho > 0; `atoms` are a first guess.

    The ends are `rtol` apart, or as far as they come.
    """
    W = np.zeros((0, problem.Xt.shape[1])) if atoms is None else atoms
    V, A = weighted(problem, W)
    found, best, patience = Found(0.0, np.inf, 0.0 * V, W, A), np.inf, 0
    for count in _rounds(progress):
        found, new = _improved(problem, found, W, A, V)
        if found.gap <= rtol * found.upper:
            break
        if count % _DESCENT == _DESCENT - 1 or not len(new):
            W, A = descended(problem, *fewer(problem, W, A))
            found, new = _improved(problem, found, W, A, problem.multiplier(W, A))
        patience = 0 if found.gap < 0.99 * best else patience + 1
        best = min(best, found.gap)
        if patience > _PATIENCE or not len(new):
            break
        W = np.concatenate([W, new])
        V, A = weighted(problem, W)
        used = np.linalg.norm(A, axis=1)
        keep = used > 1e-7 * used.max(initial=0.0)
        W, A = merged(problem.Xt, W[keep], A[keep])
    return found


def _rounds(progress: bool) -> Iterable[int]:
    if not progress:
        return range(MOST_ROUNDS)
    from tqdm import tqdm

    return tqdm(range(MOST_ROUNDS), desc="rounds of new neurons", leave=False)


def _improved(
    problem: Problem, found: Found, W: Atoms, A: Outer, V: Multiplier
) -> tuple[Found, New]:
    """The better ends of `found` and of this network and multiplier; and atoms that violate the
    dual.
    """
    peaks = problem.oracle.peaks(V)
    lower, feasible = problem.lower_bound(V, peaks.bound)
    if lower > found.lower:
        found = replace(found, lower=lower, multiplier=feasible)
    upper = problem.value(W, A)
    if upper < found.upper:
        found = replace(found, upper=upper, atoms=W, outer=A)
    return found, peaks.atoms[peaks.heights > 1 + 1e-11][:_NEW]


def weighted(problem: Problem, W: Atoms) -> tuple[Multiplier, Outer]:
    """The best outer weights of given atoms, from the prices of the dual constraints |V^T s_k| <=
    1.
    """
    (N, m), S = problem.Y.shape, problem.hidden(W)
    quadratic = problem.rho * np.eye(N) + problem.beta**2 * np.ones((N, N))
    if not len(W):
        return np.linalg.solve(quadratic, problem.Y), np.zeros((0, m))
    cones = np.zeros((len(W), m + 1, N, m))
    for j in range(m):
        cones[:, j + 1, :, j] = -S.T
    right = np.zeros((len(W), m + 1))
    right[:, 0] = 1.0
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solution = solver.DefaultSolver(
        sparse.csc_array(np.triu(np.kron(2 * quadratic, np.eye(m)))),
        -2 * problem.Y.ravel(),
        sparse.csc_array(cones.reshape(len(W) * (m + 1), N * m)),
        right.ravel(),
        [solver.SecondOrderConeT(m + 1)] * len(W),
        settings,
    ).solve()
    # A solver that fails costs width, not truth.
    V, prices = (
        np.nan_to_num(solution.x).reshape(N, m),
        np.nan_to_num(solution.z).reshape(-1, m + 1),
    )
    return V, -prices[:, 1:] / 2


def descended(problem: Problem, W: Atoms, A: Outer) -> Other:
    """All weights of the network moved downhill at once: this finds atoms that columns only
    approach one by one.
    """
    (K, r), m, Xt = W.shape, A.shape[1], problem.Xt
    scale = np.sqrt(np.linalg.norm(A, axis=1))[:, None]

    def objective(weights: Float[np.ndarray, " p"]) -> tuple[float, Float[np.ndarray, " p"]]:
        W, A = weights[: K * r].reshape(K, r), weights[K * r :].reshape(K, m)
        received, R = Xt @ W.T, problem.residual(W, A)
        pull = ((received > 0) * (R @ A.T)).T @ Xt, np.maximum(received, 0.0).T @ R
        value = (
            (R**2).sum() / problem.rho + (problem.output_bias(W, A) ** 2).sum() + weights @ weights
        )
        return float(value), 2 * weights - 2 / problem.rho * np.concatenate(
            [part.ravel() for part in pull]
        )

    start = np.concatenate([(W * scale).ravel(), (A / scale).ravel()])
    options = {"maxiter": 300, "ftol": 1e-16, "gtol": 1e-12}
    weights = minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x
    W, A = weights[: K * r].reshape(K, r), weights[K * r :].reshape(K, m)
    return unit_atoms(W, A)


def fewer(problem: Problem, W: Atoms, A: Outer) -> Other:
    """A network with the same outputs, no more cost and at most N m neurons."""
    W, A = merged(problem.Xt, *unit_atoms(W, A))
    size = np.linalg.norm(A, axis=1)
    columns = problem.hidden(W)[:, None, :] * (A / size[:, None]).T
    kept = basic_weights(columns.reshape(problem.Y.size, len(W)), size)
    return unit_atoms(W, A * (kept / size)[:, None])
