"""The cheapest units through given points of the plane: a cone programme proposes, a linear
programme sharpens.
"""

from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
from jaxtyping import Float, Int
from scipy import sparse
from scipy.optimize import linprog

from repcost.costs.plane.arcs import Arcs, Directions, Points, Values, unit_vectors

solver: Any = clarabel  # compiled, without types

_MOST_ROUNDS = 12


@dataclass(frozen=True, eq=False)
class Units:
    """sum_k masses_k [<directions_k, x - x_at>]_+ + constant, with unit directions, and a price
    alpha of the dual.
    """

    directions: Directions
    at: Int[np.ndarray, " g"]
    masses: Float[np.ndarray, " g"]
    constant: float
    alpha: Values

    @property
    def cost(self) -> float:
        return float(np.abs(self.masses).sum())

    def moved(self, A: Float[np.ndarray, "2 2"]) -> "Units":
        """The same function of x, if these are units of A x for a symmetric A."""
        directions = self.directions @ A
        lengths = np.linalg.norm(directions, axis=1)
        directions = directions / np.where(lengths > 0, lengths, 1.0)[:, None]
        return Units(directions, self.at, self.masses * lengths, self.constant, self.alpha)

    def larger_than(self, share: float) -> "Units":
        kept = np.abs(self.masses) > share * np.abs(self.masses).max(initial=0.0)
        return Units(
            self.directions[kept], self.at[kept], self.masses[kept], self.constant, self.alpha
        )


def cheapest_units(arcs: Arcs, y: Values, tolerance: float) -> Units:
    """minimise sum |v| over one vector v per arc and sign, within its cone, with the sums at the
    points equal to y.

    Nothing about the answer is certain: it is for others to repair and to prove.
    """
    arcs = arcs.without_slivers()
    programme = _cone_programme(arcs, y)
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    solution = solver.DefaultSolver(*programme, settings).solve()
    found, prices = np.nan_to_num(solution.x), np.nan_to_num(solution.z)[: len(y)]
    v = found[:-1].reshape(-1, 3)[:, 1:]
    masses = np.linalg.norm(v, axis=1)
    directions = v / np.where(masses > 0, masses, 1.0)[:, None]
    masses[len(arcs.at) :] *= -1
    return Units(directions, np.tile(arcs.at, 2), masses, float(found[-1]), -prices)


