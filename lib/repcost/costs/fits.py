"""The cheapest compromise between fitting points of one variable and paying for it."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool

from repcost.arrays import ArrayLike, points_on_line, same_length
from repcost.bounds import Bracket
from repcost.conventions import HALF_OF_WEIGHTS
from repcost.costs.fit_newton import newton_fit
from repcost.costs.fit_problem import (
    FitProblem,
    Knots,
    Loss,
    Pieces,
    Points,
    needed_strength,
    tails,
)
from repcost.costs.fit_programme import proposed_fit
from repcost.costs.fit_units import FitUnits
from repcost.costs.line import interpolate_line
from repcost.piecewise import PiecewiseLinear
from repcost.scalars import one_of, positive_number
from repcost.scales import scaled_back

__all__ = ["RegularisedFit", "largest_useful_strength", "regularised_fit"]

# What a fit may cost more than the cheapest one and still be preferred, if it stands before it.
_AS_GOOD = 1 + 1e-11
# Where the ends of Newton's method are nearer than this, relatively, nothing else is asked.
_MET = 1e-12
# What the gap is below, relatively, for up to a few hundred points without close neighbours.
_USUAL_GAP = 1e-8
_WIDE = f"above {_USUAL_GAP:g}: neighbours too close or offsets too large for float64"


@dataclass(frozen=True, eq=False)
class RegularisedFit:
    """What `regularised_fit` returns.

    objective: Bracket of the least objective; the cheapest function through `fitted` attains its
        upper end.
    fitted: (n,), the values at the points, in the order they were given.
    function: the linear spline through them, with knots where the dual allows a bend; equal to
        them up to rounding.
    """

    objective: Bracket
    fitted: Points
    function: PiecewiseLinear


def regularised_fit(
    x: ArrayLike, y: ArrayLike, strength: float, *, loss: Loss = "squared"
) -> RegularisedFit:
    """min over f of sum_n loss(f(x_n) - y_n) + strength * R-bar(f), known from both sides.

    Corollary 3.4 of Savarese et al. (2019). "squared" is half the square, "absolute" the
    absolute value; R-bar is half the sum of squared weights, biases free. So the paper's sum of
    squares + lambda C is twice the squared objective of strength lambda / 2. x: (n,) or (n, 1),
    in any order, repetitions welcome; y: (n,). The solver only proposes: the upper end is what
    its fit costs, the lower end a point of the dual scaled until feasible, both rounded
    outward. Neighbours much closer than the range of x, or offsets of y much larger than its
    range, widen the bracket, and `objective.reason` says so.

    Range: x and y below 1e100 with ranges above 1e-100 or zero; any positive strength.

    >>> fit = regularised_fit([0, 1, 2], [0, 0, 3], 0.5)
    >>> f"{fit.objective.value:.6f}", (fit.fitted.round(6) + 0.0).tolist()
    ('1.250000', [0.0, 0.5, 2.5])
    """
    one_of(loss, "loss", ("squared", "absolute"))
    strength = positive_number(strength, "strength", "use interpolate_line for an exact fit")
    x, y = _checked_points(x, y)
    units = FitUnits.of(x, y, strength, loss)
    small = np.ldexp(x, -units.places), np.ldexp(y, -units.values)
    problem = FitProblem.grouped(*small, loss)
    fits, duals = _candidates(problem, units.strength)
    if units.excess:
        # The constant if the strength is beyond all use, the interpolant if it is below.
        fits, duals = [fits[0 if units.excess > 0 else 1]], [*duals, 0.0 * duals[0]]
    uppers = [problem.objective(fit.z, units.strength) for fit in fits]
    best = next(k for k, upper in enumerate(uppers) if upper <= min(uppers) * _AS_GOOD)
    knots, z = fits[best].knots, np.ldexp(fits[best].z, units.values)
    lower, upper = _ends(problem, units, duals, fits[best].z, uppers[best])
    return RegularisedFit(
        _with_reason(Bracket(lower, upper, "certified", counts=HALF_OF_WEIGHTS.in_penalty)),
        z[problem.group],
        interpolate_line(np.ldexp(problem.x[knots], units.places), z[knots]).function,
    )


def _ends(
    problem: FitProblem, units: FitUnits, duals: list[Pieces], z: Knots, upper: float
) -> tuple[float, float]:
    """The ends in the units of the data, for the strength that was asked for."""
    lower = max(problem.dual(rho, units.strength) for rho in duals)
    unit, excess = units.objective, units.excess
    if excess >= 0:
        return scaled_back(lower, upper, unit)
    # Of a weak strength's objective the misses stay as they are, and the price is as much less.
    least_misses = problem.dual(0.0 * duals[0], units.strength)
    if np.array_equal(z[problem.group], problem.y):
        return scaled_back(lower, upper, unit + excess)
    return scaled_back(least_misses, upper, unit)


def _with_reason(found: Bracket) -> Bracket:
    if found.relative_gap <= _USUAL_GAP:
        return found
    return replace(found, reason=_WIDE)


@dataclass(frozen=True, eq=False)
class _Candidate:
    """Values at all x, and where the spline through them may have a knot."""

    z: Knots
    knots: Bool[np.ndarray, " knots"]


def _candidates(problem: FitProblem, strength: float) -> tuple[list[_Candidate], list[Pieces]]:
    """Fits, the exact ones first, and dual slopes."""
    # A mask, as all candidates have one: these may bend at every x.
    everywhere = np.ones(len(problem.x), dtype=bool)
    # The constant and the interpolant are exact where they are optimal, so they go before what is
    # found by a solver.
    constant = np.full(len(problem.x), problem.middle)
    fits = [_Candidate(constant, everywhere), _Candidate(problem.centres, everywhere)]
    certificate = interpolate_line(problem.x, problem.centres).certificate
    with np.errstate(over="ignore", invalid="ignore"):
        duals = [np.cumsum(strength * certificate)[:-1]]
    if len(problem.x) > 1 and np.ptp(problem.y) > 0:
        proposed = _proposed(problem, strength)
        fits, duals = [*fits, *proposed[0]], [*duals, *proposed[1]]
    # Slopes beyond floats prove nothing, and none at all prove that no loss is negative.
    finite = [rho for rho in duals if np.isfinite(rho).all()]
    return fits, finite or [0.0 * np.diff(problem.x)]


def _proposed(problem: FitProblem, strength: float) -> tuple[list[_Candidate], list[Pieces]]:
    """What Newton's method finds, if the two ends of that meet, and a cone programme elsewhere."""
    fits, duals = [], []
    found = newton_fit(problem, strength) if problem.loss == "squared" else None
    if found is not None:
        z, knots, rho = found
        if np.isfinite(z).all() and np.isfinite(rho).all():
            fits, duals = [_Candidate(z, knots)], [rho]
            if _meet(problem, strength, z, rho):
                return fits, duals
    answers, rho = proposed_fit(problem, strength)
    knots = _may_bend(rho, np.diff(problem.x))
    # What bends only where the dual allows it goes before the solver's own values.
    straight = [np.interp(problem.x, problem.x[knots], z[knots]) for z in answers]
    fits += [_Candidate(z, knots) for z in straight]
    fits += [_Candidate(z, np.ones(len(z), dtype=bool)) for z in answers]
    return fits, [*duals, rho]


