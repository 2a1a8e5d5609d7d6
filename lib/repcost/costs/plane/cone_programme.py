"""The cheapest units through given points, by one cone programme over all arcs (Fact 3)."""

import numpy as np
from scipy import sparse

from repcost.cones import balls, nonnegative, propose, zeros
from repcost.costs.plane.arcs import Arcs, Values
from repcost.costs.plane.units import ThresholdUnits


def cheapest_units(arcs: Arcs, values: Values, tolerance: float) -> ThresholdUnits:
    """minimise sum |v| over one v per arc and sign, within its cone, with these values at points.

    Nothing about the answer is certain: it is for others to repair and to prove.
    """
    arcs = arcs.without_slivers()
    n, arc_count = len(values), len(arcs.at)
    cones = 2 * arc_count
    # The unknown is (t, v) for each cone, with |v| <= t, and the constant at the end.
    lengths_and_vectors = -sparse.eye_array(3 * cones, 3 * cones + 1)
    blocks = [_values_at_points(arcs), _sides(arcs), lengths_and_vectors]
    rows = sparse.csc_array(sparse.vstack(blocks, format="csc"))
    right = np.concatenate([values, np.zeros(5 * cones)])
    lengths = np.append(np.tile([1.0, 0.0, 0.0], cones), 0.0)
    kinds = [*zeros(n), *nonnegative(2 * cones), *balls(3, cones)]
    found = propose(None, lengths, rows, right, kinds, tolerance=tolerance)
    v = found.x[:-1].reshape(-1, 3)[:, 1:]
    masses = np.linalg.norm(v, axis=1)
    directions = v / np.where(masses > 0, masses, 1.0)[:, None]
    # The second half of the cones are the units that are taken off.
    masses[arc_count:] *= -1
    # b - A x in the cone makes a price count negatively in the solver's dual.
    alpha = -found.prices[:n]
    return ThresholdUnits(directions, np.tile(arcs.at, 2), masses, float(found.x[-1]), alpha)


def _values_at_points(arcs: Arcs) -> sparse.csc_array:
    """Rows that give the values at the points: +-<v, x_i - x_j> of all arcs, and the constant."""
    n, arc_count = len(arcs.points), len(arcs.at)
    sums = np.zeros((n, 2 * arc_count, 3))
    sums[:, :arc_count, 1:] = arcs.differences().transpose(1, 0, 2)
    sums[:, arc_count:] = -sums[:, :arc_count]
    return sparse.csc_array(np.hstack([sums.reshape(n, -1), np.ones((n, 1))]))


def _sides(arcs: Arcs) -> sparse.csc_array:
    """Rows that keep each v left of `first` and right of `last`: two <normal, v> >= 0 per cone."""
    cones = 2 * len(arcs.at)
    left_of_first = arcs.first[:, ::-1] * [-1, 1]
    right_of_last = arcs.last[:, ::-1] * [1, -1]
    normals = np.stack([left_of_first, right_of_last], axis=1)
    # Each cone has the columns 3k, 3k + 1, 3k + 2 for (t, v), and both its rows meet v only.
    column = 3 * np.arange(cones)[:, None, None] + np.array([1, 2]) + np.zeros((1, 2, 1), dtype=int)
    row = np.repeat(np.arange(2 * cones), 2)
    entries = -np.tile(normals, (2, 1, 1)).ravel()
    return sparse.csc_array((entries, (row, column.ravel())), shape=(2 * cones, 3 * cones + 1))
