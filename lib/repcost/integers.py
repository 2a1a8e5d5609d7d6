"""Floats as whole numbers over a power of two, so that their sums and products can be exact.

One elimination answers all questions of rank in the library. It needs no fractions (Bareiss
1968): all rows are kept over one common pivot, every entry is a minor of the matrix, and every
division that occurs leaves no remainder. So the numbers grow with the rank only, and not with
the steps.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

__all__ = [
    "Elimination",
    "nearest_floats",
    "rank_exceeds",
    "rank_of_floats",
    "reduced",
    "whole_numbers",
]

# Arrays of Python's whole numbers (dtype object), which have as many digits as they need.
Whole = np.ndarray

# Products of whole numbers that `rank_exceeds` may take: about a quarter of a second.
_MOST_PRODUCTS = 300_000


def whole_numbers(*arrays: Float[np.ndarray, "..."]) -> tuple[list[Whole], int]:
    """Arrays N and one exponent e with array = N / 2^e exactly.

    >>> whole_numbers(np.array([1.5, -2.0]), np.array([0.25]))
    ([array([6, -8], dtype=object), array([1], dtype=object)], 2)
    """
    ratios = [[value.as_integer_ratio() for value in array.ravel().tolist()] for array in arrays]
    # The denominators are powers of two, so the longest is a multiple of all others.
    exponent = max((bottom.bit_length() - 1 for each in ratios for _, bottom in each), default=0)
    numbers = []
    for array, each in zip(arrays, ratios, strict=True):
        flat = np.empty(array.size, dtype=object)
        flat[:] = [(top << exponent) // bottom for top, bottom in each]
        numbers.append(flat.reshape(array.shape))
    return numbers, exponent


def nearest_floats(numbers: Whole, exponent: int) -> Float[np.ndarray, "..."]:
    """numbers / 2^exponent, each entry rounded once."""
    flat = [number / (1 << exponent) for number in numbers.ravel()]
    return np.array(flat, dtype=np.float64).reshape(numbers.shape)


@dataclass
class Elimination:
    """Independent rows, reduced as they come over one common pivot.

    rows[i] has `pivot` in columns[i], where all other rows have 0.

    >>> rows = Elimination()
    >>> [rows.take([1, 2, 3]), rows.take([2, 4, 6]), rows.take([2, 4, 8])], rows.rank
    ([True, False, True], 2)
    """

    rows: list[list[int]] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    pivot: int = 1

    @property
    def rank(self) -> int:
        return len(self.columns)

    def take(self, row: Sequence[int]) -> bool:
        """Whether the row does not depend on those taken before; if so, it is one of them now."""
        # Not by `rank`: this is asked so often that a call counts.
        if len(self.columns) == len(row):
            return False
        rest = self._rest(row)
        column = next((j for j, x in enumerate(rest) if x), None)
        if column is None:
            return False
        self.rows = [*(self._cleared(known, rest, column) for known in self.rows), rest]
        self.columns.append(column)
        self.pivot = rest[column]
        return True

    def _rest(self, row: Sequence[int]) -> list[int]:
        """pivot times the row, minus what the known rows take out of it: 0 in all their columns."""
        rest = [self.pivot * x for x in row] if self.rows else list(row)
        for known, column in zip(self.rows, self.columns, strict=True):
            if factor := row[column]:
                rest = [x - factor * y for x, y in zip(rest, known, strict=True)]
        return rest

    def _cleared(self, known: list[int], new: list[int], column: int) -> list[int]:
        """A known row with 0 in the new row's column, over the new row's pivot."""
        pivot, factor = new[column], known[column]
        # Exact: the quotients are minors (Sylvester's identity).
        return [(pivot * x - factor * y) // self.pivot for x, y in zip(known, new, strict=True)]


def reduced(matrix: Iterable[Iterable[int]]) -> tuple[list[list[int]], list[int]]:
    """The reduced echelon form over one common pivot, and its columns; divide rows by their pivots.

    >>> reduced([[1, 2, 3], [2, 4, 8]])
    ([[2, 4, 0], [0, 0, 2]], [0, 2])
    """
    found = Elimination()
    for row in matrix:
        found.take(list(row))
    # First entries of rows of the span: whatever the order of the rows, these columns are the
    # same.
    order = sorted(range(found.rank), key=found.columns.__getitem__)
    return [found.rows[i] for i in order], [found.columns[i] for i in order]


def rank_of_floats(matrix: Float[np.ndarray, "m n"]) -> int:
    """The rank of the rational matrix that these floats are; nothing counts as rounding.

    >>> rank_of_floats(np.array([[0.1, 0.3], [0.2, 0.6]]))
    1
    >>> rank_of_floats(np.array([[0.1, 0.3], [0.3, 0.9]]))
    2
    """
    found = Elimination()
    for row in matrix:
        found.take(_shortest(row))
    return found.rank


def rank_exceeds(matrix: Float[np.ndarray, "m n"], rank: int) -> bool:
    """False is a proof for exactly these floats; True also where a proof would take too long."""
    if matrix.size * (rank + 1) > _MOST_PRODUCTS:
        return True
    found = Elimination()
    # Rows are converted as they are needed: `any` stops at the first that is one too many.
    return any(found.take(_shortest(row)) and found.rank > rank for row in matrix)


def _shortest(row: Float[np.ndarray, " n"]) -> list[int]:
    """The row times a number that leaves short whole numbers: no rank depends on it."""
    (numbers,), _ = whole_numbers(row)
    common = math.gcd(*numbers) or 1
    return [number // common for number in numbers]
