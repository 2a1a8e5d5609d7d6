"""Two textbook ways to the least loss of a shallow network, a unit a round, with both proven ends.

They show what `shallow_optimum` is made of, and what the choice of the method is worth. In each
round the steepest unit for the multiplier V of the moment is found; it proves a lower end. Column
generation then weighs all units found so far anew. The steps of Frank and Wolfe only mix the new
unit into the covariance of the old ones, which never leaves the cone and never weighs anew.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize_scalar

from repcost.arrays import ArrayLike
from repcost.scalars import whole_number
from repcost.shallow.arguments import checked_data, checked_strength
from repcost.shallow.master import weighted
from repcost.shallow.problem import ShallowProblem

# Strengths, in the units of the data, that plain products with them can do with.
_WEAKEST, _STRONGEST = 1e-100, 1e100

# (lower, upper) of the least loss, a row a round.
Ends = Float[np.ndarray, "rounds 2"]


def column_generation(
    X: ArrayLike, Y: ArrayLike, strength: float, rounds: int, *, bias: float = 1.0
) -> Ends:
    """Lower and upper ends of the least loss over all widths, after 0, 1, ... units were bought.

    The convex problem of section 3.3 of Jacot et al. (2022). Each round solves the problem for the
    units found so far, and buys the one that promises most.

    >>> column_generation([[0.0], [1.0]], [[0.0], [2.0]], 0.1, 4)[[0, -1]].round(4).tolist()
    [[0.3589, 1.0909], [0.3614, 0.3615]]
    """
    problem, rounds = _problem(X, Y, strength, bias), whole_number(rounds, "rounds", 1)
    W, ends = np.zeros((0, problem.Xt.shape[1])), []
    # The oracle bounds the steepest unit from above, so the multiple of V it allows is a proof.
    for _ in range(rounds):
        V, A = weighted(problem, W)
        top = problem.oracle.peaks(V)
        ends.append([problem.lower_bound(V, top.bound)[0], problem.value(W, A)])
        W = np.vstack([W, top.atoms[:1]])
    return _worth(problem, strength) * np.array(ends)


@dataclass(frozen=True, eq=False)
class _Mixture:
    """A covariance of hidden units, and how much weight they have together."""

    mass: float
    K: Float[np.ndarray, "N N"]

    def towards(self, other: "_Mixture", share: float) -> "_Mixture":
        mass = (1 - share) * self.mass + share * other.mass
        return _Mixture(mass, (1 - share) * self.K + share * other.K)


def frank_wolfe(
    X: ArrayLike, Y: ArrayLike, strength: float, rounds: int, *, bias: float = 1.0
) -> Ends:
    """The same ends by the steps of Frank and Wolfe on the covariance K of the hidden units.

    The loss in section 3.3 of Jacot et al. (2022) is mass + Tr Y Y^T (K + rest)^-1 for the mass of
    the units; a step goes to the steepest unit of the largest mass worth having, as far as is best.

    >>> frank_wolfe([[0.0], [1.0]], [[0.0], [2.0]], 0.1, 4)[[0, -1]].round(4).tolist()
    [[0.3589, 1.0909], [0.3582, 0.3645]]
    """
    problem, rounds = _problem(X, Y, strength, bias), whole_number(rounds, "rounds", 1)
    N = len(problem.Y)
    # What the loss has besides hidden units: the penalty of the fit, and the output bias.
    rest = problem.rho * np.eye(N) + problem.beta**2

    def value(mixture: _Mixture) -> float:
        solved = _solved(rest + mixture.K, problem.Y)
        return mixture.mass + float(np.sum(problem.Y * solved))

    now = nothing = _Mixture(0.0, np.zeros((N, N)))
    # More mass than the loss without units is never worth its price.
    most, ends = value(nothing), []
    for _ in range(rounds):
        V = _solved(rest + now.K, problem.Y)
        top = problem.oracle.peaks(V)
        ends.append([problem.lower_bound(V, top.bound)[0], value(now)])
        s = problem.hidden(top.atoms[:1])
        # Where no unit is worth its price the best corner is that without units.
        corner = _Mixture(most, most * s @ s.T) if top.bound > 1 else nothing
        now = _best_step(value, now, corner)
    return _worth(problem, strength) * np.array(ends)


def _solved(K: Float[np.ndarray, "N N"], Y: Float[np.ndarray, "N m"]) -> Float[np.ndarray, "N m"]:
    try:
        return np.linalg.solve(K, Y)
    except np.linalg.LinAlgError:
        raise ValueError("strength is lost in the rounding; use shallow_optimum") from None


def _best_step(value, now: _Mixture, corner: _Mixture) -> _Mixture:
    found: Any = minimize_scalar(
        lambda share: value(now.towards(corner, share)), bounds=(0, 1), options={"xatol": 1e-12}
    )
    return now.towards(corner, found.x)


def _problem(X: ArrayLike, Y: ArrayLike, strength: float, bias: float) -> ShallowProblem:
    X, Y, bias = checked_data(X, Y, bias)
    strength = checked_strength(strength, "these methods need weight decay")
    problem = ShallowProblem.scaled(X, Y, strength, bias)
    if not _WEAKEST < problem.rho < _STRONGEST:
        remedy = "use shallow_optimum"
        raise ValueError(f"strength {strength:g} is too far from the size of X and Y; {remedy}")
    return problem


def _worth(problem: ShallowProblem, strength: float) -> float:
    """What one unit of the scaled loss is worth in the loss itself."""
    return strength * problem.unit
