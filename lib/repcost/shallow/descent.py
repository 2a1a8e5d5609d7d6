"""All weights of a shallow network moved downhill at once.

Column generation holds its atoms fixed and buys new ones, so it comes near to an atom of the
optimum by ever more columns around it. A descent on all weights moves the few atoms that
matter to their places instead. It may end anywhere: the network is a proposal, which the
problem prices.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.scales import lengths
from repcost.shallow.merging import Atoms, OtherNeurons, Outer, unit_atoms
from repcost.shallow.problem import ShallowProblem

Flat = Float[np.ndarray, " p"]

# Neurons whose directions have at least this cosine, and those this much smaller than the largest,
# are taken for traces of how others were found.
_NEAR, _TRACE = 1 - 1e-4, 1e-4
# As far down as floats show; the number of steps is what ends it.
_OPTIONS = {"maxiter": 300, "ftol": 1e-16, "gtol": 1e-12}


@dataclass(frozen=True, eq=False)
class _FlatLoss:
    """The scaled loss as a function of all weights in one vector: K neurons from r to m numbers."""

    problem: ShallowProblem
    K: int
    r: int
    m: int

    def split(self, weights: Flat) -> tuple[Atoms, Outer]:
        into = self.K * self.r
        return weights[:into].reshape(self.K, self.r), weights[into:].reshape(self.K, self.m)

    def __call__(self, weights: Flat) -> tuple[float, Flat]:
        """The loss and its gradient; the output bias is always the best one."""
        W, A = self.split(weights)
        Xt, rho = self.problem.Xt, self.problem.rho
        received, R = Xt @ W.T, self.problem.residual(W, A)
        paid = (self.problem.output_bias(W, A) ** 2).sum()
        # The squares of the weights instead of 2 |a_k|: the same, once both layers are balanced.
        value = (R**2).sum() / rho + paid + weights @ weights
        pull = [((received > 0) * (R @ A.T)).T @ Xt, np.maximum(received, 0.0).T @ R]
        flat_pull = np.concatenate([part.ravel() for part in pull])
        return float(value), 2 * weights - 2 / rho * flat_pull


def descended(problem: ShallowProblem, W: Atoms, A: Outer) -> OtherNeurons:
    """The neurons at the end of a quasi-Newton descent from these, as atoms."""
    loss = _FlatLoss(problem, len(W), W.shape[1], A.shape[1])
    root = np.sqrt(lengths(A))[:, None]
    start = np.concatenate([(W * root).ravel(), (A / root).ravel()])
    # A step that is far too long may overflow; the next ones are shorter.
    with np.errstate(over="ignore", invalid="ignore"):
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options=_OPTIONS)
    return unit_atoms(*loss.split(found.x)) if np.isfinite(found.x).all() else (W, A)


def gathered(problem: ShallowProblem, W: Atoms, A: Outer) -> OtherNeurons:
    """Neurons of nearly one direction as one, without traces of others, moved downhill from there.

    A proposal too: where the neighbours were neurons of their own, it is a worse network.
    """
    size = lengths(A)
    large = np.argsort(-size, kind="stable")[: int((size > _TRACE * size.max(initial=0.0)).sum())]
    W, A, size = W[large], A[large], size[large]
    # Each belongs to the largest of its neighbours, which may be itself.
    group = np.argmax(W @ W.T > _NEAR, axis=1)
    first = np.unique(group)
    belongs = (group == first[:, None]).astype(float)
    return descended(problem, *unit_atoms(belongs @ (size[:, None] * W), belongs @ A))
