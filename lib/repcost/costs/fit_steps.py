"""A step of the interior point method for fits (`fit_newton`): its equations, and its length."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.linalg import LinAlgError, get_lapack_funcs

from repcost.costs.fit_points import Diagonals, Few

__all__ = ["Bounds", "Step", "gathered", "slacks"]

# A row for each of eta <= 1, -eta <= 1, eta - h <= 1 and h - eta <= 1, a column for each knot but
# the last, where eta is 0. The first is h itself, which has the first two bounds only.
Bounds = Float[np.ndarray, "4 _"]

# A step ends this part before the first bound that it would cross.
_SHORT = 0.995
# Below and above the diagonal there are so many others.
_BAND = 3
# LU with pivots, whose factors serve three right sides.
_FACTOR, _SUBSTITUTE = get_lapack_funcs(("gbtrf", "gbtrs"), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Step:
    """The equations of one step, factored, where z_j and eta_j take turns; h comes beside them."""

    slack: Bounds
    prices: Bounds
    factor: tuple[np.ndarray, np.ndarray]
    border: Few
    across: Few
    corner: float

    @classmethod
    def at(cls, squares: Diagonals, gaps: Few, slack: Bounds, prices: Bounds) -> "Step":
        stiffness = prices / slack
        own, shared = stiffness[:2].sum(0), stiffness[2:].sum(0)
        shared[0] = 0.0
        bands = _bands(squares, gaps, own + shared)
        lu, pivots, info = _FACTOR(bands, _BAND, _BAND, overwrite_ab=True)
        if info:
            raise LinAlgError("singular")
        border = np.zeros(bands.shape[1])
        border[1:-1:2] = shared
        # The first slope.
        border[[0, 2]] = np.array([-1.0, 1.0]) / gaps[0]
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
        force = force + gathered(wanted)
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
        # The largest that is a number; a step of none at all has no length either.
        return 1 / max(float(np.fmax.reduce(falls, axis=None)), _SHORT)


def _bands(squares: Diagonals, gaps: Few, stiffness: Few) -> Float[np.ndarray, "_ _"]:
    """The matrix in LAPACK's form, with room for pivots: rows are diagonals from above.

    Each diagonal is written by the columns it stands in: z_j is 2 j, eta_j is 2 j + 1, and the
    places of the first and the last eta are not used.
    """
    few = squares.shape[1]
    bands = np.zeros((3 * _BAND + 1, 2 * few))
    middle = bands[2 * _BAND]
    middle[::2] = squares[0]
    middle[1::2] = 1.0
    middle[3:-1:2] = -stiffness[1:]
    beside = squares[1][:-1]
    bands[2 * _BAND + 2, :-2:2], bands[2 * _BAND - 2, 2::2] = beside, beside
    slopes = 1 / gaps
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


def slacks(u: Few) -> Bounds:
    away = u - u[0]
    found = 1 - np.stack([u, -u, away, -away])
    found[2:, 0] = 1.0
    return found


def gathered(prices: Bounds) -> Few:
    """What the prices of all bounds add up to, for each unknown of eta."""
    own, shared = prices[0] - prices[1], prices[2] - prices[3]
    found = own + shared
    found[0] = own[0] - shared[1:].sum()
    return found
