"""Arithmetic with pairs of floats, high + low, and a bound of what both together are off by.

U is the unit roundoff. Every pair is made by a last exact sum, so |low| <= U |high|.

*Differences*: that of the high parts is exact; low parts and its rest are at most U S each, where
S is the size of both numbers, and adding them up rounds three times: less than 32 U^2 S.

*Products* with a float: exact in two floats for the high part; adding what is left of it to the
product of the low part rounds numbers of at most U S and 2 U S: less than 16 U^2 S.

*Minors* a p - b q, S = |a p| + |b q|: products of high parts and their difference are exact in two
floats. To the low part are added eight numbers of at most 2 U S, each rounded a few times, and
products of low parts, U^2 S, are left out: less than 64 U^2 S together. To that comes what the
entries are off by, each times the other.

*Quotients* X / W: for the float quotient x the remainder X - x W of high parts is a float, so one
step of Newton's method, (X - x W + low parts) / W, adds numbers of at most 4 U |x| with a few
roundings: less than 64 U^2 |x|. To that come (off_X + |x| off_W) / (|W| - off_W).

Underflow costs less than TINY, for numbers from the middle of the floats.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.regions.minors import expansion
from repcost.regions.row_bounds import GROWN
from repcost.regions.tables import Indices, ranges, starts
from repcost.regions.two_floats import two_sum
from repcost.rounding import TINY, UNIT, exact_product

Floats = Float[np.ndarray, "..."]

# Powers of two between which nothing is lost when floats are moved there.
_RANGE = 1000


@dataclass(frozen=True, eq=False)
class Pair:
    """high + low, and what that is off by at most."""

    high: Floats
    low: Floats
    off: Floats

    @property
    def parts(self) -> tuple[Floats, Floats, Floats]:
        return self.high, self.low, self.off

    def where(self, mine: Bool[np.ndarray, "..."], other: "Pair") -> "Pair":
        """These entries, and those of the other one elsewhere."""
        parts = zip(self.parts, other.parts, strict=True)
        return Pair(*(np.where(mine, one, two) for one, two in parts))

    def beside(self, other: "Pair") -> "Pair":
        parts = zip(self.parts, other.parts, strict=True)
        return Pair(*(np.concatenate(both, axis=-1) for both in parts))

    def times(self, factor: float) -> "Pair":
        """Times one float."""
        if factor == 1:
            return self
        if not factor:
            return Pair(*(np.zeros_like(self.high) for _ in range(3)))
        high, rest = exact_product(self.high, np.full_like(self.high, factor))
        off = abs(factor) * self.off * GROWN + 16 * UNIT**2 * np.abs(high)
        high, low = two_sum(high, rest + factor * self.low)
        return Pair(high, low, off * GROWN + np.where(self.high != 0, TINY, 0.0))

    def __getitem__(self, which) -> "Pair":
        return Pair(self.high[which], self.low[which], self.off[which])

    def __sub__(self, other: "Pair") -> "Pair":
        high, rest = two_sum(self.high, -other.high)
        high, low = two_sum(high, rest + (self.low - other.low))
        size = np.abs(self.high) + np.abs(other.high)
        return Pair(high, low, (self.off + other.off + 32 * UNIT**2 * size) * GROWN)

    def rounded(
        self, shifts: Int[np.ndarray, "..."] | int
    ) -> tuple[Floats, Bool[np.ndarray, "..."]]:
        """The number times 2^shifts rounded once, and where that is sure."""
        # The second term is for the rounding of the sums below.
        off = self.off * GROWN + np.where(self.off > 0, 2.0**-50 * UNIT * np.abs(self.high), 0.0)
        one_float = self.high + (self.low + off) == self.high
        one_float &= self.high + (self.low - off) == self.high
        size = np.frexp(self.high)[1] + shifts
        in_range = (np.abs(size) < _RANGE) & (self.high != 0)
        zero = (self.high == 0) & (off == 0)
        sure = one_float & (in_range | zero) & np.isfinite(off)
        return np.ldexp(np.where(sure, self.high, 0.0), shifts), sure

    def __neg__(self) -> "Pair":
        return Pair(-self.high, -self.low, self.off)

    def __add__(self, other: "Pair") -> "Pair":
        return self - -other


def minor(a: Pair, p: Pair, b: Pair, q: Pair) -> Pair:
    """a p - b q."""
    (s, e), (t, f) = exact_product(a.high, p.high), exact_product(b.high, q.high)
    high, rest = two_sum(s, -t)
    cross = (a.high * p.low + a.low * p.high) - (b.high * q.low + b.low * q.high)
    high, low = two_sum(high, rest + ((e - f) + cross))
    off = 64 * UNIT**2 * (np.abs(s) + np.abs(t))
    for one, other in ((a, p), (b, q)):
        off = off + np.abs(one.high) * other.off + (np.abs(other.high) + other.off) * one.off
    return Pair(high, low, off * GROWN**2 + TINY)


def minors(rows: Sequence[Sequence[Pair]]) -> list[Pair]:
    """The largest minors of up to three rows, one for each choice of columns, in their order."""
    found = list(rows[0])
    for order, row in enumerate(rows[1:], start=2):
        choices = zip(*(each.tolist() for each in expansion(len(row), order)), strict=True)
        found = [
            _expanded([row[column] for column in columns], [found[place] for place in left])
            for columns, left in choices
        ]
    return found


def _expanded(row: Sequence[Pair], minors: Sequence[Pair]) -> Pair:
    """The last product minus the one before plus the one before that."""
    total = minor(row[-1], minors[-1], row[-2], minors[-2])
    if len(row) == 2:
        return total
    nothing = Pair(*(np.zeros_like(part) for part in row[0].parts))
    return total + minor(row[0], minors[0], nothing, nothing)


def quotient(X: Pair, W: Pair) -> Pair:
    """X / W; infinitely far off where W may be zero."""
    x = X.high / W.high
    s, g = exact_product(x, W.high)
    rest = ((X.high - s) - g) + (X.low - x * W.low)
    high, low = two_sum(x, rest / W.high)
    sure = np.abs(W.high) > 2 * W.off
    least = np.where(sure, np.abs(W.high) - W.off, 1.0)
    off = (X.off + np.abs(x) * W.off) / least + 64 * UNIT**2 * np.abs(x)
    return Pair(high, low, np.where(sure, off * GROWN**2 + TINY, np.inf))


def summed(terms: Pair, counts: Indices) -> Pair:
    """Lists of so many terms behind one another, each added up; none is empty."""
    while counts.max(initial=0) > 1:
        # Two neighbours at a time; the last of an odd list stays as it is.
        halves = (counts + 1) // 2
        begins = starts(counts).repeat(halves)
        here = begins + 2 * ranges(np.zeros_like(counts), halves)
        alone = here + 1 == begins + counts.repeat(halves)
        here, there = terms[here], terms[np.where(alone, here, here + 1)]
        terms, counts = here.where(alone, here + there), halves
    return terms
