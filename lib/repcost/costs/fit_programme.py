"""The fit of points of one variable as a programme for Clarabel, whose answer is only a proposal."""

from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from repcost.costs.fit_problem import Knots, Pieces, Problem

solver: Any = clarabel  # compiled, without types


def proposal(problem: Problem, strength: float) -> tuple[list[Knots], Pieces]:
    """Two versions of the values at the knots, and dual slopes rho; a solver that fails costs
    width, not truth.

    The points are scaled to the unit square and the objective is divided by the strength s, so that
    residuals s e keep their digits where s is small.
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
    """Now and then Clarabel goes round in circles, and finds its way without its own scaling of the
    rows.
    """
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solution = solver.DefaultSolver(*programme, settings).solve()
    if solution.status == solver.SolverStatus.Solved:
        return solution
    settings.equilibrate_enable = False
    other = solver.DefaultSolver(*programme, settings).solve()
    return other if other.status == solver.SolverStatus.Solved else solution


def _programme(problem: Problem, width: float, height: float, s: float):
    """(24) of Savarese et al. for the spline through z, in Clarabel's form.

    Unknown: z, the slopes, |bends|, R-bar, and residuals e in units of s. The first rows define the
    slopes; the prices of those are rho.
    """
    gaps, m, n = np.diff(problem.x) / width, len(problem.x), len(problem.y)
    ends = np.eye(1, m - 1) + np.eye(1, m - 1)[:, ::-1]
    slopes = [_steps(m), -sparse.diags_array(gaps), None, None, None]
    bends = [[None, sign * _steps(m - 1), -sparse.eye_array(m - 2), None, None] for sign in (1, -1)]
    cost = [
        None,
        np.vstack([0 * ends, ends, -ends]),
        np.ones((3, m - 2)),
        np.array([[-1], [-2], [-2]]),
        None,
    ]
    if problem.loss == "squared":
        fixed, limits = [[sparse.eye_array(m), None, None, None, -s * sparse.eye_array(m)]], []
        at, bounds = (problem.centres - problem.middle) / height, np.zeros(0)
        weights, linear = s * problem.counts, np.zeros(m)
    else:
        value = sparse.csr_array((np.ones(n), (np.arange(n), problem.group)))
        fixed, limits = (
            [],
            [[sign * value, None, None, None, -s * sparse.eye_array(n)] for sign in (1, -1)],
        )
        at, bounds = (
            np.zeros(0),
            np.concatenate([problem.y - problem.middle, problem.middle - problem.y]) / height,
        )
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
