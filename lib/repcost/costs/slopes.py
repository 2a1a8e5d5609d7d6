"""The slopes between neighbouring points, exact enough that every comparison of sums of them is
decided exactly.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.rounding import LARGEST_PRODUCT, SMALLEST_PRODUCT, exact_product, quotient_digits

Points = Float[np.ndarray, " n"]
Pieces = Float[np.ndarray, " pieces"]


@dataclass(frozen=True, eq=False)
class Slopes:
    """The slopes high + low between neighbours, each within `error` of the exact quotient of the
    given floats.
    """

    x: Points
    y: Points
    high: Pieces
    low: Pieces
    error: Pieces

    @classmethod
    def between(cls, x: Points, y: Points) -> "Slopes":
        with np.errstate(over="ignore", invalid="ignore"):
            (run, run_rest), (rise, rise_rest) = (
                _difference(x[:-1], x[1:]),
                _difference(y[:-1], y[1:]),
            )
            high = rise / run
        _check_range(x, y, run, high)
        p, e = exact_product(high, run)
        rest = (rise - p) - e  # exact: the remainder of a correctly rounded division is a float
        low = ((rest + rise_rest) - high * run_rest) / run
        # The three terms of `low` are each below 2^-53 |rise|, so its roundings cost at most 12 *
        # 2^-106 |high| ...
        error = 2.0**-102 * np.abs(high)
        # ... unless something underflowed: then the plain quotient with its three roundings.
        tiny = (np.abs(rise) < SMALLEST_PRODUCT) | (np.abs(high) < SMALLEST_PRODUCT)
        low, error = (
            np.where(tiny, 0.0, low),
            np.where(tiny, 2.0**-50 * np.abs(high) + SMALLEST_PRODUCT, error),
        )
        simple = (rest == 0) & (rise_rest == 0) & (run_rest == 0) & ~tiny
        return cls(x, y, high, low, np.where(simple | (rise == 0), 0.0, error))

    def exact(self, n: int) -> Fraction:
        rise = Fraction(self.y[n + 1]) - Fraction(self.y[n])
        return rise / (Fraction(self.x[n + 1]) - Fraction(self.x[n]))

    def turns(self) -> tuple[Int[np.ndarray, " n"], Points]:
        """Signs, exact, and sizes of the bends l_n - l_{n-1}; zero at both ends."""
        step, rest = _difference(self.high[:-1], self.high[1:])
        bends = step + (rest + np.diff(self.low))
        doubt = 2.0**-99 * np.abs(self.high) + 2 * self.error
        doubt = doubt[1:] + doubt[:-1]
        doubtful = np.flatnonzero((np.abs(bends) <= doubt) & (doubt > 0))
        bends[doubtful] = 0.0
        for n in doubtful[~self._surely_equal(doubtful)].tolist():
            bends[n] = _float_of(self.exact(n + 1) - self.exact(n))
        bends = np.concatenate([[0.0], bends, [0.0]])
        return np.sign(bends).astype(int), np.abs(bends)

    def _surely_equal(self, n: Int[np.ndarray, " some"]) -> Bool[np.ndarray, " some"]:
        """Whether slopes n and n + 1 are the same rational, told without Fractions if the
        differences are floats.
        """
        sides = []
        for k in (n, n + 1):
            run, rise = _difference(self.x[k], self.x[k + 1]), _difference(self.y[k], self.y[k + 1])
            sides.append(
                (np.stack(quotient_digits(rise[0], run[0])), (run[1] == 0) & (rise[1] == 0))
            )
        (one, one_whole), (other, other_whole) = sides
        return np.all(one == other, axis=0) & one_whole & other_whole

    def terms(self, weights: Pieces) -> tuple[Float[np.ndarray, " terms"], float]:
        """Floats whose exact sum is within the second answer of sum weights_n l_n; all |weights_n|
        are 0, 1/2, 1, 2.
        """
        used = weights != 0
        terms = np.concatenate([weights[used] * self.high[used], weights[used] * self.low[used]])
        return terms, 2 * float(np.abs(weights) @ self.error)

    def signed_total(self, weights: Pieces) -> float:
        """The sum of weights_n l_n as a float whose sign is exact."""
        terms, error = self.terms(weights)
        size = math.fsum(terms.tolist())
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
    d = b - a
    shifted = d - b
    return d, (b - (d - shifted)) - (a + shifted)


def _check_range(x: Points, y: Points, run: Pieces, slopes: Pieces) -> None:
    largest = max(np.abs(x).max(), np.abs(y).max(), np.abs(slopes).max(initial=0.0))
    if not largest <= LARGEST_PRODUCT or run.min() < 1 / LARGEST_PRODUCT:
        raise ValueError(
            f"x, y and the slopes must stay below {LARGEST_PRODUCT:g}, and neighbours in x further apart than its "
            "inverse; multiply x or y by a power of two first"
        )
