"""The cheapest functions of one variable through given points: their cost, its proof, and all of
them at once.
"""

import math
from dataclasses import dataclass
from operator import index

import numpy as np
from jaxtyping import Float, Int

from repcost.arrays import ArrayLike, points_on_line, same_length
from repcost.bounds import Bracket
from repcost.costs.slopes import Slopes
from repcost.piecewise import PiecewiseLinear
from repcost.rounding import expansion, rounded_outward

Points = Float[np.ndarray, " n"]
Pieces = Float[np.ndarray, " pieces"]


@dataclass(frozen=True, eq=False)
class LineInterpolant:
    """Every function of least cost through the points, as `interpolate_line` returns it.

    Theorem 3.3 of Savarese et al. (2019), with all minimisers. In case A (T >= S) the spline bends
    at the data alone. In case B (S > T) its end pieces together bend by a further (S - T)/2, shared
    between the ends at will.

    x, y: (n,), by increasing x, equal points merged. cost: Bracket of R_L, the infimum over
    networks of any width.
    slopes: (n + 1,), of the spline left of, between and right of the points, its end pieces
    straight.
    signs: (n,), +1 where every minimiser turns up at x_n, -1 where it turns down, 0 where it does
    not turn.
    turns: (n,), by how much the spline turns there; at the two ends: by how much it may (zero in
    case A).
    """

    x: Points
    y: Points
    cost: Bracket
    slopes: Pieces
    signs: Int[np.ndarray, " n"]
    turns: Points

    @property
    def certificate(self) -> Points:
        """beta, (n,), whose beta . y = R_2 proves that no network through the points costs less.

        To verify: sum beta = 0 and |sum beta_n [x_n - t]_+|, |sum beta_n [t - x_n]_+| <= 1 for t =
        x_1, ..., x_N (linear in t between), so a network that fits has sum |a_k w_k| >= beta . y.
        Each entry is rounded: it is within 1e-15 (1 / (x_n - x_{n-1}) + 1 / (x_{n+1} - x_n)) of a
        vector for which all this holds exactly.
        """
        halved = 2.0 if self.signs[0] else 1.0
        return np.diff(
            np.concatenate([[0.0], np.diff(self.signs) / halved / np.diff(self.x), [0.0]])
        )

    @property
    def is_unique(self) -> bool:
        """Whether the spline is the only minimiser: case A, and no two neighbours turn the same
        way.
        """
        alike = (self.signs[1:] == self.signs[:-1]) & (self.signs[1:] != 0)
        return bool(self.signs[0] == 0 and not alike.any())

    @property
    def function(self) -> PiecewiseLinear:
        """The linear spline (26), always a minimiser; in case B all the extra bend is at the last
        point.
        """
        slopes, signs = self._bend_at_one_end(-1)
        return PiecewiseLinear(
            self.x[signs != 0], slopes[np.append(True, signs != 0)], (self.x[0], self.y[0])
        )

    @property
    def sparsest(self) -> PiecewiseLinear:
        """A minimiser with the fewest knots: each run of k neighbours that turn the same way has
        ceil(k/2) of them.

        Fewer do not suffice: the first, third, fifth, ... point of a run each need a knot between
        their neighbours (case A: Debarre et al. 2022). In case B an end point is part of its run
        only if its end makes some extra bend, and one end must. Here one end makes all of it: the
        first if that makes its run even, else the last. So with the end points counted, first and
        last runs of k and l points have floor(k/2) + floor(l/2) knots, and one more if k and l are
        both odd.
        """
        first_run = int(np.argmax(self.signs != self.signs[0]))
        slopes, signs = self._bend_at_one_end(-1 if first_run % 2 else 0)
        opens = np.append(True, signs[1:] != signs[:-1])
        place = np.arange(len(signs))
        place = place - np.maximum.accumulate(np.where(opens, place, 0))
        knots = np.flatnonzero((signs != 0) & (place % 2 == 0))
        shared = ~np.append(opens, True)[knots + 1]
        partner = knots + shared
        weight = np.where(
            shared, self.turns[partner] / (self.turns[knots] + self.turns[partner]), 0.0
        )
        at = np.minimum(self.x[knots] + (self.x[partner] - self.x[knots]) * weight, self.x[partner])
        return PiecewiseLinear(at, slopes[np.append(0, partner + 1)], (self.x[0], self.y[0]))

    def band(
        self, at: ArrayLike
    ) -> tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]:
        """Lowest and highest value of all minimisers at each of the points `at`, (m,); in float64,
        not rounded outward.

        v lies between them exactly when the points with (at, v) added cost no more. Between two
        points that turn the same way, from the chord to the lines of the neighbouring pieces;
        elsewhere the band has width zero.
        """
        at = points_on_line(at, "at")
        n, last = np.searchsorted(self.x, at, side="right"), len(self.x) - 1
        left, right = np.maximum(n - 1, 0), np.minimum(n, last)
        with np.errstate(over="ignore"):  # the smaller of the two counts
            before = np.where(n > 0, self.turns[left] * (at - self.x[left]), np.inf)
            after = np.where(n <= last, self.turns[right] * (self.x[right] - at), np.inf)
        # A function that turns up stays below its chords, and above their extensions.
        side = np.where(left < right, -1, 1) * np.where(
            self.signs[left] == self.signs[right], self.signs[left], 0
        )
        line = self.y[left] + self.slopes[n] * (at - self.x[left])
        other = line + side * np.where(side != 0, np.minimum(before, after), 0.0)
        return np.minimum(line, other), np.maximum(line, other)

    def _bend_at_one_end(self, end: int) -> tuple[Pieces, Int[np.ndarray, " n"]]:
        """Slopes and signs of the minimiser whose extra bend of case B is all at one end, 0 or -1."""
        slopes, signs = self.slopes.copy(), self.signs.copy()
        slopes[end] -= signs[0] * self.turns[0]
        signs[-1 - end] = 0
        return slopes, signs