def _meet(problem: FitProblem, strength: float, z: Knots, rho: Pieces) -> bool:
    """Whether the two ends are about as near as rounding lets any solver bring them."""
    upper = problem.objective(z, strength)
    nearest = _MET * upper + 2 * problem.rounding(rho, strength)
    return upper - problem.dual(rho, strength) <= nearest


def largest_useful_strength(x: ArrayLike, y: ArrayLike) -> float:
    """The strength from which the squared fit is the constant mean of y, and below which it is not.

    max over t and both signs of |sum_n (y_n - mean) [+-(x_n - t)]_+|, from the dual of
    Corollary 3.4 of Savarese et al. (2019), in float64: up to rounding in the sum over n of
    |y_n - mean| times the range of x. x: (n,) or (n, 1), in any order, repetitions welcome; y:
    (n,); both below 1e100 with ranges above 1e-100 or zero.

    >>> largest_useful_strength([0, 1, 2], [0, 0, 3])
    3.0
    """
    x, y = _checked_points(x, y)
    knots, group = np.unique(x, return_inverse=True)
    # Differences first: a mean of large offsets would lose its digits.
    away = y - y[0]
    pull = np.bincount(group, away - away.mean())
    return needed_strength(np.cumsum(pull)[:-1], np.diff(knots))[0]


def _may_bend(rho: Pieces, gaps: Pieces) -> Bool[np.ndarray, " knots"]:
    """The ends, and where eta is as far from half its value at -infinity as it gets.

    The optimum has no other kinks: complementary slackness.
    """
    eta = tails(rho, gaps)
    room = np.abs(eta - eta[0] / 2)
    room[[0, -1]] = np.inf
    return room >= room[1:-1].max(initial=0.0) * (1 - 1e-6)


def _checked_points(x: ArrayLike, y: ArrayLike) -> tuple[Points, Points]:
    x, y = points_on_line(x), points_on_line(y, "y")
    same_length(x=x, y=y)
    if not len(x):
        raise ValueError("x is empty; give at least one point")
    for name, value in (("x", x), ("y", y)):
        # Halves, because the difference itself may overflow.
        span = float(value.max() / 2 - value.min() / 2)
        if np.abs(value).max() > 1e100 or 0 < span < 1e-100:
            raise ValueError(
                f"{name} must stay below 1e100 and span more than 1e-100; "
                "multiply it by a power of two"
            )
    return x, y
