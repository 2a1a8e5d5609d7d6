"""The fit of points of one variable as a cone programme, whose answer is only a proposal."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import sparse

from repcost.cones import nonnegative, propose, zeros
from repcost.costs.fit_problem import FitProblem, Knots, Pieces

# What sparse.block_array takes: a row of blocks, one for each of the five parts of the unknown.
Blocks = list


@dataclass(frozen=True, eq=False)
class _LossRows:
    """How residuals e, in units of s, depend on z; and what they cost.

    equations: rows that define e, equal to `values`.
    limits: rows for |z - y| <= s e, at most `most`.
    weights, prices: the quadratic and the linear cost of e.
    """

    equations: list[Blocks]
    values: Float[np.ndarray, " _"]
    limits: list[Blocks]
    most: Float[np.ndarray, " _"]
    weights: Float[np.ndarray, " _"]
    prices: Float[np.ndarray, " _"]


def proposed_fit(problem: FitProblem, strength: float) -> tuple[list[Knots], Pieces]:
    """Two versions of the values at the knots, and dual slopes rho.

    The points are scaled to the unit square and the objective is divided by the strength s, so
    that residuals s e keep their digits where s is small.
    """
    width, height = float(np.ptp(problem.x)), float(np.ptp(problem.y))
    per_unit, weakest = (height, 1e-12) if problem.loss == "squared" else (1.0, 1e-8)
    # Beyond these limits the interpolant or the constant is as good as optimal.
    s = min(max(strength / width / per_unit, weakest), 4.0 * len(problem.y))
    loss = (_squared if problem.loss == "squared" else _absolute)(problem, height, s)
    gaps, m = np.diff(problem.x) / width, len(problem.x)
    x, prices = _solution(gaps, loss)
    values, slopes = x[:m], x[m : 2 * m - 1]
    # Sums of slopes keep the digits of steep pieces between close neighbours.
    climbs = np.append(0.0, np.cumsum(slopes * np.diff(problem.x) / width))
    versions = (climbs + np.mean(values - climbs), values)
    # The sign: the loss pulls at z_j by price_j - price_(j-1), and B_j is the opposite of that.
    return [problem.middle + height * z for z in versions], -s * per_unit * prices


def _solution(
    gaps: Pieces, loss: _LossRows
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " pieces"]]:
    """(24) of Savarese et al. (2019) for the spline through z: the unknown, and the prices rho.

    Unknown: z, the slopes, |bends|, R-bar, and e. The first rows define the slopes; the prices
    of those are rho.
    """
    m = len(gaps) + 1
    slopes = [_steps(m), -sparse.diags_array(gaps), None, None, None]
    rows = [slopes, *loss.equations, *_bends(m), _cost(m), *loss.limits]
    right = [np.zeros(m - 1), loss.values, np.zeros(2 * m - 1), loss.most]
    equations, others = m - 1 + len(loss.values), 3 * m - 2
    squares = np.concatenate([np.zeros(others), loss.weights])
    found = propose(
        sparse.diags_array(squares, format="csc"),
        np.concatenate([np.zeros(others - 1), [1.0], loss.prices]),
        sparse.block_array(rows, format="csc"),
        np.concatenate(right),
        [*zeros(equations), *nonnegative(sum(map(len, right)) - equations)],
        tolerance=1e-12,
        second_try=True,
    )
    return found.x, found.prices[: m - 1]


def _bends(m: int) -> list[Blocks]:
    """Differences of slopes, of both signs, are at most |bends|."""
    # Every block row is written as A x <= 0, so what is larger has the minus.
    size = -sparse.eye_array(m - 2)
    return [[None, sign * _steps(m - 1), size, None, None] for sign in (1, -1)]


def _cost(m: int) -> Blocks:
    """T and T +- S are at most 1, 2, 2 times R-bar: T sums |bends|, S the two end slopes."""
    ends = np.eye(1, m - 1) + np.eye(1, m - 1)[:, ::-1]
    slopes = np.vstack([0 * ends, ends, -ends])
    return [None, slopes, np.ones((3, m - 2)), np.array([[-1], [-2], [-2]]), None]


def _squared(problem: FitProblem, height: float, s: float) -> _LossRows:
    """One residual a knot, z - s e = centre: within a group only its mean matters."""
    m = len(problem.x)
    rows = [sparse.eye_array(m), None, None, None, -s * sparse.eye_array(m)]
    centres = (problem.centres - problem.middle) / height
    return _LossRows([rows], centres, [], np.zeros(0), s * problem.counts, np.zeros(m))


def _absolute(problem: FitProblem, height: float, s: float) -> _LossRows:
    """One residual a point, |z - y| <= s e."""
    n = len(problem.y)
    at_points = sparse.csr_array((np.ones(n), (np.arange(n), problem.group)))
    size = -s * sparse.eye_array(n)
    limits = [[sign * at_points, None, None, None, size] for sign in (1, -1)]
    both = np.concatenate([problem.y - problem.middle, problem.middle - problem.y])
    return _LossRows([], np.zeros(0), limits, both / height, np.zeros(n), np.ones(n))


def _steps(k: int) -> sparse.csr_array | sparse.dia_array:
    """The matrix of the differences of k neighbours."""
    # scipy 1.15 makes the first of the two.
    return sparse.eye_array(k - 1, k, k=1) - sparse.eye_array(k - 1, k)
