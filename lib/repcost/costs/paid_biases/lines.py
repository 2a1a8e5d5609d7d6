"""Functions through the points that are given by their slope at each point, and what they cost.

With the slope s_n at x_n, the function leaves point n on that line and comes to the next point on
its own, s_(n+1); in between it must bend by m = l_n - s_n at x_n and by m' = s_(n+1) - l_n at
x_(n+1), l_n the slope of the chord. If both bend the same way, one bend m + m' in between does the
same at a lower price, at (m x_n + m' x_(n+1)) / (m + m'). So any slopes are a function that passes
through the points exactly, whatever their rounding, and its price is a sum over the gaps.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from repcost.costs.paid_biases.points import Gaps, Points, Values
from repcost.piecewise import PiecewiseLinear
from repcost.rounding import UNIT, gamma

__all__ = ["Lines"]


@dataclass(frozen=True, eq=False)
class Lines:
    """before, after: m and m' of each gap."""

    points: Points
    slopes: Values

    @property
    def before(self) -> Gaps:
        return self.points.slopes - self.slopes[:-1]

    @property
    def after(self) -> Gaps:
        return self.slopes[1:] - self.points.slopes

    @property
    def merged(self) -> Bool[np.ndarray, " gaps"]:
        """Whether one bend does for both."""
        return self.before * self.after >= 0

    @property
    def places(self) -> Gaps:
        """Of the bends that are one, from the point before, as that costs it no digits."""
        sizes = np.abs(self.before) + np.abs(self.after)
        share = np.abs(self.after) / np.where(sizes > 0, sizes, 1.0)
        return self.points.x[:-1] + self.points.widths * share

    def costs(self) -> tuple[float, float]:
        """Upper ends of the cost with a free line, and with a free output bias only."""
        rho = self.points.rho
        one = np.abs(self.before + self.after) * np.hypot(1.0, self.places)
        two = np.abs(self.before) * rho[:-1] + np.abs(self.after) * rho[1:]
        by_line = float(np.where(self.merged, one, two).sum())
        linear = by_line * (1 + gamma(len(rho) + 9)) + self._rounding()
        bends = np.where(
            self.merged, np.abs(self.before + self.after), np.abs(self.before) + np.abs(self.after)
        )
        ends = abs(self.slopes[0] + self.slopes[-1])
        return linear, linear + max(0.0, ends - float(bends.sum()) + self._rounding())

    def _rounding(self) -> float:
        """Slopes are rounded, and so a bend may be off by this much of them, at either point."""
        s, rho, turns = np.abs(self.slopes), self.points.rho, self.points.signs != 0
        sizes = np.abs(self.points.slopes) + s[:-1] + s[1:]
        # Where the function is a chord between points that do not turn, nothing is rounded.
        sizes[~(turns[:-1] | turns[1:] | (self.before != 0) | (self.after != 0))] = 0.0
        return 8 * UNIT * float(sizes @ (rho[:-1] + rho[1:])) * (1 + gamma(len(s)))

    @property
    def function(self) -> PiecewiseLinear:
        """The function, its places of bends rounded."""
        x, two = self.points.x, ~self.merged
        at = [self.places[self.merged], x[:-1][two], x[1:][two]]
        sizes = [(self.before + self.after)[self.merged], self.before[two], self.after[two]]
        places, position = np.unique(np.concatenate(at), return_inverse=True)
        turns = np.bincount(position.ravel(), np.concatenate(sizes), len(places))
        bends = turns != 0
        slopes = self.slopes[0] + np.concatenate([[0.0], np.cumsum(turns[bends])])
        lowest = int(np.argmin(np.abs(self.points.y)))
        return PiecewiseLinear(places[bends], slopes, (x[lowest], self.points.y[lowest]))
