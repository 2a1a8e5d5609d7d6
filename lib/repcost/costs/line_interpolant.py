"""All the cheapest functions of one variable through given points, as one object."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.arrays import ArrayLike, points_on_line
from repcost.bounds import Bracket
from repcost.piecewise import PiecewiseLinear

Points = Float[np.ndarray, " n"]
Pieces = Float[np.ndarray, " pieces"]
Values = Float[np.ndarray, " points"]
Places = Int[np.ndarray, " k"]


@dataclass(frozen=True, eq=False)
class LineInterpolant:
    """Every function of least cost through the points, as `interpolate_line` returns it.

    Theorem 3.3 of Savarese et al. (2019), with all minimisers. In case A (T >= S) the spline
    bends at the data alone. In case B (S > T) its end pieces together bend by a further (S -
    T)/2, shared between the ends at will.

    x, y: (n,), by increasing x, equal points merged.
    cost: Bracket of R_L, the infimum over networks of any width.
    slopes: (n + 1,), of the spline left of, between and right of the points, its end pieces
        straight.
    signs: (n,), +1 where every minimiser turns up at x_n, -1 where it turns down, 0 where none
        turns.
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

        To verify: sum beta = 0 and |sum beta_n [x_n - t]_+|, |sum beta_n [t - x_n]_+| <= 1 for
        t = x_1, ..., x_N (linear in t between), so a network that fits has sum |a_k w_k| >=
        beta . y. Each entry is rounded: it is within 1e-15 (1 / (x_n - x_{n-1}) + 1 / (x_{n+1}
        - x_n)) of a vector for which all this holds exactly.
        """
        # In case B the cost is (T + S)/2, hence the half; `signs` at the ends stand for S.
        halved = 2.0 if self.signs[0] else 1.0
        prices = np.diff(self.signs) / halved / np.diff(self.x)
        return np.diff(np.concatenate([[0.0], prices, [0.0]]))

    @property
    def is_unique(self) -> bool:
        """Whether the spline is the only minimiser: case A, and no two neighbours turn alike."""
        alike = (self.signs[1:] == self.signs[:-1]) & (self.signs[1:] != 0)
        return bool(self.signs[0] == 0 and not alike.any())

    @property
    def function(self) -> PiecewiseLinear:
        """The linear spline (26), a minimiser; in case B all extra bend is at the last point."""
        slopes, signs = self._bend_at_one_end(-1)
        bends = signs != 0
        return PiecewiseLinear(self.x[bends], slopes[np.append(True, bends)], self._anchor)

    @property
    def sparsest(self) -> PiecewiseLinear:
        """A minimiser with the fewest knots: ceil(k/2) for each run of k points that turn alike.

        Its knots are rounded: between points that are next to each other among the floats there is
        none to be had, and it misses them by as much as that moves the knot.

        Fewer do not suffice: the first, third, fifth, ... point of a run each need a knot
        between their neighbours (case A: Debarre et al. 2022). In case B an end point is part
        of its run only if its end makes some extra bend, and one end must. Here one end makes
        all of it: the first if that makes its run even, else the last. So with the end points
        counted, first and last runs of k and l points have floor(k/2) + floor(l/2) knots, and
        one more if k and l are both odd.
        """
        first_run = int((self.signs != self.signs[0]).argmax())
        slopes, signs = self._bend_at_one_end(-1 if first_run % 2 else 0)
        opens = np.empty(len(signs) + 1, dtype=bool)
        opens[0] = opens[-1] = True
        opens[1:-1] = signs[1:] != signs[:-1]
        place = _places(opens[:-1])
        # Of each pair in a run one knot is left, between the two; a last point without partner
        # keeps its own.
        (knots,) = ((signs != 0) & (place % 2 == 0)).nonzero()
        shared = ~opens[knots + 1]
        partner = knots + shared
        at = self._merged(knots, partner, shared)
        pieces = np.zeros(len(knots) + 1, dtype=int)
        pieces[1:] = partner + 1
        return PiecewiseLinear(at, slopes[pieces], self._anchor)

    def band(self, at: ArrayLike) -> tuple[Values, Values]:
        """Lowest and highest value of all minimisers at each of the points `at`, (m,).

        In float64, not rounded outward. v lies between them exactly when the points with (at,
        v) added cost no more. Between two points that turn the same way, from the chord to the
        lines of the neighbouring pieces; elsewhere the band has width zero.
        """
        at = points_on_line(at, "at")
        n, last = np.searchsorted(self.x, at, side="right"), len(self.x) - 1
        # Beyond the ends both neighbours are the end point.
        left, right = np.maximum(n - 1, 0), np.minimum(n, last)
        with np.errstate(over="ignore"):  # the smaller of the two counts
            before = np.where(n > 0, self.turns[left] * (at - self.x[left]), np.inf)
            after = np.where(n <= last, self.turns[right] * (self.x[right] - at), np.inf)
        # A function that turns up stays below its chords, and above their extensions.
        side = np.where(left < right, -1, 1) * self.directions(at)
        line = self.y[left] + self.slopes[n] * (at - self.x[left])
        other = line + side * np.where(side != 0, np.minimum(before, after), 0.0)
        return np.minimum(line, other), np.maximum(line, other)

    def directions(self, at: ArrayLike) -> Int[np.ndarray, " points"]:
        """(m,), +1 where some minimiser turns up at the place, -1 where one turns down, else 0.

        No minimiser turns the other way. At a data point this is its sign, between two the sign
        that they have in common, and beyond the ends that of the end point.
        """
        at, last = points_on_line(at, "at"), len(self.x) - 1
        left = np.maximum(np.searchsorted(self.x, at, side="right") - 1, 0)
        right = np.minimum(np.searchsorted(self.x, at, side="left"), last)
        return np.where(self.signs[left] == self.signs[right], self.signs[left], 0)

    def _bend_at_one_end(self, end: int) -> tuple[Pieces, Int[np.ndarray, " n"]]:
        """Slopes and signs of the minimiser with the extra bend of case B at one end, 0 or -1."""
        slopes, signs = self.slopes.copy(), self.signs.copy()
        slopes[end] -= signs[0] * self.turns[0]
        signs[-1 - end] = 0
        return slopes, signs

    @property
    def _anchor(self) -> Float[np.ndarray, " 2"]:
        # All minimisers go through all points; the lowest costs the values elsewhere no digits.
        lowest = np.abs(self.y).argmin()
        return np.array([self.x[lowest], self.y[lowest]])

    def _merged(self, knots: Places, partner: Places, shared: Bool[np.ndarray, " k"]) -> Values:
        """Where the lines of the pieces before and after a pair of points meet."""
        start, end, turns = self.x[knots], self.x[partner], self.turns[partner]
        weight = np.where(shared, turns / (self.turns[knots] + turns), 0.0)
        return np.minimum(start + (end - start) * weight, end)


def _places(opens: Bool[np.ndarray, " n"]) -> Places:
    """The place of each point in its run, from 0; `opens` where a run begins."""
    place = np.arange(len(opens))
    return place - np.maximum.accumulate(np.where(opens, place, 0))
