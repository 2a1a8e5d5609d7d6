"""Points of one variable with a price on functions: the objective of a fit, and its dual.

A fit is judged by its values z at the distinct x alone: the cheapest function through them
costs what `interpolate_line` says, the objective from above. From below, let B be any weights
with sum 0 and |sum_j B_j [+-(x_j - t)]_+| <= strength for all t. Then strength * R-bar(f) is at
least <B, z> for every f with the values z (Corollary 3.4 of Savarese et al. 2019). So the least
objective is at least the minimum over z of sum_n loss(z_n - y_n) + <B, z>, which falls apart into
one minimum per x. B is kept as its sums rho: B_j = rho_j - rho_(j-1) then adds up to 0 by
construction.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from repcost.costs.line import interpolate_line

Loss = Literal["squared", "absolute"]
Points = Float[np.ndarray, " n"]
Knots = Float[np.ndarray, " knots"]
Pieces = Float[np.ndarray, " pieces"]


@dataclass(frozen=True, eq=False)
class FitProblem:
    """The points by distinct x: x[group] and y are the points, counts how many share an x.

    centres: the best value at each x alone; middle: the best constant. Only sums of y - centre
    within a group enter, so large offsets of y do no harm.
    """

    x: Knots
    y: Points
    group: Int[np.ndarray, " n"]
    counts: Int[np.ndarray, " knots"]
    centres: Knots
    middle: float
    loss: Loss

    @classmethod
    def grouped(cls, x: Points, y: Points, loss: Loss) -> "FitProblem":
        knots, group, counts = np.unique(x, return_inverse=True, return_counts=True)
        if loss == "squared":
            # Means of differences to y[0]: means of large offsets would lose their digits.
            centres = y[0] + np.bincount(group, y - y[0]) / counts
            middle = float(y[0] + np.mean(y - y[0]))
        else:
            # The lower of two medians; the whole interval between them would do.
            order = np.lexsort((y, group))
            first = np.cumsum(counts) - counts
            centres = y[order][first + (counts - 1) // 2]
            middle = float(np.median(y))
        return cls(knots, y, group, counts, centres, middle, loss)

    def objective(self, z: Knots, strength: float) -> float:
        """From above: the objective of the cheapest function with the values z."""
        residual = np.abs(z[self.group] - self.y)
        terms = 0.5 * residual**2 if self.loss == "squared" else residual
        price = strength * interpolate_line(self.x, z).cost.upper
        return _moved_out([*terms.tolist(), price], 1, len(self.y))

    def dual(self, rho: Pieces, strength: float) -> float:
        """From below, whatever rho is: it is made feasible first."""
        terms = self._dual_terms(rho, strength)
        # Squares beyond floats are a value below zero, which proves nothing.
        if not np.isfinite(terms).all():
            return 0.0
        return max(0.0, _moved_out(terms, -1, len(self.y)))

    def rounding(self, rho: Pieces, strength: float) -> float:
        """About how much of the dual is given away to rounding."""
        terms = self._dual_terms(rho, strength)
        _, error = needed_strength(rho, np.diff(self.x))
        value = math.fsum(terms)
        return value - _moved_out(terms, -1, len(self.y)) + 2 * abs(value) * error / strength

    def _dual_terms(self, rho: Pieces, strength: float) -> list[float]:
        rho = self.feasible(rho, strength)
        terms_of = self._squared if self.loss == "squared" else self._absolute
        with np.errstate(over="ignore", invalid="ignore"):
            return terms_of(rho, _differences(rho))

    def feasible(self, rho: Pieces, strength: float) -> Pieces:
        """rho, divided so that B keeps the conditions above.

        For the absolute loss |B_j| <= counts_j as well: beyond that the minimum over z is
        -infinity.
        """
        # All conditions are homogeneous, so dividing all of rho is enough.
        size, error = needed_strength(rho, np.diff(self.x))
        rho = rho / max(1.0, (size + error) / strength * (1 + 1e-15))
        if self.loss == "squared":
            return rho
        padded = np.abs(np.concatenate([[0.0], rho, [0.0]]))
        # The last term: what rounding the quotients may add to their difference.
        pull = np.abs(_differences(rho)) + 2.0**-51 * (padded[1:] + padded[:-1])
        return rho / max(1.0, float(np.max(pull / self.counts)) * (1 + 1e-15))

    def _squared(self, rho: Pieces, pull: Knots) -> list[float]:
        """Terms of the minimum over z of sum (z - y)^2 / 2 + B z.

        Within a group it is B c + s/2 - (B - d)^2 / (2 count), with s and d the sums of (y -
        c)^2 and y - c, for any c: a rounded mean will do.
        """
        away = self.y - self.centres[self.group]
        left = (pull - np.bincount(self.group, away)) ** 2 / (2 * self.counts)
        # The sum of B c is that of -rho times the differences of c, which keeps its digits.
        linear = -rho * np.diff(self.centres)
        return [*linear.tolist(), *(-left).tolist(), *(0.5 * away**2).tolist()]

    def _absolute(self, rho: Pieces, pull: Knots) -> list[float]:
        """Terms of the minimum over z of sum |z - y| + B z.

        It is attained in each group at the y where the slope of this function changes sign.
        """
        place = np.clip(np.ceil((self.counts - pull) / 2).astype(int), 1, self.counts) - 1
        first = np.cumsum(self.counts) - self.counts
        best = self.y[np.lexsort((self.y, self.group))][first + place]
        linear = -rho * np.diff(best)
        return [*linear.tolist(), *np.abs(best[self.group] - self.y).tolist()]


def _differences(rho: Pieces) -> Knots:
    return np.diff(rho, prepend=0.0, append=0.0)


def tails(rho: Pieces, gaps: Pieces) -> Knots:
    """eta(x_j) = sum_n B_n [x_n - x_j]_+ for B_j = rho_j - rho_{j-1}, at every knot."""
    return -np.cumsum(np.append(rho * gaps, 0.0)[::-1])[::-1]


def needed_strength(rho: Pieces, gaps: Pieces) -> tuple[float, float]:
    """The largest |sum_j B_j [+-(x_j - t)]_+| over t and both signs, and a bound of its rounding.

    The bound has room for two divisions more.
    """
    eta = tails(rho, gaps)
    # With the other sign the sums are eta - eta[0], as B adds up to 0.
    size = float(max(np.abs(eta).max(), np.abs(eta - eta[0]).max()))
    return size, (len(eta) + 4) * 2.0**-52 * float(np.abs(rho) @ gaps)


def _moved_out(terms: list[float], side: int, count: int) -> float:
    """The sum of the terms, moved to one side by more than their roundings.

    Each term is rounded itself, and those of group sums as often as there are points, `count`.
    """
    size = math.fsum(map(abs, terms))
    underflow = len(terms) * math.ulp(0.0) * (size > 0)
    return math.fsum(terms) + side * ((count + 8) * 2.0**-52 * size + underflow)
