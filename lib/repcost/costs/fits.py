"""The cheapest compromise between fitting points of one variable and paying for it."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import clarabel
import numpy as np
from jaxtyping import Bool, Float, Int
from scipy import sparse

from repcost.arrays import ArrayLike, points_on_line, same_length
from repcost.bounds import Bracket
from repcost.costs.line import interpolate_line
from repcost.piecewise import PiecewiseLinear

solver: Any = clarabel  # compiled, without types
Loss = Literal["squared", "absolute"]
Points = Float[np.ndarray, " n"]
Knots = Float[np.ndarray, " knots"]
Pieces = Float[np.ndarray, " pieces"]


@dataclass(frozen=True, eq=False)
class RegularisedFit:
    """What `regularised_fit` returns.

    objective: Bracket of the least objective; the cheapest function through `fitted` attains its upper end.
    fitted: (n,), the values at the points, in the order they were given.
    function: the linear spline through them, with knots where the dual allows a bend; equal to them up to rounding.
    """

    objective: Bracket
    fitted: Points
    function: PiecewiseLinear


def regularised_fit(x: ArrayLike, y: ArrayLike, strength: float, *, loss: Loss = "squared") -> RegularisedFit:
    """min over f of sum_n loss(f(x_n) - y_n) + strength * R-bar(f), known from both sides.

    Corollary 3.4 of Savarese et al. (2019). "squared" is half the square, "absolute" the absolute value; R-bar is half
    the sum of squared weights, biases free. So the paper's sum of squares + lambda C is twice the squared objective of
    strength lambda / 2. x: (n,) or (n, 1), in any order, repetitions welcome; y: (n,). The solver only proposes: the
    upper end is what its fit costs, the lower end a point of the dual scaled until feasible, both rounded outward.
    Neighbours much closer than the range of x, or offsets of y much larger than its range, widen the bracket.

    >>> fit = regularised_fit([0, 1, 2], [0, 0, 3], 0.5)
    >>> f"{fit.objective.value:.6f}", (fit.fitted.round(6) + 0.0).tolist()
    ('1.250000', [0.0, 0.5, 2.5])
    """
    if loss not in ("squared", "absolute"):
        raise ValueError(f'loss must be "squared" or "absolute", not {loss!r}')
    strength = _checked_strength(strength)
    problem = _Problem.grouped(*_checked_points(x, y), loss)
    everywhere = np.ones(len(problem.x), dtype=bool)
    # The constant and the interpolant are exact where they are optimal, so they go before the solver's answers.
    fits = [(np.full(len(problem.x), problem.middle), everywhere), (problem.centres, everywhere)]
    certificate = interpolate_line(problem.x, problem.centres).certificate
    duals = [np.cumsum(strength * certificate)[:-1]]
    if len(problem.x) > 1 and np.ptp(problem.y) > 0:
        answers, rho = _solve(problem, strength)
        knots = _may_bend(rho, np.diff(problem.x))
        fits += [(np.interp(problem.x, problem.x[knots], z[knots]), knots) for z in answers]
        fits += [(z, everywhere) for z in answers]
        duals.append(rho)
    uppers = [problem.objective(z, strength) for z, _ in fits]
    chosen = next(k for k, upper in enumerate(uppers) if upper <= min(uppers) * (1 + 1e-11))
    z, knots = fits[chosen]
    objective = Bracket(max(problem.dual(rho, strength) for rho in duals), uppers[chosen], "certified")
    return RegularisedFit(objective, z[problem.group], interpolate_line(problem.x[knots], z[knots]).function)


def largest_useful_strength(x: ArrayLike, y: ArrayLike) -> float:
    """The strength from which the squared fit is the constant mean of y; below it no constant is optimal.

    max over t and both signs of |sum_n (y_n - mean) [+-(x_n - t)]_+|, from the dual of Corollary 3.4 of Savarese et
    al. (2019), in float64. x: (n,) or (n, 1), in any order, repetitions welcome; y: (n,).

    >>> largest_useful_strength([0, 1, 2], [0, 0, 3])
    3.0
    """
    x, y = _checked_points(x, y)
    knots, group = np.unique(x, return_inverse=True)
    away = y - y[0]
    pull = np.bincount(group, away - away.mean())
    return _needed_strength(np.cumsum(pull)[:-1], np.diff(knots))[0]


@dataclass(frozen=True, eq=False)
class _Problem:
    """The points by distinct x. Only sums of y - centre within a group enter, so large offsets of y do no harm."""

    x: Knots
    y: Points
    group: Int[np.ndarray, " n"]
    counts: Int[np.ndarray, " knots"]
    centres: Knots
    middle: float
    loss: Loss

    @classmethod
    def grouped(cls, x: Points, y: Points, loss: Loss) -> "_Problem":
        knots, group, counts = np.unique(x, return_inverse=True, return_counts=True)
        if loss == "squared":
            centres = y[0] + np.bincount(group, y - y[0]) / counts
            middle = float(y[0] + np.mean(y - y[0]))
        else:
            order = np.lexsort((y, group))
            centres = y[order][np.cumsum(counts) - counts + (counts - 1) // 2]
            middle = float(np.median(y))
        return cls(knots, y, group, counts, centres, middle, loss)

    def objective(self, z: Knots, strength: float) -> float:
        """From above: the objective of the cheapest function with the values z."""
        residual = np.abs(z[self.group] - self.y)
        terms = 0.5 * residual**2 if self.loss == "squared" else residual
        return _outward([*terms.tolist(), strength * interpolate_line(self.x, z).cost.upper], 1, len(self.y))

    def dual(self, rho: Pieces, strength: float) -> float:
        """From below: sum_n loss(z_n - y_n) + B . z is at least this for every z, and strength R-bar at least B . z.

        B_j = rho_j - rho_{j-1} sums to zero by construction; `feasible` sees to the rest of F5's conditions.
        """
        rho = self.feasible(rho, strength)
        terms = (self._squared if self.loss == "squared" else self._absolute)(rho, _differences(rho))
        return max(0.0, _outward(terms, -1, len(self.y)))

    def feasible(self, rho: Pieces, strength: float) -> Pieces:
        """rho, divided so that |sum B_j [+-(x_j - t)]_+| <= strength, and |B_j| <= count for the absolute loss."""
        size, error = _needed_strength(rho, np.diff(self.x))
        rho = rho / max(1.0, (size + error) / strength * (1 + 1e-15))
        if self.loss == "squared":
            return rho
        padded = np.abs(np.concatenate([[0.0], rho, [0.0]]))
        # The last term: what rounding the quotients may add to their difference.
        pull = np.abs(_differences(rho)) + 2.0**-51 * (padded[1:] + padded[:-1])
        return rho / max(1.0, float(np.max(pull / self.counts)) * (1 + 1e-15))

    def _squared(self, rho: Pieces, pull: Knots) -> list[float]:
        """Terms of min over z: within a group, sum (z - y)^2 / 2 + B z = B c + s/2 - (B - d)^2 / (2 count) ..."""
        away = self.y - self.centres[self.group]
        # ... with s and d the sums of (y - c)^2 and y - c, for any c: a rounded mean will do.
        left = (pull - np.bincount(self.group, away)) ** 2 / (2 * self.counts)
        return [*(-rho * np.diff(self.centres)).tolist(), *(-left).tolist(), *(0.5 * away**2).tolist()]

    def _absolute(self, rho: Pieces, pull: Knots) -> list[float]:
        """Terms of min over z, attained in each group at the y where the slope of sum |z - y| + B z changes sign."""
        place = np.clip(np.ceil((self.counts - pull) / 2).astype(int), 1, self.counts) - 1
        best = self.y[np.lexsort((self.y, self.group))][np.cumsum(self.counts) - self.counts + place]
        return [*(-rho * np.diff(best)).tolist(), *np.abs(best[self.group] - self.y).tolist()]


def _differences(rho: Pieces) -> Knots:
    return np.diff(rho, prepend=0.0, append=0.0)


def _tails(rho: Pieces, gaps: Pieces) -> Knots:
    """eta(x_j) = sum_n B_n [x_n - x_j]_+ for B_j = rho_j - rho_{j-1}, at every knot."""
    return -np.cumsum(np.append(rho * gaps, 0.0)[::-1])[::-1]


def _may_bend(rho: Pieces, gaps: Pieces) -> Bool[np.ndarray, " knots"]:
    """The ends, and where eta is as far from half its value at -infinity as it gets: the optimum has no other kinks."""
    tails = _tails(rho, gaps)
    room = np.abs(tails - tails[0] / 2)
    room[[0, -1]] = np.inf
    return room >= room[1:-1].max(initial=0.0) * (1 - 1e-6)


def _needed_strength(rho: Pieces, gaps: Pieces) -> tuple[float, float]:
    """max over t and both signs of |sum_j B_j [+-(x_j - t)]_+|, and a bound on its rounding error and two divisions."""
    tails = _tails(rho, gaps)
    size = float(max(np.abs(tails).max(), np.abs(tails - tails[0]).max()))
    return size, (len(tails) + 4) * 2.0**-52 * float(np.abs(rho) @ gaps)


def _outward(terms: list[float], side: int, count: int) -> float:
    """The sum of the terms, moved to one side by more than the roundings of the terms and of sums of `count` floats."""
    size = math.fsum(map(abs, terms))
    return math.fsum(terms) + side * ((count + 8) * 2.0**-52 * size + len(terms) * math.ulp(0.0) * (size > 0))


def _solve(problem: _Problem, strength: float) -> tuple[list[Knots], Pieces]:
    """Two versions of the values at the knots, and dual slopes rho; a solver that fails costs width, not truth.

    The points are scaled to the unit square and the objective is divided by the strength s, so that residuals s e keep
    their digits where s is small.
    """
    width, height = float(np.ptp(problem.x)), float(np.ptp(problem.y))
    per_unit, weakest = (height, 1e-12) if problem.loss == "squared" else (1.0, 1e-8)
    # Beyond these limits the interpolant or the constant is as good as optimal.
    s = min(max(strength / width / per_unit, weakest), 4.0 * len(problem.y))
    solution, m = _solution(_programme(problem, width, height, s)), len(problem.x)
    found, prices = np.nan_to_num(solution.x), np.nan_to_num(solution.z)[: m - 1]
    values, slopes = found[:m], found[m : 2 * m - 1]
    # Sums of slopes keep the digits of steep pieces between close neighbours.
    climbs = np.append(0.0, np.cumsum(slopes * np.diff(problem.x) / width))
    answers = [problem.middle + height * z for z in (climbs + np.mean(values - climbs), values)]
    return answers, -s * per_unit * prices


def _solution(programme: tuple) -> Any:
    """Now and then Clarabel goes round in circles, and finds its way without its own scaling of the rows."""
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solution = solver.DefaultSolver(*programme, settings).solve()
    if solution.status == solver.SolverStatus.Solved:
        return solution
    settings.equilibrate_enable = False
    other = solver.DefaultSolver(*programme, settings).solve()
    return other if other.status == solver.SolverStatus.Solved else solution


def _programme(problem: _Problem, width: float, height: float, s: float):
    """(24) of Savarese et al. for the spline through z, in Clarabel's form.

    Unknown: z, the slopes, |bends|, R-bar, and residuals e in units of s. The first rows define the slopes; the
    prices of those are rho.
    """
    gaps, m, n = np.diff(problem.x) / width, len(problem.x), len(problem.y)
    ends = np.eye(1, m - 1) + np.eye(1, m - 1)[:, ::-1]
    slopes = [_steps(m), -sparse.diags_array(gaps), None, None, None]
    bends = [[None, sign * _steps(m - 1), -sparse.eye_array(m - 2), None, None] for sign in (1, -1)]
    cost = [None, np.vstack([0 * ends, ends, -ends]), np.ones((3, m - 2)), np.array([[-1], [-2], [-2]]), None]
    if problem.loss == "squared":
        fixed, limits = [[sparse.eye_array(m), None, None, None, -s * sparse.eye_array(m)]], []
        at, bounds = (problem.centres - problem.middle) / height, np.zeros(0)
        weights, linear = s * problem.counts, np.zeros(m)
    else:
        value = sparse.csr_array((np.ones(n), (np.arange(n), problem.group)))
        fixed, limits = [], [[sign * value, None, None, None, -s * sparse.eye_array(n)] for sign in (1, -1)]
        at, bounds = np.zeros(0), np.concatenate([problem.y - problem.middle, problem.middle - problem.y]) / height
        weights, linear = np.zeros(n), np.ones(n)
    rows = sparse.block_array([slopes, *fixed, *bends, cost, *limits], format="csc")
    equalities, others = m - 1 + len(at), 3 * m - 2
    right = np.concatenate([np.zeros(m - 1), at, np.zeros(2 * m - 1), bounds])
    quadratic = sparse.diags_array(np.concatenate([np.zeros(others), weights]), format="csc")
    cones = [solver.ZeroConeT(equalities), solver.NonnegativeConeT(len(right) - equalities)]
    return quadratic, np.concatenate([np.zeros(others - 1), [1.0], linear]), rows, right, cones


def _steps(k: int):
    """The matrix of the differences of k neighbours."""
    return sparse.eye_array(k - 1, k, k=1) - sparse.eye_array(k - 1, k)


def _checked_strength(strength: float) -> float:
    if not 0 < strength < math.inf:
        raise ValueError(f"strength must be positive and finite, not {strength}; use interpolate_line for an exact fit")
    return float(strength)


def _checked_points(x: ArrayLike, y: ArrayLike) -> tuple[Points, Points]:
    x, y = points_on_line(x), points_on_line(y, "y")
    same_length(x=x, y=y)
    if not len(x):
        raise ValueError("x is empty; give at least one point")
    for name, value in (("x", x), ("y", y)):
        span = float(value.max() / 2 - value.min() / 2)
        if np.abs(value).max() > 1e100 or 0 < span < 1e-100:
            raise ValueError(f"{name} must stay below 1e100 and span more than 1e-100; multiply it by a power of two")
    return x, y
