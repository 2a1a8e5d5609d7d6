"""The best way through each stretch: k points that turn alike, k - 1 bends, one between each two.

The lines of a stretch begin with the chord before its first point and end with that after its last;
at the k - 2 points between, the slopes are free, between those of the chords beside them. The
length of the path from line to line is convex in these slopes, and its Hessian has three
diagonals. Newton's method finds them for all stretches of one k at once. Where the least length
wants a slope at the end of its range, another choice of stretches is as good, and this one is
given up. Now and then a step runs into such an end on the way to a minimum inside; the careful way
is kept off by logarithmic barriers, which fade.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.costs.paid_biases.points import Points

__all__ = ["Stretches", "best_of_length"]

Rows = Float[np.ndarray, "m _"]
Live = Bool[np.ndarray, " m"]

_ROUNDS, _HALVINGS = 60, 25
# By how much barriers fade in a round, and for how many rounds they are there.
_FADES, _WITH_BARRIER = 0.3, 28
# How much of the way to the end of a range a step may take.
_MOST = 0.95
# A slope this near to the end of its range, relative to the range, runs into it.
_AT_END = 1e-13


@dataclass(frozen=True, eq=False)
class Stretches:
    """Of m stretches of k points.

    costs: of their bends; infinite where given up.
    slopes: (m, k), those at the first and at the last point of the chords outside.
    """

    costs: Float[np.ndarray, " m"]
    slopes: Rows


@dataclass(frozen=True, eq=False)
class _Steps:
    """Vectors from line to line in the plane of lines, their lengths and directions, row by row.

    x: (m, k). across: of each step and the points at its two ends, (1, x) times its normal.
    """

    x: Rows
    along: Rows
    up: Rows
    lengths: Rows

    @classmethod
    def between(cls, x: Rows, chords: Rows, slopes: Rows) -> "_Steps":
        along = np.diff(slopes, axis=1)
        # The second coordinate, s x - i, by chords: it does not cancel where y is large.
        up = (chords - slopes[:, :-1]) * x[:, :-1] + (slopes[:, 1:] - chords) * x[:, 1:]
        return cls(x, along, up, np.hypot(along, up))

    @property
    def total(self) -> Float[np.ndarray, " m"]:
        return self.lengths.sum(axis=1)

    def gradient(self) -> Rows:
        """By the slopes of the points inside."""
        x, turn = self.x[:, 1:-1], np.stack([self.along, self.up]) / self.lengths
        return -np.diff(turn[0], axis=1) - np.diff(turn[1], axis=1) * x

    def hessian(self) -> Float[np.ndarray, "m free free"]:
        c, s = self.along / self.lengths, self.up / self.lengths
        start, end = c * self.x[:, :-1] - s, c * self.x[:, 1:] - s
        free = self.x.shape[1] - 2
        i = np.arange(free)
        found = np.zeros((len(self.x), free, free))
        found[:, i, i] = (end**2 / self.lengths)[:, :-1] + (start**2 / self.lengths)[:, 1:]
        beside = -(start * end / self.lengths)[:, 1:-1]
        found[:, i[:-1], i[1:]] = found[:, i[1:], i[:-1]] = beside
        return found


def best_of_length(
    points: Points, first: Int[np.ndarray, " m"], k: int, careful: bool = False
) -> Stretches:
    """The stretches of k points that begin at these."""
    inside = first[:, None] + np.arange(k)
    x, chords = points.x[inside], points.slopes[inside[:, :-1]]
    ends = points.slopes[first - 1][:, None], points.slopes[first + k - 1][:, None]
    if k == 1:
        # All of the bend at the point.
        return Stretches(np.abs(ends[1] - ends[0])[:, 0] * points.rho[first], ends[1])
    # Turned so that all slopes increase.
    sign = points.signs[first][:, None].astype(float)
    turned = tuple(sign * part for part in (chords, *ends))
    slopes, good = _least(x, *turned, careful=careful)
    lengths = _Steps.between(x, turned[0], slopes).total
    return Stretches(np.where(good, lengths, np.inf), sign * slopes)


def _least(x: Rows, chords: Rows, start: Rows, end: Rows, *, careful: bool) -> tuple[Rows, Live]:
    """Slopes of the least length, and in which rows they were found."""
    low, high = chords[:, :-1], chords[:, 1:]
    free = (low + high) / 2
    live, good = np.ones(len(x), bool), np.ones(len(x), bool)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for count in range(_ROUNDS if free.shape[1] else 0):
            rows = np.flatnonzero(live)
            if not len(rows):
                break
            some = _Row(x[rows], chords[rows], start[rows], end[rows], low[rows], high[rows])
            barrier = _FADES**count if careful and count < _WITH_BARRIER else 0.0
            free[rows], done, stuck = some.stepped(free[rows], barrier)
            if not barrier:
                live[rows[done | stuck]] = False
                good[rows[stuck]] = False
    return np.hstack([start, free, end]), good


@dataclass(frozen=True, eq=False)
class _Row:
    """What a step of Newton's method needs of the stretches that are still on their way."""

    x: Rows
    chords: Rows
    start: Rows
    end: Rows
    low: Rows
    high: Rows

    def steps(self, free: Rows) -> _Steps:
        return _Steps.between(self.x, self.chords, np.hstack([self.start, free, self.end]))

    def height(self, free: Rows, barriers: Rows) -> Float[np.ndarray, " m"]:
        """The length of the path, and the barriers where there are any."""
        length = self.steps(free).total
        if not barriers.any():
            return length
        return length - (barriers * np.log((free - self.low) * (self.high - free))).sum(axis=1)

    def stepped(self, free: Rows, barrier: float) -> tuple[Rows, Live, Live]:
        """After one step: the slopes, and who has arrived or run into the end of a range."""
        ranges = self.high - self.low
        barriers = barrier * ranges * np.hypot(1.0, self.x[:, 1:-1])
        wanted, flat = self._newton(free, barriers)
        share, here = self._share(free, wanted), self.height(free, barriers)
        for _ in range(_HALVINGS):
            # Written so that what is no number is worse.
            above = ~(self.height(free + share * wanted, barriers) <= here + 1e-14 * np.abs(here))
            if not above.any():
                break
            share = np.where(above[:, None], share / 2, share)
        after = free + share * wanted
        small = (np.abs(wanted) <= 1e-15 * np.maximum(np.abs(free), ranges)).all(axis=1)
        room = np.minimum(self.high - after, after - self.low)
        # Written so that what is no number is stuck, too.
        stuck = ~np.all(room >= _AT_END * ranges, axis=1)
        return after, small | flat, np.asarray(stuck)

    def _newton(self, free: Rows, barriers: Rows) -> tuple[Rows, Live]:
        """Newton's step, and where the slopes are those of a minimum already."""
        here = self.steps(free)
        below, above = free - self.low, self.high - free
        gradient = here.gradient() + barriers * (1 / above - 1 / below)
        hessian, i = here.hessian(), np.arange(free.shape[1])
        hessian[:, i, i] *= 1 + 1e-14
        hessian[:, i, i] += barriers * (1 / above**2 + 1 / below**2)
        flat = 4e-15 * free.shape[1] * np.hypot(1.0, self.x).max(axis=1)
        return -_solved(hessian, gradient), np.abs(gradient).max(axis=1) <= flat

    def _share(self, free: Rows, wanted: Rows) -> Rows:
        """Of the wanted step, at most 95 % of the way to the end of a range."""
        room = np.where(wanted > 0, self.high - free, free - self.low)
        shares = _MOST * room / np.maximum(np.abs(wanted), 1e-300)
        return np.minimum(1.0, shares.min(axis=1))[:, None]


def _solved(hessian: Float[np.ndarray, "m free free"], gradient: Rows) -> Rows:
    """Row by row where a matrix has no inverse, as of bends of the size of rounding: no numbers."""
    try:
        return np.linalg.solve(hessian, gradient[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return np.stack([_solved_alone(*one) for one in zip(hessian, gradient, strict=True)])


def _solved_alone(
    hessian: Float[np.ndarray, "free free"], gradient: Float[np.ndarray, " free"]
) -> Float[np.ndarray, " free"]:
    try:
        return np.linalg.solve(hessian, gradient)
    except np.linalg.LinAlgError:
        return np.full_like(gradient, np.nan)