def _cone_programme(arcs: Arcs, y: Values):
    """In Clarabel's form. Unknown: (t, v) with |v| <= t for each arc and sign, and the constant."""
    n, cones = len(y), 2 * len(arcs.at)
    unknown = 3 * cones + 1
    sums = np.zeros((n, cones, 3))
    sums[:, : cones // 2, 1:] = arcs.differences().transpose(1, 0, 2)
    sums[:, cones // 2 :] = -sums[:, : cones // 2]
    interpolate = sparse.csc_array(np.hstack([sums.reshape(n, -1), np.ones((n, 1))]))
    # v is left of `first` and right of `last`: <normal, v> >= 0.
    normals = np.stack([arcs.first[:, ::-1] * [-1, 1], arcs.last[:, ::-1] * [1, -1]], axis=1)
    column = 3 * np.arange(cones)[:, None, None] + np.array([1, 2]) + np.zeros((1, 2, 1), dtype=int)
    row = np.repeat(np.arange(2 * cones), 2)
    values = -np.tile(normals, (2, 1, 1)).ravel()
    sides = sparse.csc_array((values, (row, column.ravel())), shape=(2 * cones, unknown))
    rows = sparse.vstack([interpolate, sides, -sparse.eye_array(3 * cones, unknown)], format="csc")
    right = np.concatenate([y, np.zeros(5 * cones)])
    kinds = [
        solver.ZeroConeT(n),
        solver.NonnegativeConeT(2 * cones),
        *[solver.SecondOrderConeT(3)] * cones,
    ]
    linear = np.append(np.tile([1.0, 0.0, 0.0], cones), 0.0)
    return sparse.csc_array((unknown, unknown)), linear, rows, right, kinds


def by_vertices(arcs: Arcs, y: Values, proposal: Units, rtol: float) -> list[Units]:
    """Improvements of the proposal by a linear programme over finitely many units, to which the
    best of each arc join.

    A vertex needs no interior, so this is exact where data are degenerate and interior methods
    stall.
    """
    units, alpha = proposal.larger_than(1e-7), proposal.alpha
    spread = spread_direction(arcs.points)
    everywhere = np.repeat(np.arange(len(y)), 2)
    directions = np.concatenate([units.directions, np.tile([spread, -spread], (len(y), 1))])
    at = np.concatenate([units.at, everywhere])
    found: list[Units] = []
    while len(found) < _MOST_ROUNDS:
        earned, towards = arcs.earnings(alpha)
        join = np.argsort(-earned)[: 2 * len(y)]
        join = join[earned[join] > (1 + 1e-13 if found else 1 - 1e-5)]
        directions, at = (
            np.concatenate([directions, towards[join]]),
            np.concatenate([at, arcs.at[join]]),
        )
        vertex = _vertex(arcs.points, y, directions, at) if len(join) or not found else None
        if vertex is None:
            break
        found.append(vertex)
        alpha = vertex.alpha
        if vertex.cost - arcs.proven(alpha, y) <= rtol * vertex.cost:
            break
    return found


def spread_direction(points: Points) -> Float[np.ndarray, " 2"]:
    """A direction in which no two points come close: units along it interpolate anything."""
    apart = (points - points[:, None])[np.triu_indices(len(points), 1)]
    angles = np.sort(np.arctan2(apart[:, 0], -apart[:, 1]) % np.pi)
    middles = unit_vectors((angles + np.append(angles[1:], angles[:1] + np.pi)) / 2)
    return middles[np.argmax(np.abs(apart @ middles.T).min(axis=0))]


def _vertex(
    points: Points, y: Values, directions: Directions, at: Int[np.ndarray, " g"]
) -> Units | None:
    """The cheapest of these units through the data, and the prices of the points; None if the
    solver fails.
    """
    sums, m = activations(points, directions, at), len(at)
    answer = linprog(
        np.append(np.ones(2 * m), 0.0),
        A_eq=np.hstack([sums, -sums, np.ones((len(y), 1))]),
        b_eq=y,
        bounds=[(0, None)] * (2 * m) + [(None, None)],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if answer.status != 0:
        return None
    masses = answer.x[:m] - answer.x[m:-1]
    used = np.flatnonzero(masses)
    return Units(
        directions[used],
        at[used],
        masses[used],
        float(answer.x[-1]),
        np.asarray(answer.eqlin.marginals),
    )


def fitted(points: Points, y: Values, units: Units) -> Units:
    """The units turned and scaled a little, large ones more than small ones, until they interpolate
    to rounding.
    """
    for _ in range(3):
        across = (points[:, None] - points[units.at]) * np.abs(units.masses)[:, None]
        sums = np.einsum("nkd,kd->nk", across, units.directions)
        slopes = np.where((sums > 0)[..., None], across, 0.0) * np.sign(units.masses)[:, None]
        missing = y - units.constant - np.maximum(sums, 0.0) @ np.sign(units.masses)
        columns = np.hstack([slopes.reshape(len(y), -1), np.ones((len(y), 1))])
        step = np.linalg.lstsq(columns, missing, rcond=1e-12)[0]
        turned = units.directions + step[:-1].reshape(-1, 2)
        length = np.linalg.norm(turned, axis=1)
        if not length.all():
            break
        units = Units(
            turned / length[:, None],
            units.at,
            units.masses * length,
            units.constant + float(step[-1]),
            units.alpha,
        )
    return units


def activations(points: Points, directions: Directions, at: Int[np.ndarray, " g"]):
    """(n, g): [<direction, x_i - x_at>]_+, zero at the unit's own point without rounding."""
    return np.maximum(np.einsum("ngd,gd->ng", points[:, None] - points[at], directions), 0.0)
