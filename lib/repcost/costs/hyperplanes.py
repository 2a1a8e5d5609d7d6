"""The hyperplanes at which the units of a network bend, told apart for exactly the floats that are
given.
"""

import numpy as np
from jaxtyping import Float, Int

from repcost.rounding import quotient_digits

Column = Float[np.ndarray, " K"]


def shared_hyperplanes(columns: list[Column], pivots: Column) -> list[Int[np.ndarray, "..."]]:
    """The groups of two or more units that bend at the same points, where <w, x> + b = 0.

    columns: b, then those of W, each (K,). pivots: (K,), of each w an entry that is not 0, at the
    same place in rows that are multiples of each other. So two units bend at the same points
    exactly when their (b, w) / pivot are the same rationals, whichever side the units point to. On
    a line w / pivot = 1 may be left out.
    """
    units = _may_coincide(columns, pivots)
    digits = np.vstack(
        [np.stack(quotient_digits(column[units], pivots[units])) for column in columns]
    )
    by_digits = np.lexsort(digits)
    changes = np.any(np.diff(digits[:, by_digits], axis=1) != 0, axis=0)
    groups = np.split(units[by_digits], np.flatnonzero(changes) + 1)
    return [group for group in groups if len(group) > 1]


def _may_coincide(columns: list[Column], pivots: Column) -> Int[np.ndarray, " units"]:
    """Units whose rounded quotients all occur twice: division rounds correctly, so equal rationals
    give equal floats.

    Column by column, and most units have a b of their own: more columns are hardly looked at.
    """
    units = np.arange(len(pivots))
    for column in columns:
        if not len(units):
            break
        with np.errstate(over="ignore", under="ignore"):
            quotient = column[units] / pivots[units]
        order = np.argsort(quotient)
        tie = quotient[order][1:] == quotient[order][:-1]
        units = units[order[np.append(False, tie) | np.append(tie, False)]]
    return units
