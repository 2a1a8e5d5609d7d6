"""The price of an interpolation error: what it costs at most to add a network that takes it away.

Fix neurons whose outputs at the N points, the columns of H, span what all neurons span. An
error E (N, m) is taken away by the outer weights H^+ E of these neurons. A network that
nearly interpolates thus becomes one that does, up to the rounding of that step. The rest of
the error, E', is taken away by outer weights of size |E'| / (the least singular value of H)
at most.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.rounding import UNIT
from repcost.shallow.merging import Atoms, Outer
from repcost.shallow.problem import Multiplier, ShallowProblem

# Where the outputs of all neurons do not span everything, directions below this count as none.
_NEGLIGIBLE = 1e-9


@dataclass(frozen=True, eq=False)
class Repair:
    """Neurons whose outputs span all outputs, so that a remaining error has a price.

    hidden: their outputs, H. inverse: H^+. least: at most the least singular value of H.
    is_proven: H has rank N beyond rounding, so that every error can be taken away.
    """

    hidden: Float[np.ndarray, "N k"]
    inverse: Float[np.ndarray, "k N"]
    least: float
    is_proven: bool

    @classmethod
    def of(cls, problem: ShallowProblem) -> "Repair":
        H = problem.hidden(problem.oracle.spanning)
        # No neuron gives anything, as where all points are zero and there is no bias.
        if not H.any():
            return cls(H, np.zeros((H.shape[1], len(H))), np.inf, False)
        s = np.linalg.svd(H, compute_uv=False)
        # More than rounding moves a singular value.
        tiny = (200 * len(H) + 20 * problem.Xt.shape[1]) * UNIT * float(s[0])
        if len(s) == len(H) and s[-1] > 2 * tiny:
            # No singular value is left out, as none of them is rounding.
            return cls(H, np.linalg.pinv(H, rcond=0), float(s[-1] - tiny), True)
        # Where not everything is spanned, rounding decides what is.
        least = s[s > _NEGLIGIBLE * s[0]].min()
        return cls(H, np.linalg.pinv(H, rcond=_NEGLIGIBLE), float(least), False)

    def reaches(self, Y: Multiplier) -> bool:
        """Whether these neurons have the outputs Y: proven, or to eight digits."""
        left = np.linalg.norm(Y - self.hidden @ (self.inverse @ Y))
        return self.is_proven or bool(left <= 1e-8 * np.linalg.norm(Y))

    def cost(
        self, problem: ShallowProblem, W: Atoms, A: Outer, b: Float[np.ndarray, " m"]
    ) -> float:
        """From above: the cost of a network that interpolates, made of this one and the repair."""
        E = problem.Y - problem.hidden(W) @ A - problem.beta * b
        added = self.inverse @ E
        rounding = _rounding(problem, A, added, b)
        # A second repair, of what rounding leaves of the first.
        left = np.linalg.norm(E - self.hidden @ added) + rounding
        # sum_k |a_k| <= sqrt(k) |A| for the k rows of A.
        rest = np.sqrt(len(added)) * left / self.least
        paths = sum(float(np.linalg.norm(outer, axis=1).sum()) for outer in (A, added))
        upward = 1 + 2 * (A.size + added.size + 20) * UNIT
        return float((2 * paths + 2 * rest + b @ b) * upward)


def _rounding(
    problem: ShallowProblem, A: Outer, added: Float[np.ndarray, "added m"], b: np.ndarray
) -> float:
    """More than the outputs of the network and of its repair are off, in the norm of all points."""
    reach = np.linalg.norm(problem.Xt, axis=1)[:, None] * sum(
        np.abs(outer).sum(axis=0) for outer in (A, added)
    )
    sizes = np.abs(problem.Y) + reach + np.abs(problem.beta * b)
    units = 2 * (len(A) + problem.Xt.shape[1] + len(added) + 10)
    return units * UNIT * float(np.linalg.norm(sizes))
