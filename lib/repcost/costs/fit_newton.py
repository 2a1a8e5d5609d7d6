"""The fit with squared loss by an interior point method on few knots: a proposal, for any n.

In units where x spans 1 and the strength is 1, a spline with given knots has values z there, and
its squares are z' M z / 2 - b' z (`fit_splines`). The fit and its dual (`fit_problem`) are then

    M z + D eta = b,    D' z = prices of the bounds |eta_j| <= 1 and |eta_j - h| <= 1,

where D' takes bends, differences of slopes, and eta_0 = h has the first slope as its own. Ordered
by knots this has seven diagonals, and h adds a row: a step of Newton's costs a few passes over the
knots (`_Step`). Where eta touches a bound the fit bends, upwards at an upper bound, downwards at a
lower one. That much decides the fit (`fit_splines.Fit`).

The fit bends at few points. So knots are taken where they are needed (`newton_fit`): eta is known
at all points from the residuals, and wherever it is too large one more knot helps.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.linalg import LinAlgError, get_lapack_funcs, solveh_banded

from repcost.costs.fit_problem import FitProblem, Knots, Pieces
from repcost.costs.fit_splines import Diagonals, Few, Fit, Mask, Points

# A row for each of eta <= 1, -eta <= 1, eta - h <= 1 and h - eta <= 1, a column for each knot but
# the last, where eta is 0. The first is h itself, which has the first two bounds only.
Bounds = Float[np.ndarray, "4 _"]

# So many points are knots at first.
_FEW = 300
_MOST_ROUNDS, _MOST_STEPS = 20, 60
# Products of slack and price below this part of the largest price are zero.
_CENTRED = 1e-16
# A step ends this part before the first bound that it would cross.
_SHORT = 0.995
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
            slack = _slack(u)
            centre = float((prices * slack).sum()) / prices.size
            # At the end rounding may put an eta on its bound.
            if centre <= _CENTRED * size or slack.min() <= 0:
                break
            step = _Step.at(self, slack, prices)
            off = self.pulls - _product(self.squares, z) - self._spread(u)
            z, u, prices = step.taken(z, u, off, _gathered(prices) - self._bends(z), centre)
            if not np.isfinite(z).all():
                raise ValueError("rounding made the equations useless")
        return self._touched(u, prices)

    def _touched(self, u: Few, prices: Bounds) -> tuple[float, Knots]:
        """Prices are large against slacks, in units of the largest of both."""
        touches = prices > float(prices.max()) * _slack(u)
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


def _slack(u: Few) -> Bounds:
    away = u - u[0]
    found = 1 - np.stack([u, -u, away, -away])
    found[2:, 0] = 1.0
    return found


def _gathered(prices: Bounds) -> Few:
    """What the prices of all bounds add up to, for each unknown of eta."""
    own, shared = prices[0] - prices[1], prices[2] - prices[3]
    found = own + shared
    found[0] = own[0] - shared[1:].sum()
    return found


# Below and above the diagonal there are so many others.
_BAND = 3
# LU with pivots, whose factors serve three right sides.
_FACTOR, _SUBSTITUTE = get_lapack_funcs(("gbtrf", "gbtrs"), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Step:
    """The equations of one step, factored, where z_j and eta_j take turns; h comes beside them."""

    slack: Bounds
    prices: Bounds
    factor: tuple[np.ndarray, np.ndarray]
    border: Few
    across: Few
    corner: float

    @classmethod
    def at(cls, problem: _InteriorPoint, slack: Bounds, prices: Bounds) -> "_Step":
        stiffness = prices / slack
        own, shared = stiffness[:2].sum(0), stiffness[2:].sum(0)
        shared[0] = 0.0
        bands = _bands(problem, own + shared)
        lu, pivots, info = _FACTOR(bands, _BAND, _BAND, overwrite_ab=True)
        if info:
            raise LinAlgError("singular")
        border = np.zeros(bands.shape[1])
        border[1:-1:2] = shared
        # The first slope.
        border[[0, 2]] = np.array([-1.0, 1.0]) / problem.gaps[0]
        across = _substituted((lu, pivots), border)
        corner = -own[0] - shared.sum() - border @ across
        return cls(slack, prices, (lu, pivots), border, across, float(corner))

    def taken(self, z: Few, u: Few, off: Few, force: Few, centre: float) -> tuple[Few, Few, Bounds]:
        """Mehrotra's step: what the plain one would reach tells how far to stay from the bounds."""
        _, _, dslack, dprices = self._towards(off, force, 0.0)
        reach = self._longest(dslack, dprices)
        after = (self.slack + reach * dslack) * (self.prices + reach * dprices)
        aim = centre * (float(after.sum()) / after.size / centre) ** 3
        dz, du, dslack, dprices = self._towards(off, force, aim - dslack * dprices)
        length = min(1.0, _SHORT * self._longest(dslack, dprices))
        return z + length * dz, u + length * du, np.maximum(self.prices + length * dprices, 0.0)

    def _towards(
        self, off: Few, force: Few, aim: Bounds | float
    ) -> tuple[Few, Few, Bounds, Bounds]:
        """Changes after which, to first order, slack times price is `aim`, and equations hold."""
        wanted = aim / self.slack - self.prices
        wanted[2:, 0] = 0.0
        force = force + _gathered(wanted)
        right = np.zeros(2 * len(off))
        right[::2], right[3:-1:2] = off, force[1:]
        inside = _substituted(self.factor, right)
        h = float(force[0] - self.border @ inside) / self.corner
        inside = inside - h * self.across
        du = np.append(h, inside[3:-1:2])
        away = du - h
        dslack = -np.stack([du, -du, away, -away])
        dslack[2:, 0] = 0.0
        return inside[::2], du, dslack, wanted - self.prices / self.slack * dslack

    def _longest(self, dslack: Bounds, dprices: Bounds) -> float:
        """The longest step that leaves no slack and no price negative, at most 1 / _SHORT."""
        falls = np.maximum(-dslack / self.slack, -dprices / self.prices)
        return 1 / max(float(np.nanmax(falls)), _SHORT)


def _bands(problem: _InteriorPoint, stiffness: Few) -> Float[np.ndarray, "_ _"]:
    """The matrix in LAPACK's form, with room for pivots: rows are diagonals from above.

    Each diagonal is written by the columns it stands in: z_j is 2 j, eta_j is 2 j + 1, and the
    places of the first and the last eta are not used.
    """
    few = len(problem.pulls)
    bands = np.zeros((3 * _BAND + 1, 2 * few))
    middle = bands[2 * _BAND]
    middle[::2] = problem.squares[0]
    middle[1::2] = 1.0
    middle[3:-1:2] = -stiffness[1:]
    beside = problem.squares[1][:-1]
    bands[2 * _BAND + 2, :-2:2], bands[2 * _BAND - 2, 2::2] = beside, beside
    slopes = 1 / problem.gaps
    left, right = slopes[:-1], slopes[1:]
    # eta_j meets z_(j-1), z_j and z_(j+1), in its column and in its row.
    for row, weight in ((-3, left), (-1, -left - right), (1, right)):
        columns = np.arange(3, 2 * few - 1, 2)
        bands[2 * _BAND + row, columns] = weight
        bands[2 * _BAND - row, columns + row] = weight
    return bands


def _substituted(factor: tuple[np.ndarray, np.ndarray], right: Few) -> Few:
    found, _ = _SUBSTITUTE(factor[0], _BAND, _BAND, right, factor[1])
    return found