def interpolate_line(x: ArrayLike, y: ArrayLike, depth: int = 2) -> LineInterpolant:
    """The least cost of a ReLU network through the points (x_n, y_n), and the functions that attain
    it.

    R_L = R_2^{2/L} for `depth` L, with R_2 = max(T, (T + S)/2): T = sum |l_n - l_{n-1}|, S = |l_1 +
    l_{N-1}|, l_n the slopes between neighbours; Theorem 3.3 of Savarese et al. (2019). R_2 is half
    the sum of squared weights, biases free. x: (n,) or (n, 1) in any order; y: (n,). Certified: the
    bracket holds for the floats given, however close.

    >>> fit = interpolate_line([0, 1, 2], [0, 1, 3])
    >>> fit.cost.value, fit.is_unique
    (2.0, False)
    >>> low, high = fit.band([-1, 0.5, 1.5, 3])
    >>> low.tolist(), high.tolist()
    ([-1.0, 0.0, 2.0, 4.0], [0.0, 0.5, 2.0, 5.0])
    """
    x, y = _sorted_and_merged(points_on_line(x), points_on_line(y, "y"))
    depth = _checked_depth(depth)
    if len(x) == 1:
        return LineInterpolant(
            x, y, Bracket(0.0, 0.0, "certified"), np.zeros(2), np.zeros(1, dtype=int), np.zeros(1)
        )
    slopes = Slopes.between(x, y)
    signs, turns = slopes.turns()
    ends = np.zeros(len(x) - 1)
    ends[0] += 1
    ends[-1] += 1
    e = int(np.sign(slopes.signed_total(ends)))
    # S - T, with l_1 + l_{N-1} and the bends as sums of slopes.
    excess = slopes.signed_total(e * ends + np.diff(signs)) if e else 0.0
    if excess > 0:
        signs[[0, -1]], turns[[0, -1]] = (e, -e), excess / 2
    cost = _bracket(*slopes.terms(-np.diff(signs) / (2 if excess > 0 else 1)), depth)
    values = slopes.high + slopes.low
    straight = np.concatenate([values[:1], values, values[-1:]])
    return LineInterpolant(x, y, cost, straight, signs, turns)


def _sorted_and_merged(
    x: Points, y: Points
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    """The points by increasing x, each once."""
    same_length(x=x, y=y)
    if not len(x):
        raise ValueError("x is empty; give at least one point")
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    again = x[1:] == x[:-1]
    clash = np.flatnonzero(again & (y[1:] != y[:-1]))
    if len(clash):
        n = clash[0]
        raise ValueError(
            f"x holds {x[n]} twice, with y = {y[n]} and {y[n + 1]}, and no function takes both values; remove one of "
            "the points, or fit them with regularised_fit"
        )
    first = np.append(True, ~again)
    x, y = x[first], y[first]
    x.setflags(write=False)
    y.setflags(write=False)
    return x, y


def _checked_depth(depth: int) -> int:
    try:
        whole = index(depth)
    except TypeError:
        raise ValueError(f"depth must be a whole number, not {depth!r}") from None
    if whole < 2:
        raise ValueError(f"depth must be at least 2 (one hidden layer), not {whole}")
    return whole


def _bracket(terms: Float[np.ndarray, " terms"], error: float, depth: int) -> Bracket:
    """R_2^{2/L} for an R_2 within `error` of the sum of `terms`."""
    parts = expansion(terms)
    low = max(0.0, rounded_outward(np.array([*parts, -error]))[0])
    high = rounded_outward(np.array([*parts, error]))[1]
    if depth > 2:
        low, high = low ** (2 / depth), high ** (2 / depth)
        # pow is good to two units in the last place, and the rounding of 2 / L moves it by |log|
        # more of them.
        low -= 2.0**-52 * (4 + abs(math.log(low or 1.0))) * low
        high += 2.0**-52 * (4 + abs(math.log(high or 1.0))) * high
    return Bracket(low, high, "certified")
