"""The price of the slope and of the height of a function where its output bias is paid for too.

Let the part q_j of the bend m_j at t_j face left. The left units have the slope -sum q_j at
-infinity and the height sum q_j t_j at 0 (those that bend at t_j < 0 and face right have the rest),
so what they leave of s_- and of f(0) is

    v = target - z,   target = (-s_-, f(0) - sum m_j [-t_j]_+),   z = sum q_j (1, t_j).

As long as each q_j is between 0 and m_j it costs nothing to choose: z is any point of a zonogon,
the sum of the segments from 0 to m_j (1, t_j). A line h x + k is made by pairs of units for
2 sqrt(h^2 + k^2), as the convex hull of +-(1, t) / rho(t) is the disc; and a constant k by the
output bias for k^2 / 2, or beyond 1 by a unit [0 x + 1]_+ for 1 each: q(k) = k^2 / 2 up to
|k| = 1, then |k| - 1/2. So the price is

    min over z, k of 2 |v - (0, k)| + q(k) = max over |p| <= 2, |p_2| <= 1 of
        p . target - sum [m_j (p_1 + p_2 t_j)]_+ - p_2^2 / 2.

Given k the first is the distance to a polygon, given p_2 the best p_1 is a weighted quantile of the
-p_2 t_j; each is then a convex problem in one number. Whatever number comes out proves its end.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.rounding import TINY, gamma
from repcost.scales import exponent_of

Bends = Float[np.ndarray, " bends"]
Point = Float[np.ndarray, "2"]

# The golden section, and how often it is taken: what is left is less than a rounding.
_GOLDEN, _SECTIONS = (5**0.5 - 1) / 2, 80


@dataclass(frozen=True, eq=False)
class Zonogon:
    """at, sizes: t_j, increasing, and m_j. target: see above. corners: of the polygon.

    The first corners are the lower chain, the others the upper chain, backwards.
    """

    at: Bends
    sizes: Bends
    target: Point
    corners: Float[np.ndarray, "corners 2"]

    @classmethod
    def of(cls, at: Bends, sizes: Bends, target: Point) -> "Zonogon":
        order = np.argsort(at)
        at, sizes = at[order], sizes[order]
        steps = np.abs(sizes)[:, None] * np.stack([np.ones(len(at)), at], axis=1)
        # The segments of negative bends reach to the left: their far ends are where it begins.
        first = -steps[sizes < 0].sum(axis=0)
        lower = first + np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])
        upper = first + np.vstack([np.zeros(2), np.cumsum(steps[::-1], axis=0)])
        return cls(at, sizes, target, np.vstack([lower, upper[::-1]]))

    def chains(self, first: float) -> tuple[float, float]:
        """Its least and largest second coordinate over this first one."""
        half = len(self.at) + 1
        lower, upper = self.corners[:half], self.corners[: half - 1 : -1]
        return float(np.interp(first, *lower.T)), float(np.interp(first, *upper.T))

    def distance(self, k: float) -> float:
        """|v - (0, k)| for the best z."""
        point = self.target - [0.0, k]
        if self._holds(point):
            return 0.0
        # At size one, where squares neither overflow nor vanish.
        exponent = exponent_of(self.corners, point)
        corners, point = np.ldexp(self.corners, -exponent), np.ldexp(point, -exponent)
        start, step = corners[:-1], np.diff(corners, axis=0)
        squares = np.maximum((step**2).sum(axis=1), 1e-300)
        share = np.clip(((point - start) * step).sum(axis=1) / squares, 0.0, 1.0)
        rest = point - start - share[:, None] * step
        nearest = np.sqrt((rest**2).sum(axis=1).min(initial=np.inf))
        return float(np.ldexp(nearest, exponent))

    def _holds(self, point: Point) -> bool:
        low, high = self.chains(float(point[0]))
        left, right = self.corners[0, 0], self.corners[len(self.at), 0]
        return bool(left <= point[0] <= right and low <= point[1] <= high)

    def from_above(self, k: float) -> float:
        return 2 * self.distance(k) + (k * k / 2 if abs(k) <= 1 else abs(k) - 0.5)

    def from_below(self, second: float) -> float:
        """The dual value of the best p with this p_2, between -1 and 1."""
        most = np.sqrt(4 - second * second)
        first = float(np.clip(self._quantile(second), -most, most))
        held = np.maximum(self.sizes * (first + second * self.at), 0.0).sum()
        return float(np.dot([first, second], self.target) - held - second * second / 2)

    def _quantile(self, second: float) -> float:
        """The p_1 at which the derivative by it, target_1 less the bends that are held, is zero."""
        left = self.target[0] - self.corners[0, 0]
        if not 0 <= left <= self.corners[len(self.at), 0] - self.corners[0, 0]:
            return np.copysign(np.inf, left)
        # The bends are held one by one, by increasing -p_2 t_j.
        held = np.searchsorted(self._added(second > 0), left)
        held = min(int(held), len(self.at) - 1)
        return -second * float(self.at[-1 - held if second > 0 else held]) if len(self.at) else 0.0

    def _added(self, backwards: bool) -> Bends:
        """The sums of |m_j| from the left, or from the right."""
        half = len(self.at) + 1
        chain = self.corners[: half - 1 : -1] if backwards else self.corners[:half]
        return chain[1:, 0] - chain[0, 0]

    @property
    def size(self) -> float:
        """The sum of the sizes of all that is added up anywhere here."""
        return float(np.abs(self.target).sum() + np.abs(self.sizes) @ (1 + np.abs(self.at)))


def price_of_output(at: Bends, sizes: Bends, target: Point, doubt: float) -> tuple[float, float]:
    """Two ends of the price; `doubt`: how far the target may be off."""
    shape = Zonogon.of(at, sizes, target)
    low, high = shape.chains(float(target[0]))
    # Where the slope needs no pairs, this is the answer, unless it is too large.
    k = float(np.clip(0.0, target[1] - high, target[1] - low))
    reach = shape.size
    if not reach:
        return 0.0, 3 * doubt
    upper = min(shape.from_above(k), _least(shape.from_above, k, reach))
    second = float(np.clip(k, -1.0, 1.0))
    lower = max(shape.from_below(second), -_least(lambda p: -shape.from_below(p), second, 1.0))
    # 2 |.| and the dual are sums of numbers of this size, each with a few roundings.
    allowance = 4 * gamma(len(at) + 30) * reach + 3 * doubt + TINY
    return max(0.0, lower - allowance), upper + allowance


def _least(function: Callable[[float], float], near: float, reach: float) -> float:
    """Of a convex function on [-reach, reach], by golden sections: scipy's have eight digits."""
    best, low, high = function(near), -reach, reach
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(_SECTIONS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
    return min(best, at_left, at_right)
