"""The hyperplanes at which units bend, told apart for exactly the floats that are given."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.rounding import quotient_digits

Column = Float[np.ndarray, " K"]
Units = Int[np.ndarray, " units"]
Begins = Bool[np.ndarray, " units"]


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of units in one array: each begins at one of `starts`."""

    units: Units
    starts: Int[np.ndarray, " groups"]

    @property
    def sizes(self) -> Int[np.ndarray, " groups"]:
        return np.diff(self.starts, append=len(self.units))

    def __iter__(self) -> Iterator[Int[np.ndarray, " group"]]:
        return (self.units[i : i + n] for i, n in zip(self.starts, self.sizes, strict=True))


def shared_hyperplanes(columns: list[Column], pivots: Column) -> Groups:
    """The groups of two or more units that bend at the same points, where <w, x> + b = 0.

    columns: b, then those of W, each (K,).
    pivots: (K,), of each w an entry that is not 0, at the same place in rows that are
        multiples of each other.

    So two units bend at the same points exactly when their (b, w) / pivot are the same
    rationals, whichever side the units point to. On a line w / pivot = 1 may be left out.
    """
    units = _may_coincide(columns, pivots)
    # Units with the same floats, up to the side they point to, are most of those that coincide.
    begins = ~_same_floats(columns, pivots, units)
    # In one column those that may coincide with others stand beside them.
    if len(columns) > 1 or _ties(_quotients(columns[0], pivots, units[begins])).any():
        units, begins = _by_digits(columns, pivots, units)
    # One group after the other; those of one unit are none.
    sizes = np.diff(np.flatnonzero(begins), append=len(units))
    kept = np.repeat(sizes > 1, sizes)
    return Groups(units[kept], np.flatnonzero(begins[kept]))


def _same_floats(columns: list[Column], pivots: Column, units: Units) -> Begins:
    """Of each unit, whether the one before it has the same (b, w), or the opposite."""
    sides, same = np.sign(pivots[units]), np.zeros(len(units), dtype=bool)
    turned = [column[units] * sides for column in (*columns, pivots)]
    same[1:] = np.all([_ties(each) for each in turned], axis=0)
    return same


def _by_digits(columns: list[Column], pivots: Column, units: Units) -> tuple[Units, Begins]:
    """Units of one hyperplane side by side, and which of them are the first ones."""
    quotients = [quotient_digits(column[units], pivots[units]) for column in columns]
    digits = np.vstack([np.stack(quotient) for quotient in quotients])
    order = np.lexsort(digits)
    changes = np.any(np.diff(digits[:, order], axis=1) != 0, axis=0)
    return units[order], np.append(True, changes)[: len(units)]


def _may_coincide(columns: list[Column], pivots: Column) -> Units:
    """Units whose rounded quotients all occur twice, which costs less than digits of all.

    Division rounds correctly, so equal rationals give equal floats. Column by column, and most
    units have a b of their own: more columns are hardly looked at.
    """
    units = np.arange(len(pivots))
    for column in columns:
        if not len(units):
            break
        quotient = _quotients(column, pivots, units)
        # A float that occurs twice has itself for a neighbour.
        order = np.argsort(quotient)
        tie = _ties(quotient[order])
        units = units[order[np.append(False, tie) | np.append(tie, False)]]
    return units


def _quotients(column: Column, pivots: Column, units: Units) -> Float[np.ndarray, " units"]:
    with np.errstate(over="ignore", under="ignore"):
        return column[units] / pivots[units]


def _ties(numbers: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " fewer"]:
    """Of each but the last, whether the next is equal."""
    return numbers[1:] == numbers[:-1]
