"""Floats as whole numbers over a power of two: every float is one, so sums and products of floats
can be exact.
"""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float

# Arrays of Python's whole numbers (dtype object), which have as many digits as they need.
Whole = np.ndarray


def whole_numbers(*arrays: Float[np.ndarray, "..."]) -> tuple[list[Whole], int]:
    """Arrays N and one exponent e with array = N / 2^e exactly.

    >>> whole_numbers(np.array([1.5, -2.0]), np.array([0.25]))
    ([array([6, -8], dtype=object), array([1], dtype=object)], 2)
    """
    ratios = [[value.as_integer_ratio() for value in array.ravel().tolist()] for array in arrays]
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


def reduced(matrix: Iterable[Iterable[int]]) -> tuple[list[list[int]], list[int]]:
    """The reduced echelon form without fractions (Bareiss 1968), and its pivot columns; divide rows
    by their pivots.

    >>> reduced([[1, 2, 3], [2, 4, 8]])
    ([[2, 4, 0], [0, 0, 2]], [0, 2])
    """
    rows, pivots, previous = [list(row) for row in matrix], [], 1
    for column in range(len(rows[0]) if rows else 0):
        done = len(pivots)
        found = next((i for i in range(done, len(rows)) if rows[i][column]), None)
        if found is None:
            continue
        rows[done], rows[found] = rows[found], rows[done]
        top = rows[done]
        for i in (i for i in range(len(rows)) if i != done):
            factor = rows[i][column]
            rows[i] = [
                (top[column] * x - factor * y) // previous
                for x, y in zip(rows[i], top, strict=True)
            ]
        pivots, previous = [*pivots, column], top[column]
    return rows[: len(pivots)], pivots


def rank_of_floats(matrix: Float[np.ndarray, "m n"]) -> int:
    """The rank of the rational matrix that these floats are; nothing counts as rounding.

    >>> rank_of_floats(np.array([[0.1, 0.3], [0.2, 0.6]])), rank_of_floats(np.array([[0.1, 0.3], [0.3, 0.9]]))
    (1, 2)
    """
    (numbers,), _ = whole_numbers(matrix)
    return len(reduced(numbers)[1])
