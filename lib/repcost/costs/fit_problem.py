"""Points of one variable with a price on functions: what a fit costs, from above, and what all
must, from below.
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
class Problem:
    """The points by distinct x. Only sums of y - centre within a group enter, so large offsets of y
    do no harm.
    """

    x: Knots
    y: Points
    group: Int[np.ndarray, " n"]
    counts: Int[np.ndarray, " knots"]
    centres: Knots
    middle: float
    loss: Loss

    @classmethod
    def grouped(cls, x: Points, y: Points, loss: Loss) -> "Problem":
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
        return _outward(
            [*terms.tolist(), strength * interpolate_line(self.x, z).cost.upper], 1, len(self.y)
        )

    def dual(self, rho: Pieces, strength: float) -> float:
        """From below: sum_n loss(z_n - y_n) + B . z is at least this for every z, and strength
        R-bar at least B . z.

        B_j = rho_j - rho_{j-1} sums to zero by construction; `feasible` sees to the rest of F5's
        conditions.
        """
        rho = self.feasible(rho, strength)
        terms = (self._squared if self.loss == "squared" else self._absolute)(
            rho, _differences(rho)
        )
        return max(0.0, _outward(terms, -1, len(self.y)))

    def feasible(self, rho: Pieces, strength: float) -> Pieces:
        """rho, divided so that |sum B_j [+-(x_j - t)]_+| <= strength, and |B_j| <= count for the
        absolute loss.
        """
        size, error = needed_strength(rho, np.diff(self.x))
        rho = rho / max(1.0, (size + error) / strength * (1 + 1e-15))
        if self.loss == "squared":
            return rho
        padded = np.abs(np.concatenate([[0.0], rho, [0.0]]))
        # The last term: what rounding the quotients may add to their difference.
        pull = np.abs(_differences(rho)) + 2.0**-51 * (padded[1:] + padded[:-1])
        return rho / max(1.0, float(np.max(pull / self.counts)) * (1 + 1e-15))

    def _squared(self, rho: Pieces, pull: Knots) -> list[float]:
        """Terms of min over z: within a group, sum (z - y)^2 / 2 + B z = B c + s/2 - (B - d)^2 / (2
        count) ...
        """
        away = self.y - self.centres[self.group]
        # ... with s and d the sums of (y - c)^2 and y - c, for any c: a rounded mean will do.
        left = (pull - np.bincount(self.group, away)) ** 2 / (2 * self.counts)
        return [
            *(-rho * np.diff(self.centres)).tolist(),
            *(-left).tolist(),
            *(0.5 * away**2).tolist(),
        ]

    def _absolute(self, rho: Pieces, pull: Knots) -> list[float]:
        """Terms of min over z, attained in each group at the y where the slope of sum |z - y| + B z
        changes sign.
        """
        place = np.clip(np.ceil((self.counts - pull) / 2).astype(int), 1, self.counts) - 1
        best = self.y[np.lexsort((self.y, self.group))][
            np.cumsum(self.counts) - self.counts + place
        ]
        return [*(-rho * np.diff(best)).tolist(), *np.abs(best[self.group] - self.y).tolist()]


def _differences(rho: Pieces) -> Knots:
    return np.diff(rho, prepend=0.0, append=0.0)


def tails(rho: Pieces, gaps: Pieces) -> Knots:
    """eta(x_j) = sum_n B_n [x_n - x_j]_+ for B_j = rho_j - rho_{j-1}, at every knot."""
    return -np.cumsum(np.append(rho * gaps, 0.0)[::-1])[::-1]


def needed_strength(rho: Pieces, gaps: Pieces) -> tuple[float, float]:
    """max over t and both signs of |sum_j B_j [+-(x_j - t)]_+|, and a bound on its rounding error
    and two divisions.
    """
    eta = tails(rho, gaps)
    size = float(max(np.abs(eta).max(), np.abs(eta - eta[0]).max()))
    return size, (len(eta) + 4) * 2.0**-52 * float(np.abs(rho) @ gaps)


def _outward(terms: list[float], side: int, count: int) -> float:
    """The sum of the terms, moved to one side by more than the roundings of the terms and of sums
    of `count` floats.
    """
    size = math.fsum(map(abs, terms))
    return math.fsum(terms) + side * (
        (count + 8) * 2.0**-52 * size + len(terms) * math.ulp(0.0) * (size > 0)
    )
