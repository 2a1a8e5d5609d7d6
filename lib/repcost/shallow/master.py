"""The best shallow network of any width by column generation.

The problem over all atoms has a column for each point of a sphere, and an optimum uses few of
them. So a round solves the problem for the atoms at hand (`weighted`, the master problem),
which gives a network, an upper bound, and a multiplier V. The oracle finds where |V^T relu(Xt
w)| exceeds one: those atoms would lower the loss and are added, those without weight go. The
maximum makes of V a feasible point of the dual, a lower bound. Both bounds hold in every
round, whatever the solver of the master problem does, and the best ones are kept.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float
from scipy import sparse

from repcost import cones
from repcost.progress import bar
from repcost.shallow.descent import descended
from repcost.shallow.ends import MOST_NEW, New, ScaledOptimum, proved
from repcost.shallow.merging import Atoms, OtherNeurons, Outer, merged
from repcost.shallow.oracle import MOST_OUTPUTS
from repcost.shallow.problem import Multiplier, ShallowProblem
from repcost.shallow.pruning import fewer

MOST_ROUNDS = 200
# Nodes of the branch and bound in all of one proof, and proofs that may find a steeper neuron.
MOST_NODES, _PROOFS = 200_000, 20
# Rounds without a narrower bracket after which another will not help.
# And the same where neurons come from a search, which may find them later.
_PATIENCE, _MORE_PATIENCE = 15, 50
# Rounds between two descents on all weights at once.
_DESCENT = 4
# An atom that is this little above its price is there already, but for rounding.
_TOO_HIGH = 1 + 1e-11


def least_network(
    problem: ShallowProblem,
    rtol: float,
    atoms: Atoms | None = None,
    progress: bool = False,
    nodes: int = MOST_NODES,
) -> ScaledOptimum:
    """The minimum over all widths between two ends, for rho > 0; `atoms` are a first guess.

    The ends are `rtol` apart, or as far as they come; `nodes` limits the proofs where faces are
    not listed.

    >>> problem = ShallowProblem.scaled(np.eye(2), np.eye(2), 0.1, bias=0.0)
    >>> found = least_network(problem, 1e-6)
    >>> round(found.upper, 6), found.gap < 1e-6 * found.upper, len(found.atoms)
    (3.6, True, 2)
    """
    W = np.zeros((0, problem.Xt.shape[1])) if atoms is None else atoms
    nothing, A = np.zeros_like(problem.Y), np.zeros((len(W), problem.Y.shape[1]))
    found = ScaledOptimum(0.0, np.inf, nothing, W, A, 0.0, nothing, np.inf)
    if not _is_provable(problem):
        return _by_columns(problem, found, W, rtol, progress)
    for count in range(_PROOFS):
        # Some of the tolerance is left for the proof.
        found = _by_columns(problem, found, W, rtol / 4, progress)
        found, steeper = proved(problem, found, rtol, nodes, count == _PROOFS - 1)
        if found.gap <= rtol * found.upper or not len(steeper):
            break
        W = np.concatenate([found.atoms, steeper])
        # What was hoped for is refuted.
        found = replace(found, hoped=found.lower, promising=found.multiplier)
    return found


def _is_provable(problem: ShallowProblem) -> bool:
    """Whether more can be proved of the steepest neuron than each round does by itself."""
    return not problem.oracle.is_exact and problem.Y.shape[1] <= MOST_OUTPUTS


def _by_columns(
    problem: ShallowProblem, found: ScaledOptimum, W: Atoms, rtol: float, progress: bool
) -> ScaledOptimum:
    """Rounds of new neurons, from W on, until the ends that are hoped for are `rtol` apart."""
    V, A = weighted(problem, W)
    narrowest, idle, bought = np.inf, 0, True
    patience = _MORE_PATIENCE if _is_provable(problem) else _PATIENCE
    for count in bar(range(MOST_ROUNDS), wanted=progress, what="rounds of new neurons"):
        found, new = _improved(problem, found, W, A, V)
        if found.hoped_gap <= rtol * found.upper:
            break
        # Also where no new atom is worth its price: all weights at once may still go down.
        if count % _DESCENT == _DESCENT - 1 or not len(new):
            W, A = descended(problem, *fewer(problem, W, A))
            found, new = _improved(problem, found, W, A, problem.multiplier(W, A))
        idle = 0 if found.hoped_gap < 0.99 * narrowest else idle + 1
        narrowest = min(narrowest, found.hoped_gap)
        # Where a descent has ended early, no neuron may be worth its price before all are weighed.
        if idle > patience or not (bought or len(new)):
            break
        bought = len(new) > 0
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
    peaks = problem.oracle.peaks(V, W)
    if not problem.oracle.is_exact and peaks.height <= _TOO_HIGH:
        peaks = problem.oracle.peaks(V, W, thoroughly=True)
    lower, feasible = problem.lower_bound(V, peaks.bound)
    if lower > found.lower:
        found = replace(found, lower=lower, multiplier=feasible)
    hoped = problem.lower_bound(V, peaks.height)[0] if _is_provable(problem) else lower
    if hoped > found.hoped:
        found = replace(found, hoped=hoped, promising=V, height=peaks.height)
    upper = problem.value(W, A)
    if upper < found.upper:
        found = replace(found, upper=upper, atoms=W, outer=A)
    return found, peaks.atoms[peaks.heights > _TOO_HIGH][:MOST_NEW]


def _with_new(problem: ShallowProblem, W: Atoms, new: New) -> tuple[OtherNeurons, Multiplier]:
    """The master problem with the new atoms, without those that it gives no weight."""
    W = np.concatenate([W, new])
    V, A = weighted(problem, W)
    used = np.linalg.norm(A, axis=1)
    keep = used > 1e-7 * used.max(initial=0.0)
    return merged(problem.Xt, W[keep], A[keep]), V
