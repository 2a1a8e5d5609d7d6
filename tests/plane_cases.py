"""Points of the plane with values, some of known cost, and independent bounds of what they cost."""

import math
from typing import Any

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog

from repcost.costs.plane.cone_programme import units_on_arcs
from repcost.costs.plane.directions import unit_vectors

FIFTHS = np.array([0.2, 0.4, 0.6, 0.8, 1.0])
BENT = 0.75 * np.maximum(FIFTHS - 0.6, 0)
EQUAL_MASSES = np.r_[-0.5 + BENT, -0.5 - BENT]
UNEQUAL_MASSES = np.r_[1.5 * BENT, -0.5 * BENT]
QUARTERS = np.array([0.25, 0.5, 1.0])
STEEP = np.array([0, 0, 1.5, 0, 0, -0.5])


def two_rays(psi, t):
    """Points on two rays psi * pi apart, the first towards (2, 1)."""
    rays = (unit_vectors(np.array(math.atan2(1, 2) + k * psi * np.pi)) for k in (0, 1))
    return np.vstack([np.outer(t, ray) for ray in rays])


def random_points(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), rng.normal(size=n)


def grid(k):
    return np.stack(np.meshgrid(np.arange(float(k)), np.arange(float(k))), axis=-1).reshape(-1, 2)


def all_angles(count):
    return np.linspace(0, 2 * np.pi, count, endpoint=False)


# Costs known by hand: one ridge function costs what it costs in one variable if the certificate of
# that fits the plane.
CLOSED_FORMS = {
    "one unit": ([[0, 0], [1, 0], [0, 1]], [0, 3, 4], 5.0),
    "two points": ([[0, 0], [1, 2]], [0, 1], 1 / math.sqrt(5)),
    "exclusive or": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], 2 * math.sqrt(2)),
    "a plane on a grid": (grid(3), grid(3)[:, 0], 1.0),
    "a valley on a grid": (grid(3), np.abs(grid(3)[:, 0] - 1), 2.0),
    "two rays, balanced": (two_rays(2 / 3, FIFTHS), EQUAL_MASSES, 1.5),
    "two rays at .55": (two_rays(0.55, FIFTHS), UNEQUAL_MASSES, 1.5),
    "two rays at .52": (two_rays(0.52, FIFTHS), UNEQUAL_MASSES, 1.5),
    "two steep rays": (two_rays(0.55, QUARTERS), STEEP, 4.0),
}

OCTAGON = unit_vectors(np.arange(8) * np.pi / 4)
ALMOST_A_LINE = np.outer([0, 1, 2, 3, 5], unit_vectors(np.array(0.3)))

DEGENERATE = {
    "larger coordinate on a grid": (grid(3), grid(3).max(1)),
    "chequered grid": (grid(3), grid(3).sum(1) % 2),
    "parabola on a grid": (grid(3), grid(3)[:, 0] ** 2),
    "product on a grid": (grid(3), grid(3).prod(1)),
    "a regular octagon": (OCTAGON, np.arange(8) % 2),
    "four of eight equal": (OCTAGON, np.cos(np.arange(8) * np.pi / 2)),
    "a line": ([[x, x / 4] for x in (0, 1, 2, 3, 5)], [0, 1, 3, 2, 2]),
    "a line up to rounding": (ALMOST_A_LINE, [0, 1, 3, 2, 2]),
    "a line and a point": ([[0, 0], [1, 0], [2, 0], [3, 0], [1, 1]], [0, 1, 0, 1, 0]),
    "far away": (random_points(1, 6)[0] + 1e6, random_points(1, 6)[1]),
    "small and steep": (1e-6 * random_points(1, 6)[0], 1e9 * random_points(1, 6)[1]),
    "flat": (random_points(1, 6)[0] * [1, 1e-5], random_points(1, 6)[1]),
}


def dictionary_cost(X, y, angles, root=None):
    """The least path norm of units in these directions, by HiGHS: never below the least of all.

    With `root` = T^((L-2)/2), lengths are |T^(-(L-2)/2) v|.
    """
    V = unit_vectors(angles)
    lengths = np.linalg.norm(V @ np.linalg.inv(np.eye(2) if root is None else root), axis=1)
    sums = units_at_points(X, angles).reshape(len(y), -1) / np.tile(lengths, len(y))
    columns = np.hstack([sums, -sums, np.ones((len(y), 1)), -np.ones((len(y), 1))])
    costs = np.append(np.ones(2 * sums.shape[1]), [0, 0])
    return linprog(costs, A_eq=columns, b_eq=y, method="highs").fun


def all_arcs_cost(arcs, values):
    """Of two layers, by one cone programme over all arcs and both signs, to about 1e-10."""
    each, signs = np.arange(len(arcs.at)), np.ones(len(arcs.at))
    both = arcs.chosen(np.concatenate([each, each]))
    return units_on_arcs(both, np.concatenate([signs, -signs]), values, 1e-10).cost


def sampled_dual(X, y, angles):
    """The dual for finitely many units only, by Clarabel: never below the least cost either."""
    rows = units_at_points(X, angles).reshape(len(y), -1).T
    alpha = cp.Variable(len(y))
    constraints: Any = [cp.sum(alpha) == 0, cp.abs(rows @ alpha) <= 1]
    problem: Any = cp.Problem(cp.Maximize(alpha @ y), constraints)
    return problem.solve(solver="CLARABEL")


def sampled_earnings(alpha, X, angles):
    """max over b and the given directions of |sum alpha [<v, x> + b]_+|, taken at the points."""
    return np.abs(np.einsum("i,ijv->jv", alpha, units_at_points(X, angles))).max()


def units_at_points(X, angles):
    """[<v, x_i - x_j>]_+ for points i, thresholds j and directions v."""
    t = X @ unit_vectors(angles).T
    return np.maximum(t[:, None] - t, 0)
