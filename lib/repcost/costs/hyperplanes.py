"""The hyperplanes at which units bend, told apart for exactly the floats that are given."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from repcost.rounding import quotient_digits

Column = Float[np.ndarray, " K"]
Units = Int[np.ndarray, " units"]


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
    quotients = [quotient_digits(column[units], pivots[units]) for column in columns]
    digits = np.vstack([np.stack(quotient) for quotient in quotients])
    # Sorted by all digits, units of one hyperplane stand side by side.
    by_digits = np.lexsort(digits)
    changes = np.any(np.diff(digits[:, by_digits], axis=1) != 0, axis=0)
    # One group after the other; those of one unit are none.
    begins = np.append(True, changes)[: len(units)]
    sizes = np.diff(np.flatnonzero(begins), append=len(units))
    kept = np.repeat(sizes > 1, sizes)
    return Groups(units[by_digits][kept], np.flatnonzero(begins[kept]))


def _may_coincide(columns: list[Column], pivots: Column) -> Int[np.ndarray, " units"]:
    """Units whose rounded quotients all occur twice, which costs less than digits of all.

    Division rounds correctly, so equal rationals give equal floats. Column by column, and most
    units have a b of their own: more columns are hardly looked at.
    """
    units = np.arange(len(pivots))
    for column in columns:
        if not len(units):
            break
        with np.errstate(over="ignore", under="ignore"):
            quotient = column[units] / pivots[units]
        # A float that occurs twice has itself for a neighbour.
        order = np.argsort(quotient)
        tie = quotient[order][1:] == quotient[order][:-1]
        units = units[order[np.append(False, tie) | np.append(tie, False)]]
    return units
