"""The cheapest units on given arcs, by one cone programme (Fact 3)."""

import numpy as np
from jaxtyping import Float
from scipy import sparse

from repcost.cones import balls, nonnegative, propose, zeros
from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.directions import Values, normalised
from repcost.costs.plane.units import ThresholdUnits

# One of 1 and -1 for each arc.
Signs = Float[np.ndarray, " g"]


def units_on_arcs(arcs: Arcs, signs: Signs, values: Values, tolerance: float) -> ThresholdUnits:
    """minimise sum |v| over one v per arc, within its cone, with these values at points.

    signs: whether the unit on the arc is added or taken off; an arc may be given twice. Nothing
    about the answer is certain: it is for others to repair and to prove.
    """
    wide = arcs.wide_enough()
    arcs, signs = arcs.chosen(wide), signs[wide]
    n, cones = len(values), len(arcs.at)
    # The unknown is (t, v) for each cone, with |v| <= t, and the constant at the end.
    rows = _rows(arcs, signs)
    right = np.concatenate([values, np.zeros(5 * cones)])
    lengths = np.append(np.tile([1.0, 0.0, 0.0], cones), 0.0)
    kinds = [*zeros(n), *nonnegative(2 * cones), *balls(3, cones)]
    found = propose(None, lengths, rows, right, kinds, tolerance=tolerance)
    v = found.x[:-1].reshape(-1, 3)[:, 1:]
    sizes = np.linalg.norm(v, axis=1)
    used = sizes > 0
    # b - A x in the cone makes a price count negatively in the solver's dual.
    alpha = -found.prices[:n]
    masses = (signs * sizes)[used]
    return ThresholdUnits(normalised(v[used]), arcs.at[used], masses, float(found.x[-1]), alpha)


def _rows(arcs: Arcs, signs: Signs) -> sparse.csc_array:
    """The values at the points, two sides of each cone, and (t, v) of each cone.

    A column of t has one entry only. One of v has those of the values at the points, which are
    +-<v, x_i - x_j>; of two <normal, v> >= 0 that keep v left of `first` and right of `last`; and
    one of its own.
    """
    n, cones = len(arcs.points), len(arcs.at)
    entries, rows = np.zeros((cones, 3, n + 3)), np.zeros((cones, 3, n + 3), dtype=int)
    number, column = np.arange(cones)[:, None], np.arange(3)
    entries[:, 1:, :n] = (arcs.differences() * signs[:, None, None]).transpose(0, 2, 1)
    entries[:, 1:, n] = -arcs.first[:, ::-1] * [-1, 1]
    entries[:, 1:, n + 1] = -arcs.last[:, ::-1] * [1, -1]
    entries[:, :, n + 2] = -1.0
    rows[:, :, :n] = np.arange(n)
    rows[:, :, n], rows[:, :, n + 1] = n + 2 * number, n + 2 * number + 1
    rows[:, :, n + 2] = n + 2 * cones + 3 * number + column
    kept = entries != 0
    # The constant, which is the same at all points, is the last column.
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=2))])
    return sparse.csc_array(
        (
            np.append(entries[kept], np.ones(n)),
            np.append(rows[kept], np.arange(n)),
            np.append(starts, starts[-1] + n),
        ),
        (n + 5 * cones, 3 * cones + 1),
    )
