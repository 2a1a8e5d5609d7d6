"""Interpolation by rounds of new neurons at strength zero, where small ones hide what is small.

A bend of 1e-5 beside one of 1 is seen by the regularised problem only at a strength below their
quotient, where its dual is as badly conditioned as the one without any strength. That one can be
conditioned: with neurons that span all outputs, H = U diag(s) R, the unknown U^T V s tells how
steep V is on them, a number near one for each, however nearly dependent the outputs are.
"""

import numpy as np

from repcost.shallow.master import priced
from repcost.shallow.merging import Atoms
from repcost.shallow.problem import ShallowProblem
from repcost.shallow.repair import Repair

__all__ = ["narrowed_without_strength"]

_MOST_ROUNDS = 40
# The height at which a neuron is new, and the weight that is none, of the largest.
_NEW, _NO_WEIGHT = 1 + 1e-11, 1e-9
# The solver gets here more often than to one of 1e-12, and then is nearer than it says.
_TOLERANCE = 1e-10


def narrowed_without_strength(
    problem: ShallowProblem, repair: Repair, atoms: Atoms, rtol: float
) -> tuple[float, float]:
    """Two ends of the least scaled cost, `rtol` apart or as far as they come; `atoms`: a guess.

    The neurons of the repair stay in all rounds: with them the dual is bounded.
    """
    U, s, _ = np.linalg.svd(repair.hidden, full_matrices=False)
    T = U / s
    ones = T.T @ np.ones((len(T), 1))
    quadratic, Y = problem.beta**2 * ones @ ones.T, T.T @ problem.Y
    spanning, lower, upper = problem.oracle.spanning, 0.0, np.inf
    for _ in range(_MOST_ROUNDS):
        W = np.concatenate([spanning, atoms])
        S = T.T @ problem.hidden(W)
        u, A = priced(S, Y, quadratic, tolerance=_TOLERANCE, second_try=True)
        V = T @ u
        top = problem.oracle.peaks(V)
        lower = max(lower, problem.lower_bound(V, top.bound)[0])
        b = problem.beta * V.sum(axis=0)
        upper = min(upper, repair.cost(problem, W, A, b))
        new = top.atoms[top.heights > _NEW]
        if upper - lower <= rtol * upper or not len(new):
            break
        sizes = np.linalg.norm(A[len(spanning) :], axis=1)
        kept = atoms[sizes > _NO_WEIGHT * sizes.max(initial=0.0)]
        atoms = np.concatenate([kept, new])
    return lower, upper
