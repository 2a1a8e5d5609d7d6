"""Minors of a few rows in floats, with what they are off by, and where hyperplanes meet.

k rows have one minor M_S for each choice S of k columns. Expanded along the last row r,

    M_S = sum_{i in S} +- r_i M'_{S - i},    M' the minors of the rows before.

If floats of M' are off by at most F, and those of r by e, then M_S in floats is off by at most

    sum_i ( |r_i| F_{S - i} + e (|M'_{S - i}| + F_{S - i}) + 4 U |r_i M'_{S - i}| ),

as a sum of at most three products is off by gamma_3 < 4 U times their sizes, U the unit roundoff,
in any order (Higham 2002, section 3.1). Bounds are sums of positive numbers, and GROWN makes good
their own rounding; TINY is more than what underflows, for rows whose largest entry is next to one.

In d variables a hyperplane is a row of d + 1 numbers, and d of them meet in the homogeneous point
whose j-th coordinate is (-1)^j times the minor without the column j.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.regions.row_bounds import GROWN
from repcost.rounding import TINY, UNIT

Floats = Float[np.ndarray, "..."]


@cache
def expansion(columns: int, order: int) -> tuple[Int[np.ndarray, "S k"], Int[np.ndarray, "S k"]]:
    """For each choice of so many columns: the columns, and which choice is left without each."""
    before = {S: place for place, S in enumerate(combinations(range(columns), order - 1))}
    chosen = list(combinations(range(columns), order))
    left = [[before[S[:p] + S[p + 1 :]] for p in range(order)] for S in chosen]
    return np.array(chosen), np.array(left)


def alternating(count: int) -> Int[np.ndarray, " count"]:
    """1 at the last place, -1 before it, and so on.

    >>> alternating(3).tolist()
    [1, -1, 1]
    """
    return (-1) ** np.arange(count)[::-1]


@dataclass(frozen=True, eq=False)
class Minors:
    """Of so many rows, all that are that large; off: what each is off by at most."""

    values: Floats
    off: Floats
    rows: int = 1

    def with_row(self, row: Floats, error: Floats) -> "Minors":
        """Of one more row, with entries off by at most `error`."""
        order = self.rows + 1
        columns, left = expansion(row.shape[-1], order)
        values, off = np.zeros(()), np.zeros(())
        # One term of all sums after the other.
        for sign, i, rest in zip(alternating(order), columns.T, left.T, strict=True):
            r, M, F = row.take(i, -1), self.values.take(rest, -1), self.off.take(rest, -1)
            product = sign * r * M
            values = values + product
            off = off + np.abs(r) * F + error[..., None] * (np.abs(M) + F)
            off += 4 * UNIT * np.abs(product)
        return Minors(values, off * GROWN + TINY, order)


def meeting(
    hyperplanes: Sequence[Float[np.ndarray, "n columns"]],
    errors: Sequence[Float[np.ndarray, " n"]],
) -> tuple[Float[np.ndarray, "n columns"], Float[np.ndarray, "n columns"]]:
    """Where as many hyperplanes meet as there are variables, up to the sign, and what is off."""
    (first, *others), (error, *rest) = hyperplanes, errors
    minors = Minors(first, np.broadcast_to(error[:, None], first.shape))
    for row, of_row in zip(others, rest, strict=True):
        minors = minors.with_row(row, of_row)
    return from_minors(minors.values), minors.off[:, ::-1]


def vanishing(zeros: Sequence[Bool[np.ndarray, "n columns"]]) -> Bool[np.ndarray, "n columns"]:
    """Coordinates of that point where each product has a factor that is zero."""
    found = np.asarray(zeros[0])
    for order, zero in enumerate(zeros[1:], start=2):
        columns, left = expansion(zero.shape[1], order)
        found = np.all(zero[:, columns] | found[:, left], axis=-1)
    return found[:, ::-1]


def minors_modulo(rows: Sequence[Int[np.ndarray, "n columns"]], prime: int) -> np.ndarray:
    """The largest minors of rows of residues, exactly; the prime is below 2^20."""
    found = rows[0]
    for order, row in enumerate(rows[1:], start=2):
        columns, left = expansion(row.shape[1], order)
        products = row[:, columns] * found[:, left] % prime
        found = (products * alternating(order)).sum(axis=-1) % prime
    return found


def from_minors(minors: np.ndarray) -> np.ndarray:
    """The point, up to its sign. The first choice of columns is the one without the last column."""
    return minors[:, ::-1] * alternating(minors.shape[1])[::-1]
