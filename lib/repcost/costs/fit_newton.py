"""The fit with squared loss by an interior point method on few knots: a proposal, for any n.

In units where x spans 1 and the strength is 1, a spline with given knots has values z there, and
its squares are z' M z / 2 - b' z (`fit_points`). The fit and its dual (`fit_problem`) are then

    M z + D eta = b,    D' z = prices of the bounds |eta_j| <= 1 and |eta_j - h| <= 1,

where D' takes bends, differences of slopes, and eta_0 = h has the first slope as its own. Ordered
by knots this has seven diagonals, and h adds a row: a step of Newton's costs a few passes over the
knots (`fit_steps`). Where eta touches a bound the fit bends, upwards at an upper bound, downwards
at a lower one. That much decides the fit (`fit_splines.Fit`).

The fit bends at few points. So knots are taken where they are needed (`newton_fit`): eta is known
at all points from the residuals, and wherever it is too large one more knot helps.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, solveh_banded

from repcost.costs.fit_points import Diagonals, Few, Mask, Points
from repcost.costs.fit_problem import FitProblem, Knots, Pieces
from repcost.costs.fit_splines import Fit
from repcost.costs.fit_steps import Bounds, Step, gathered, slacks

# So many points are knots at first.
_FEW = 300
_MOST_ROUNDS, _MOST_STEPS = 20, 60
# Products of slack and price below this part of the largest price are zero.
_CENTRED = 1e-16
# Nearer to 0 or 1 than this, h is taken as that.
_SNAPPED = 1e-7


@np.errstate(all="ignore")
def newton_fit(problem: FitProblem, strength: float) -> tuple[Knots, Mask, Pieces] | None:
    """The values at the points, where they may bend, and dual slopes rho; None if it gave up."""
    width = float(np.ptp(problem.x))
    unit = strength / width
    centres = (problem.centres - problem.middle) / unit
    points = Points((problem.x - problem.x[0]) / width, problem.counts.astype(float), centres)
    knots, fit = _first_knots(len(centres)), None
    for _ in range(_MOST_ROUNDS):
        try:
            fit = Fit.finished(points, *_InteriorPoint.of(points, knots).solved())
        # Equations that rounding made singular, or numbers that left the floats.
        except (LinAlgError, ValueError, ZeroDivisionError):
            break
        more = fit.wanted != 0
        # At knots that were there already it is rounding that is seen.
        if not (more & ~knots).any():
            break
        knots = _with_neighbours((fit.signs != 0) | more)
    if fit is None:
        return None
    return problem.middle + unit * fit.spline.at_all, fit.spline.knots, unit * fit.rho


def _first_knots(count: int) -> Mask:
    knots = np.zeros(count, dtype=bool)
    knots[np.linspace(0, count - 1, min(count, _FEW)).astype(int)] = True
    return knots


def _with_neighbours(knots: Mask) -> Mask:
    """A bend between two points is one at each of them."""
    found = knots.copy()
    found[1:] |= knots[:-1]
    found[:-1] |= knots[1:]
    found[[0, -1]] = True
    return found


@dataclass(frozen=True, eq=False)
class _InteriorPoint:
    """The problem for splines with some knots, which are a part of all points."""

    knots: Mask
    gaps: Few
    squares: Diagonals
    pulls: Few

    @classmethod
    def of(cls, points: Points, knots: Mask) -> "_InteriorPoint":
        squares = points.squares(knots)
        pulls = points.pulls(knots) + _product(squares, points.centres[knots])
        return cls(knots, np.diff(points.x[knots]), squares, pulls)

    def solved(self) -> tuple[float, Knots]:
        """h, and the sign of the bend at each of all points."""
        z = solveh_banded(self.squares, self.pulls, lower=True, check_finite=False)
        u = np.zeros(len(self.gaps))
        size = float(np.abs(self._bends(z)).max())
        if not 0 < size < np.inf:
            raise ValueError("the centres are a line, or not in the range of floats")
        prices = np.full((4, len(u)), size)
        prices[2:, 0] = 0.0
        for _ in range(_MOST_STEPS):
            slack = slacks(u)
            centre = float((prices * slack).sum()) / prices.size
            # At the end rounding may put an eta on its bound.
            if centre <= _CENTRED * size or slack.min() <= 0:
                break
            step = Step.at(self.squares, self.gaps, slack, prices)
            off = self.pulls - _product(self.squares, z) - self._spread(u)
            z, u, prices = step.taken(z, u, off, gathered(prices) - self._bends(z), centre)
            if not np.isfinite(z).all():
                raise ValueError("rounding made the equations useless")
        return self._touched(u, prices)

    def _touched(self, u: Few, prices: Bounds) -> tuple[float, Knots]:
        """Prices are large against slacks, in units of the largest of both."""
        touches = prices > float(prices.max()) * slacks(u)
        up, down = touches[0] | touches[2], touches[1] | touches[3]
        signs = np.zeros(len(self.knots))
        signs[self.knots] = np.append(up.astype(float) - down, 0.0)
        signs[0] = 0.0
        nearest = float(np.rint(u[0]))
        return nearest if abs(u[0] - nearest) < _SNAPPED else float(u[0]), signs

    def _spread(self, u: Few) -> Few:
        """D eta: second differences."""
        return np.diff(np.diff(u, append=0.0) / self.gaps, prepend=0.0, append=0.0)

    def _bends(self, z: Few) -> Few:
        """D' z: the first slope, and the bends."""
        return np.diff(np.diff(z) / self.gaps, prepend=0.0)


def _product(squares: Diagonals, z: Few) -> Few:
    """M z."""
    diagonal, beside = squares[0], squares[1, :-1]
    return diagonal * z + np.append(beside * z[1:], 0.0) + np.append(0.0, beside * z[:-1])
