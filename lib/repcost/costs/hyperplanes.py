"""The hyperplanes at which units bend, told apart for exactly the floats that are given."""

import numpy as np
from jaxtyping import Float, Int

from repcost.rounding import quotient_digits

Column = Float[np.ndarray, " K"]
Groups = list[Int[np.ndarray, "..."]]


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
    groups = np.split(units[by_digits], np.flatnonzero(changes) + 1)
    return [group for group in groups if len(group) > 1]


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
