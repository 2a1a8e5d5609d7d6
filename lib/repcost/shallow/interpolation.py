"""The least cost of a shallow network that interpolates: the problem as its strength goes to zero.

For any rho the multiplier V of the regularised problem is feasible for the dual with rho = 0,
whose value 2 <V, Y> - beta^2 |V^T 1|^2 bounds the cost from below. From above, the network
misses the targets by rho V, and `repair` prices that. Both bounds tend to the cost as rho
goes to zero.

A second solve, for the targets Y + rho V, undoes what the first one held back, so that hardly
anything is left to interpolate. This is a step of the method of multipliers. Where small parts of
the targets are lost on this way, `without_strength` goes the last steps at rho = 0.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike
from repcost.bounds import Bracket
from repcost.conventions import all_with_biases
from repcost.scales import exponent_of, exponents_of_rows, rounded_up, scaled_back
from repcost.shallow.along_a_line import cost_along_a_line
from repcost.shallow.arguments import checked_data, checked_rtol
from repcost.shallow.master import least_network
from repcost.shallow.merging import Atoms
from repcost.shallow.possible import takes
from repcost.shallow.problem import Multiplier, ShallowProblem
from repcost.shallow.reasons import not_met
from repcost.shallow.repair import Repair
from repcost.shallow.without_strength import narrowed_without_strength

# Strengths tried, in the units of the scaled problem.
_STRENGTHS = 10.0 ** -np.arange(1.0, 13.0)
# After so many strengths that hardly narrow the bracket, a smaller one will not either.
_MOST_STUCK = 3
# No target is moved beyond this, so that its unit is a float.
_LARGEST_TARGET = 1e250


def shallow_cost(X: ArrayLike, Y: ArrayLike, *, bias: float = 1.0, rtol: float = 1e-6) -> Bracket:
    """R(X, Y): the least sum of squares of all weights of a shallow network with f(x_i) = y_i.

    The representation cost of Jacot et al. (2022), section 3, for L = 2: of a two-layer ReLU
    network of any width; not halved, and the weights of the constant inputs `bias` of both
    layers count. Rows of X (N, d) and Y (N, m) or (N,) are points.

    Certified from below as `shallow_optimum` is, without its strength. The upper end is the cost of
    a network plus what it costs at most to interpolate the rest. "experiment" where `bias` is 0 and
    only some Y can be interpolated: that the given one can is then known up to rounding. ValueError
    only if no network interpolates the given floats, which is decided in whole numbers.

    Range: as in `shallow_optimum`. Points too close for float64 leave a wide bracket, whose
    `reason` says so; its upper end is that of a spline along a line, or infinite without biases.

    >>> cost = shallow_cost([[1.0, 0.0], [0.0, 1.0]], [[3.0, 0.0], [0.0, 4.0]], bias=0)
    >>> f"{cost.value:.5f}", cost.relative_gap < 1e-6
    ('14.00000', True)
    """
    X, Y, bias = checked_data(X, Y, bias)
    rtol = checked_rtol(rtol)
    X, Y = _distinct(X, Y)
    problem = ShallowProblem.scaled(X, Y, 0.0, bias)
    repair = Repair.of(problem)
    if not bias and not repair.reaches(problem.Y):
        X, Y = _at_size_one(X, Y)
        problem = ShallowProblem.scaled(X, Y, 0.0, bias)
        repair = Repair.of(problem)
    if repair.reaches(problem.Y):
        scaled = cost_of_interpolation(problem, rtol, repair)
    else:
        scaled = _without_repair(problem, X, Y, bias)
    unit = exponent_of(problem.unit) - 1
    ends = scaled_back(scaled.lower, scaled.upper, unit)
    found = Bracket(*ends, scaled.how, counts=all_with_biases(bias))
    if found.relative_gap <= rtol:
        return found
    return replace(found, reason=not_met(rtol, problem.oracle, _close_points(repair)))


def _close_points(repair: Repair) -> str:
    if repair.is_proven:
        return "float64 gives out before"
    return "points are too close, or bias is too far from their size, for float64"


@dataclass(frozen=True, eq=False)
class _Ends:
    """The best two ends so far, and the atoms of the last network."""

    lower: float = 0.0
    upper: float = np.inf
    atoms: Atoms | None = None

    @property
    def gap(self) -> float:
        return self.upper - self.lower


def cost_of_interpolation(problem: ShallowProblem, rtol: float, repair: Repair) -> Bracket:
    """The least scaled cost with S A + beta 1 b^T = Y; the rho of the problem is 0.

    Certified if the neurons span all outputs, so that every error can be repaired.
    """
    ends, stuck = _Ends(), 0
    for rho in _STRENGTHS:
        before, targets = ends.gap, problem.Y
        for _ in range(2):
            regular = replace(problem, rho=float(rho), Y=targets)
            ends, V = _narrowed(problem, regular, repair, ends, rtol)
            targets = problem.Y + rho * V
        hardly = before / 2 < ends.gap < 1e-3 * ends.upper
        stuck = stuck + 1 if hardly else 0
        if ends.gap <= rtol * ends.upper or stuck == _MOST_STUCK:
            break
    if ends.gap > rtol * ends.upper and repair.is_proven:
        atoms = problem.oracle.spanning[:0] if ends.atoms is None else ends.atoms
        last = narrowed_without_strength(problem, repair, atoms, rtol)
        ends = _Ends(max(ends.lower, last[0]), min(ends.upper, last[1]), ends.atoms)
    return Bracket(ends.lower, ends.upper, "certified" if repair.is_proven else "experiment")


def _narrowed(
    problem: ShallowProblem, regular: ShallowProblem, repair: Repair, ends: _Ends, rtol: float
) -> tuple[_Ends, Multiplier]:
    """The ends after the solution of a regularised problem, and its multiplier."""
    found = least_network(regular, rtol / 10, ends.atoms)
    V = regular.multiplier(found.atoms, found.outer)
    lower = ends.lower
    # The best multiplier of the regularised problem need not be the best for rho = 0.
    for multiplier in (V, found.multiplier):
        steepest = problem.oracle.peaks(multiplier).bound
        lower = max(lower, problem.lower_bound(multiplier, steepest)[0])
    b = regular.output_bias(found.atoms, found.outer)
    upper = min(ends.upper, repair.cost(problem, found.atoms, found.outer, b))
    return _Ends(lower, upper, found.atoms), V


def _without_repair(
    problem: ShallowProblem, X: Float[np.ndarray, "N d"], Y: Multiplier, bias: float
) -> Bracket:
    """Two scaled ends where floats do not tell whether neurons span the targets."""
    if not bias and not takes(X, Y):
        raise ValueError(
            "no network without biases interpolates Y at X; set bias > 0 or use shallow_optimum"
        )
    # Any multiplier proves something: that of weak decay.
    weak = least_network(replace(problem, rho=_STRENGTHS[-1]), 1e-3)
    steepest = problem.oracle.peaks(weak.multiplier).bound
    lower, _ = problem.lower_bound(weak.multiplier, steepest)
    upper = cost_along_a_line(X, Y, bias) if bias else np.inf
    return Bracket(lower, rounded_up(upper, 1 - exponent_of(problem.unit)), "certified")


def _at_size_one(
    X: Float[np.ndarray, "N d"], Y: Multiplier
) -> tuple[Float[np.ndarray, "N d"], Multiplier]:
    """Each point at size one: without biases f(c x) = c f(x), so this is the same question."""
    exponents = exponents_of_rows(X)[:, None]
    with np.errstate(over="ignore", under="ignore"):
        nearer = np.ldexp(X, -exponents), np.ldexp(Y, -exponents)
        back = np.ldexp(nearer[1], exponents)
    # Targets that leave the range of floats stay where they were.
    fits = np.abs(nearer[1]).max(initial=0.0) < _LARGEST_TARGET and (back == Y).all()
    return nearer if fits else (X, Y)


def _distinct(
    X: Float[np.ndarray, "N d"], Y: Multiplier
) -> tuple[Float[np.ndarray, "p d"], Float[np.ndarray, "p m"]]:
    """Each point once."""
    points, first = np.unique(X, axis=0, return_index=True)
    if len(np.unique(np.column_stack([X, Y]), axis=0)) > len(points):
        raise ValueError(
            "X holds a point twice with different rows of Y; no network interpolates them"
        )
    return X[np.sort(first)], Y[np.sort(first)]
