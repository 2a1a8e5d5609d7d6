"""Columns that grow together, and lists of different lengths behind one another in one array."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Int

Indices = Int[np.ndarray, " _"]

_AT_ONCE = 2**18


class Table:
    """Columns of one length, by their names; rows are added at the end.

    >>> table = Table(place=(np.int64, ()), point=(np.float64, (2,)))
    >>> table.append(place=np.array([7]), point=np.array([[1.0, 2.0]])).tolist(), len(table)
    ([0], 1)
    >>> table["point"].tolist()
    [[1.0, 2.0]]
    """

    def __init__(self, **columns: tuple[Any, tuple[int, ...]]):
        self._columns = {
            name: np.empty((64, *shape), dtype=kind) for name, (kind, shape) in columns.items()
        }
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name][: self._length]

    def row(self, place: int, *names: str) -> tuple[int, ...]:
        """A few whole numbers of one row."""
        return tuple(int(self._columns[name][place]) for name in names)

    def append(self, **columns: Any) -> Indices:
        """Where the new rows are; what is given for a column may be one value for all rows."""
        first = self._length
        self._length += max(len(values) for values in columns.values() if np.ndim(values))
        for name, values in columns.items():
            self._with_room(name, first)[first : self._length] = values
        return np.arange(first, self._length)

    def _with_room(self, name: str, filled: int) -> np.ndarray:
        old = self._columns[name]
        if self._length > len(old):
            # Twice as long, so that a row is copied once or twice in all.
            longer = np.empty((max(self._length, 2 * len(old)), *old.shape[1:]), old.dtype)
            longer[:filled] = old[:filled]
            self._columns[name] = longer
        return self._columns[name]


def shares(some: Indices, numbers: int) -> Iterator[Indices]:
    """One after another so few that so many numbers for each stay near the processor."""
    size = max(1, _AT_ONCE // max(1, numbers))
    for start in range(0, len(some), size):
        yield some[start : start + size]


def starts(counts: Indices) -> Indices:
    """Where lists of these lengths begin.

    >>> starts(np.array([2, 3, 1])).tolist()
    [0, 2, 5]
    """
    return counts.cumsum() - counts


def ranges(begins: Indices, counts: Indices) -> Indices:
    """begins[i], begins[i] + 1, ... for each list i, counts[i] numbers.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    shifts = (begins - starts(counts)).repeat(counts)
    return shifts + np.arange(len(shifts))
