"""Slopes between neighbouring points, known so well that sums of them are compared exactly.

A slope is kept as two floats, high + low, with a bound of what they miss. Where that cannot
decide a sign, fractions do; so the common case is fast, and no case is guessed.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.rounding import (
    LARGEST_PRODUCT,
    SMALLEST_PRODUCT,
    exact_product,
    expansion,
    quotient_digits,
)

# The shortest distance between points whose inverse, four times, is a float.
_NEAREST = 2.0**-1020

Points = Float[np.ndarray, " n"]
Pieces = Float[np.ndarray, " pieces"]


class Total(NamedTuple):
    """A sum of slopes: within `error` of that of a few floats."""

    parts: list[float]
    error: float

    def times(self, sign: int) -> "Total":
        return Total([sign * part for part in self.parts], self.error)


@dataclass(frozen=True, eq=False)
class Slopes:
    """The slopes high + low between neighbours, each within `error` of that of the given floats."""

    x: Points
    y: Points
    high: Pieces
    low: Pieces
    error: Pieces

    @classmethod
    def between(cls, x: Points, y: Points) -> "Slopes":
        with np.errstate(over="ignore", invalid="ignore"):
            run, run_rest = _difference(x[:-1], x[1:])
            rise, rise_rest = _difference(y[:-1], y[1:])
            high = rise / run
        _check_range(run, high)
        p, e = exact_product(high, run)
        rest = (rise - p) - e  # exact: the remainder of a correctly rounded division is a float
        low = ((rest + rise_rest) - high * run_rest) / run
        # The three terms of `low` are each below 2^-53 |rise|, so its roundings cost at most
        # 12 * 2^-106 |high| ...
        size = np.abs(high)
        error = 2.0**-102 * size
        # ... unless something underflowed: then the plain quotient with its three roundings.
        tiny = (np.abs(rise) < SMALLEST_PRODUCT) | (size < SMALLEST_PRODUCT)
        if tiny.any():
            low[tiny] = 0.0
            error[tiny] = 2.0**-50 * size[tiny] + SMALLEST_PRODUCT
        simple = (rest == 0) & (rise_rest == 0) & (run_rest == 0) & ~tiny
        error[simple | (rise == 0)] = 0.0
        return cls(x, y, high, low, error)

    def exact(self, n: int) -> Fraction:
        """The slope after point n as the rational that it is."""
        rise = Fraction(self.y[n + 1]) - Fraction(self.y[n])
        return rise / (Fraction(self.x[n + 1]) - Fraction(self.x[n]))

    def turns(self) -> tuple[Int[np.ndarray, " n"], Points]:
        """Signs, exact, and sizes of the bends l_n - l_{n-1}; zero at both ends."""
        step, rest = _difference(self.high[:-1], self.high[1:])
        bends = step + (rest + (self.low[1:] - self.low[:-1]))
        doubt = 2.0**-99 * np.abs(self.high) + 2 * self.error
        doubt = doubt[1:] + doubt[:-1]
        (doubtful,) = ((np.abs(bends) <= doubt) & (doubt > 0)).nonzero()
        # To ask nothing about no point would take a quarter of the time of a hundred points.
        if len(doubtful):
            self._decide(bends, doubtful)
        turns = np.zeros(len(self.x))
        turns[1:-1] = bends
        return np.sign(turns).astype(int), np.abs(turns)

    def _decide(self, bends: Float[np.ndarray, " m"], doubtful: Int[np.ndarray, " some"]) -> None:
        """Writes the bends whose signs floats leave open: points on one line, most of them."""
        bends[doubtful] = 0.0
        # Those are told without fractions; what is left is rare.
        for n in doubtful[~self._surely_equal(doubtful)].tolist():
            bends[n] = _float_of(self.exact(n + 1) - self.exact(n))

    def _surely_equal(self, n: Int[np.ndarray, " some"]) -> Bool[np.ndarray, " some"]:
        """Whether slopes n and n + 1 are the same rational, if all differences are floats."""
        (before, surely), (after, surely_too) = self._digits(n), self._digits(n + 1)
        return np.all(before == after, axis=0) & surely & surely_too

    def _digits(
        self, n: Int[np.ndarray, " some"]
    ) -> tuple[Float[np.ndarray, "4 some"], Bool[np.ndarray, " some"]]:
        """What tells these quotients of differences apart, and whether differences are exact."""
        run, run_rest = _difference(self.x[n], self.x[n + 1])
        rise, rise_rest = _difference(self.y[n], self.y[n + 1])
        return np.stack(quotient_digits(rise, run)), (run_rest == 0) & (rise_rest == 0)

    def terms(self, weights: Pieces) -> tuple[Float[np.ndarray, " terms"], float]:
        """Floats whose exact sum is within the second answer of sum weights_n l_n.

        All |weights_n| are 0, 1/2, 1 or 2, so that products with them are exact.
        """
        (used,) = weights.nonzero()
        some = weights[used]
        terms = np.concatenate([some * self.high[used], some * self.low[used]])
        return terms, 2 * float(np.abs(some) @ self.error[used])

    @property
    def ends(self) -> "Total":
        """The sum of the first slope and the last."""
        parts = self.high[0], self.low[0], self.high[-1], self.low[-1]
        return Total(list(map(float, parts)), 2 * float(self.error[0] + self.error[-1]))

    def total(self, weights: Pieces) -> "Total":
        """The sum of weights_n l_n."""
        terms, error = self.terms(weights)
        parts = expansion(terms, most=2)
        return Total(parts, error + math.ulp(parts[1]) if len(parts) == 2 else error)

    def signed_total(self, weights: Pieces, *totals: "Total") -> float:
        """The sum of weights_n l_n, of which these are totals, as a float whose sign is exact."""
        size = math.fsum(part for total in totals for part in total.parts)
        error = sum(total.error for total in totals)
        if abs(size) > 2 * error or error == 0:
            return size
        used = np.flatnonzero(weights).tolist()
        return _float_of(sum((Fraction(weights[n]) * self.exact(n) for n in used), Fraction(0)))


def _float_of(number: Fraction) -> float:
    """The nearest float of the same sign: zero for zero only."""
    return math.copysign(max(abs(float(number)), math.ulp(0.0)), number) if number else 0.0


def _difference(
    a: Float[np.ndarray, " m"], b: Float[np.ndarray, " m"]
) -> tuple[Float[np.ndarray, " m"], ...]:
    """(d, e) with d + e = b - a exactly (Knuth's sum of two floats)."""
    # The order of these operations is the method.
    d = b - a
    shifted = d - b
    return d, (b - (d - shifted)) - (a + shifted)


def _check_range(run: Pieces, slopes: Pieces) -> None:
    # Where run is in this range, the prices of points are floats too. An infinite rise would make
    # its slope infinite, or no number, which is not below anything.
    fit = run.min() >= _NEAREST and run.max() < np.inf
    if not fit or not np.abs(slopes).max() <= LARGEST_PRODUCT:
        raise ValueError(
            f"slopes must stay below {LARGEST_PRODUCT:g}, differences of x and of y below the "
            f"largest float, and neighbours in x further apart than {_NEAREST:.0e}; multiply x or "
            "y by a power of two first"
        )
