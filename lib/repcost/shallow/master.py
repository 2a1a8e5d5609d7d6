"""The best shallow network of any width by column generation.

The problem over all atoms has a column for each point of a sphere, and an optimum uses few of
them. So a round solves the problem for the atoms at hand (`weighted`, the master problem),
which gives a network, an upper bound, and a multiplier V. The oracle finds where |V^T relu(Xt
w)| exceeds one: those atoms would lower the loss and are added, those without weight go. The
maximum makes of V a feasible point of the dual, a lower bound. Both bounds hold in every
round, whatever the solver of the master problem does, and the best ones are kept.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float
from scipy import sparse

from repcost import cones
from repcost.progress import bar
from repcost.shallow.descent import descended
from repcost.shallow.merging import Atoms, OtherNeurons, Outer, merged
from repcost.shallow.problem import Multiplier, ShallowProblem
from repcost.shallow.pruning import fewer

New = Float[np.ndarray, "new r"]
MOST_ROUNDS = 200
# Rounds without a narrower bracket after which another will not help.
_PATIENCE = 15
# Neurons added in a round, and rounds between two descents on all weights at once.
_NEW, _DESCENT = 60, 4
# An atom that is this little above its price is there already, but for rounding.
_TOO_HIGH = 1 + 1e-11


@dataclass(frozen=True, eq=False)
class ScaledOptimum:
    """The two ends of the least scaled loss, and what proves them.

    lower: proven by the multiplier (N, m). upper: the scaled loss of the network of unit atoms
    (k, r) and outer weights (k, m).
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
    problem: ShallowProblem, rtol: float, atoms: Atoms | None = None, progress: bool = False
) -> ScaledOptimum:
    """The minimum over all widths between two ends, for rho > 0; `atoms` are a first guess.

    The ends are `rtol` apart, or as far as they come.

    >>> problem = ShallowProblem.scaled(np.eye(2), np.eye(2), 0.1, bias=0.0)
    >>> found = least_network(problem, 1e-6)
    >>> round(found.upper, 6), found.gap < 1e-6 * found.upper, len(found.atoms)
    (3.6, True, 2)
    """
    W = np.zeros((0, problem.Xt.shape[1])) if atoms is None else atoms
    V, A = weighted(problem, W)
    found, narrowest, idle = ScaledOptimum(0.0, np.inf, 0.0 * V, W, A), np.inf, 0
    for count in bar(range(MOST_ROUNDS), wanted=progress, what="rounds of new neurons"):
        found, new = _improved(problem, found, W, A, V)
        if found.gap <= rtol * found.upper:
            break
        # Also where no new atom is worth its price: all weights at once may still go down.
        if count % _DESCENT == _DESCENT - 1 or not len(new):
            W, A = descended(problem, *fewer(problem, W, A))
            found, new = _improved(problem, found, W, A, problem.multiplier(W, A))
        idle = 0 if found.gap < 0.99 * narrowest else idle + 1
        narrowest = min(narrowest, found.gap)
        if idle > _PATIENCE or not len(new):
            break
        (W, A), V = _with_new(problem, W, new)
    return found


def weighted(problem: ShallowProblem, W: Atoms) -> tuple[Multiplier, Outer]:
    """The multiplier and the best outer weights (k, m) of the given atoms W (k, r).

    The dual of the problem with these atoms alone is solved; the outer weight of an atom is
    the price of its constraint |V^T s_k| <= 1.

    >>> problem = ShallowProblem.scaled(np.eye(2), np.eye(2), 0.1, bias=0.0)
    >>> V, A = weighted(problem, np.eye(2))
    >>> V.round(6).tolist(), (A + 0.0).round(6).tolist()
    ([[2.0, 0.0], [0.0, 2.0]], [[0.8, 0.0], [0.0, 0.8]])
    """
    N, m = problem.Y.shape
    quadratic = problem.rho * np.eye(N) + problem.beta**2 * np.ones((N, N))
    if not len(W):
        return _without_atoms(problem, quadratic), np.zeros((0, m))
    return priced(problem.hidden(W), problem.Y, quadratic)


def priced(
    S: Float[np.ndarray, "N k"],
    Y: Multiplier,
    quadratic: Float[np.ndarray, "N N"],
    *,
    tolerance: float = 1e-12,
    second_try: bool = False,
) -> tuple[Multiplier, Outer]:
    """max 2 <V, Y> - <V, quadratic V> with |V^T s_k| <= 1 for the columns of S; and A."""
    (N, m), k = Y.shape, S.shape[1]
    rows, right = _constraints(S, m)
    found = cones.propose(
        sparse.csc_array(np.triu(np.kron(2 * quadratic, np.eye(m)))),
        -2 * Y.ravel(),
        rows,
        right,
        cones.balls(m + 1, k),
        tolerance=tolerance,
        second_try=second_try,
    )
    # Each constraint has m + 1 prices, of its length and of its m entries.
    prices = found.prices.reshape(k, m + 1)
    return found.x.reshape(N, m), -prices[:, 1:] / 2


def _without_atoms(problem: ShallowProblem, quadratic: Float[np.ndarray, "N N"]) -> Multiplier:
    try:
        return np.linalg.solve(quadratic, problem.Y)
    except np.linalg.LinAlgError:
        # A rho below the rounding of beta^2: the residual of the best output bias, over rho.
        nothing = np.zeros((0, problem.Xt.shape[1])), np.zeros((0, problem.Y.shape[1]))
        return problem.multiplier(*nothing)


def _constraints(
    S: Float[np.ndarray, "N k"], m: int
) -> tuple[sparse.csc_array, Float[np.ndarray, " rows"]]:
    """(1, V^T s_k) in a second-order cone for each column of S, V (N, m) being the unknown."""
    N, k = S.shape
    rows, right = np.zeros((k, m + 1, N, m)), np.zeros((k, m + 1))
    for output in range(m):
        rows[:, output + 1, :, output] = -S.T
    right[:, 0] = 1.0
    return sparse.csc_array(rows.reshape(k * (m + 1), N * m)), right.ravel()


def _improved(
    problem: ShallowProblem, found: ScaledOptimum, W: Atoms, A: Outer, V: Multiplier
) -> tuple[ScaledOptimum, New]:
    """The better ends of `found` and of this network and V; and atoms that violate the dual."""
    peaks = problem.oracle.peaks(V)
    lower, feasible = problem.lower_bound(V, peaks.bound)
    if lower > found.lower:
        found = replace(found, lower=lower, multiplier=feasible)
    upper = problem.value(W, A)
    if upper < found.upper:
        found = replace(found, upper=upper, atoms=W, outer=A)
    return found, peaks.atoms[peaks.heights > _TOO_HIGH][:_NEW]


def _with_new(problem: ShallowProblem, W: Atoms, new: New) -> tuple[OtherNeurons, Multiplier]:
    """The master problem with the new atoms, without those that it gives no weight."""
    W = np.concatenate([W, new])
    V, A = weighted(problem, W)
    used = np.linalg.norm(A, axis=1)
    keep = used > 1e-7 * used.max(initial=0.0)
    return merged(problem.Xt, W[keep], A[keep]), V
