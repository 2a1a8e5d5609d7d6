"""The least cost of a shallow network that interpolates: the regularised problem as its strength
goes to zero.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from repcost.rounding import UNIT
from repcost.shallow.master import least_network
from repcost.shallow.problem import Multiplier, Problem
from repcost.shallow.pruning import Atoms, Outer

# Strengths tried, in the units of the scaled problem.
_STRENGTHS = 10.0 ** -np.arange(1.0, 13.0)


def cost_of_interpolation(problem: Problem, rtol: float) -> tuple[float, float, bool]:
    """Bounds of the least scaled cost with S A + beta 1 b^T = Y, and whether the upper one is
    proven; rho is 0.

    The multiplier of any strength bounds the cost from below. A second solve, for the targets Y +
    rho V, undoes what the first one held back (the method of multipliers), so that hardly anything
    is left to interpolate.
    """
    repair = _Repair.of(problem)
    if repair.missed(problem.Y) > 1e-8 * np.linalg.norm(problem.Y):
        raise ValueError(
            "no network without biases interpolates Y at X; set bias > 0 or use shallow_optimum"
        )
    lower, upper, atoms, stuck = 0.0, np.inf, None, 0
    for rho in _STRENGTHS:
        before, target = upper - lower, problem.Y
        for _ in range(2):
            regular = replace(problem, rho=float(rho), Y=target)
            found = least_network(regular, rtol / 10, atoms)
            atoms, V = found.atoms, regular.multiplier(found.atoms, found.outer)
            for multiplier in (V, found.multiplier):
                steepest = problem.oracle.peaks(multiplier).bound
                lower = max(lower, problem.lower_bound(multiplier, steepest)[0])
            b = regular.output_bias(found.atoms, found.outer)
            upper = min(upper, repair.cost(problem, found.atoms, found.outer, b))
            target = problem.Y + rho * V
        gap = upper - lower
        stuck = stuck + 1 if before / 2 < gap < 1e-3 * upper else 0
        if gap <= rtol * upper or stuck == 3:
            break
    return lower, upper, repair.is_proven


@dataclass(frozen=True, eq=False)
class _Repair:
    """Neurons whose outputs `hidden` (N, k) span all outputs, so that a remaining error has a
    price.
    """

    hidden: Float[np.ndarray, "N k"]
    inverse: Float[np.ndarray, "k N"]
    least: float
    is_proven: bool

    @classmethod
    def of(cls, problem: Problem) -> "_Repair":
        S = problem.hidden(problem.oracle.spanning)
        s = np.linalg.svd(S, compute_uv=False)
        tiny = (200 * len(S) + 20 * problem.Xt.shape[1]) * UNIT * s[0]
        is_proven = len(s) == len(S) and bool(s[-1] > 2 * tiny)
        # Where not everything is spanned, rounding decides what is.
        least = s[-1] - tiny if is_proven else s[s > 1e-9 * s[0]].min(initial=np.inf)
        return cls(S, np.linalg.pinv(S, rcond=0 if is_proven else 1e-9), float(least), is_proven)

    def missed(self, E: Multiplier) -> float:
        return float(np.linalg.norm(E - self.hidden @ (self.inverse @ E)))

    def cost(self, problem: Problem, W: Atoms, A: Outer, b: Float[np.ndarray, " m"]) -> float:
        """From above: the cost of a network that interpolates, made of this one and what it leaves."""
        E = problem.Y - problem.hidden(W) @ A - problem.beta * b
        added = self.inverse @ E
        reach = np.linalg.norm(problem.Xt, axis=1)[:, None] * sum(
            np.abs(outer).sum(axis=0) for outer in (A, added)
        )
        sizes = np.abs(problem.Y) + reach + np.abs(problem.beta * b)
        rounding = (
            2 * (len(W) + problem.Xt.shape[1] + len(added) + 10) * UNIT * np.linalg.norm(sizes)
        )
        # A second repair, of what rounding leaves of the first, has |outer weights| <= |error| /
        # least singular value.
        rest = (
            np.sqrt(len(added)) * (np.linalg.norm(E - self.hidden @ added) + rounding) / self.least
        )
        paths = sum(float(np.linalg.norm(outer, axis=1).sum()) for outer in (A, added))
        return float((2 * paths + 2 * rest + b @ b) * (1 + 2 * (A.size + added.size + 20) * UNIT))
