"""Matrices as sums of two floats, high + low, with a bound on what both together are off by.

A float matrix is cut into slices of few digits on common grids: products of such slices have no
rounding at all in float64 (Ozaki et al. 2012), so BLAS computes them exactly. With three slices of
k digits all that is left of W R is smaller by 2^(-3k), and is computed plainly.

*Slices.* For |x| < 2^e and the constant c = 0.75 2^(e + 54 - k i), (x + c) - c is x rounded to a
multiple of 2^(e + 1 - k i). The i-th slice is that of what the ones before left, at most
2^(e - k (i - 1)) in size, so it is a whole number of at most k - 1 digits, or 2^(k - 1) itself, on
its grid. The product of two slices sums n numbers of at most 2^(2k - 2) on one grid. Products whose
slices i, j have the same i + j have one grid too, so up to three go into one sum: all is exact if
3 n 2^(2k - 2) <= 2^53.

*What is off.* Let M be the largest entry of the row of W times the largest of the row of R, and
S = |W| |R|. A slice is at most twice as large as what it is cut from, so the three exact sums are
at most 4 S, 8 S and 12 S. (1) The plain products are four, each at most n 2^(-3k) 4 M and a
little, so 17 n 2^(-3k) M together, and W times the low part of R, at most 4 U S; in one sum of 5 n
terms they are off by 5 n U of that. (2) What two sums left is at most 12 U S and 24 U S; adding it
and (1) up rounds numbers of at most 40 U S + 17 n 2^(-3k) M twice. Together

    (20 n + 100) U^2 S + (5 n + 4) U 17 n 2^(-3k) M,

where two more U are for adding the rest of R to its low part.

(3) What R is off by, times |W|. Underflow costs less than TINY; where S is zero nothing is off.
Sizes are kept above 2^-400 if they are not zero, lest their products vanish.
"""

from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from jaxtyping import Bool, Float

from repcost.regions.row_bounds import GROWN
from repcost.regions.tables import Indices
from repcost.rounding import TINY, UNIT

Floats = Float[np.ndarray, "..."]
# Cells, then rows, such as (w, c), then units.
Entries = Float[np.ndarray, "cells rows units"]
# high, low, and what their sum is off by at most.
Known = tuple[Entries, Entries, Entries]

_SMALLEST_SIZE = 2.0**-400


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The float nearest to a + b, and the rest, exactly (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@dataclass(frozen=True, eq=False)
class Sliced:
    """R, ready for a product with a certain W.

    parts: (cells, rows, 4, n), three slices and what is left; doubts: what R is off by, and the
    rounding that is proportional to its entries; largest: of its rows.
    """

    parts: Float[np.ndarray, "cells rows 4 n"]
    doubts: Float[np.ndarray, "cells rows n"]
    largest: Float[np.ndarray, "cells rows"]

    def chosen(self, cells: Indices, active: Bool[np.ndarray, "_ n"], other: "Sliced") -> "Sliced":
        """Of these cells; where units are not active, those of the other one."""
        on = active[:, None]
        return Sliced(
            np.where(on[:, None], self.parts[cells], other.parts[cells]),
            np.where(on, self.doubts[cells], other.doubts[cells]),
            self.largest[cells],
        )


class RightFactor:
    """W, ready for products W R with many R."""

    def __init__(self, weight: Float[np.ndarray, "m n"]):
        self._n = weight.shape[1]
        self._bits = (53 - ceil(log2(max(3 * self._n, 2)))) // 2 + 1
        one, two, three, rest = _slices(weight, self._bits)
        # Each part of the product is that of the first slices of R with these.
        factors = [
            [one],
            [two, one],
            [three, two, one],
            [rest, three + rest, two + three + rest, weight],
        ]
        self._factors = [np.hstack(slices).T for slices in factors]
        self._sizes = sizes(weight)
        self._largest = self._sizes.max(axis=1, initial=0.0)

    def sliced(self, high: Entries, low: Entries, off: Entries) -> Sliced:
        one, two, three, rest = _slices(high, self._bits)
        size = sizes(high)
        doubts = off + (20 * self._n + 100) * UNIT**2 * size
        parts = np.stack([one, two, three, rest + low], axis=2)
        return Sliced(parts, doubts, size.max(axis=-1, initial=0.0))

    def __call__(self, R: Sliced) -> Known:
        """The product, (cells, rows, m)."""
        n, shape = self._n, R.largest.shape
        flat = R.parts.reshape(R.largest.size, 4 * n)
        one, two, three, rest = (
            (flat[:, : len(factor)] @ factor).reshape(*shape, factor.shape[1])
            for factor in self._factors
        )
        total, left = two_sum(one, two)
        total, left_again = two_sum(total, three)
        total, low = two_sum(total, (left + left_again) + rest)
        known = R.doubts.reshape(R.largest.size, n) @ self._sizes.T
        known = known.reshape(total.shape)
        plain = (5 * n + 4) * UNIT * 17 * n * 2.0 ** (-3 * self._bits)
        off = (known + plain * R.largest[..., None] * self._largest) * GROWN + TINY
        return total, low, np.where(known > 0, off, 0.0)


def _slices(A: Floats, bits: int) -> list[Floats]:
    """Three slices along the last axis, and the rest."""
    exponents = np.frexp(np.abs(A).max(axis=-1, keepdims=True, initial=0.0))[1]
    parts, rest = [], A
    for place in range(3):
        constant = np.ldexp(0.75, exponents + 54 - bits * (place + 1))
        parts.append((rest + constant) - constant)
        rest = rest - parts[-1]
    return [*parts, rest]


def sizes(A: Floats) -> Floats:
    """Absolute values, where products of two vanish only if one factor is zero."""
    found = np.abs(A)
    return np.where(found > 0, np.maximum(found, _SMALLEST_SIZE), 0.0)
