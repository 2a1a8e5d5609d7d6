"""A multiplier that suits a coarse bound: where the steepest neuron is only bounded from above.

The residual of a good network is the best multiplier if its steepest neuron is known. A coarse
bound of that neuron is less far off for residuals without the large patterns that the points have
in common: those of ridge regression are such. Any multiplier proves something, so three numbers
are chosen for the value: two penalties of the regression, its leading direction having one of its
own, and how much of the network's own residual is mixed in.
"""

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.shallow.problem import Multiplier, ShallowProblem

# Logarithms of the penalties over the squared size of the points, and the share, to begin with.
_STARTS = ((-4.0, -3.0, 0.3), (-1.0, 0.0, 0.0), (-7.0, -3.0, 0.0))
_TRIALS = 100


def lower_by_ridges(problem: ShallowProblem, own: Multiplier) -> float:
    """The best lower end of the scaled loss by such multipliers, `own` being one of them.

    >>> X = np.random.default_rng(0).normal(size=(30, 20))
    >>> problem = ShallowProblem.scaled(X, X[:, :1], 0.1, bias=0.0)
    >>> V = problem.Y * (1 + X[:, 1:2])
    >>> lower_by_ridges(problem, V) > problem.lower_bound(V, problem.oracle.bound(V))[0]
    True
    """
    left, sizes, _ = np.linalg.svd(problem.Xt, full_matrices=False)
    inside = left.T @ problem.Y
    own = own / max(float(np.linalg.norm(own)), 1e-300)

    def multiplier(numbers: Float[np.ndarray, "3"]) -> Multiplier:
        penalties = np.exp(np.clip(numbers[:2], -700.0, 300.0)) * sizes[0] ** 2
        squares, penalty = sizes**2, np.full(len(sizes), penalties[0])
        penalty[0] = penalties[1]
        kept = squares / np.maximum(squares + penalty, 1e-300)
        V = problem.Y - left @ (kept[:, None] * inside)
        return V + numbers[2] * float(np.linalg.norm(V)) * own

    def lower(V: Multiplier) -> float:
        return problem.lower_bound(V, problem.oracle.bound(V))[0]

    found = [
        minimize(
            lambda numbers: -lower(multiplier(numbers)),
            start,
            method="Nelder-Mead",
            options={"maxfev": _TRIALS},
        )
        for start in _STARTS
    ]
    return max(lower(own), *(-float(each.fun) for each in found))
