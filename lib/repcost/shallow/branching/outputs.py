"""Several outputs: the steepest neuron from the heights in directions of the outputs.

For a direction u of the outputs, h(u) = max over |w| <= 1 of the scalar function of V u, which
branch and bound bounds, is how far the convex hull C of all y = V^T relu(Xt w) and of zero reaches
in this direction. Let the unit vectors u_1, ..., u_m span a cone, and let y in C point into it, so
that y = |y| sum_j t_j u_j with t >= 0. Then

    |y|  =  sum_j t_j u_j.y  <=  sum_j t_j h(u_j)  =  c . y / |y|  <=  |c|     for  u_j.c = h(u_j).

So the greatest |c| bounds the steepest neuron, if the cones leave out no direction. They are those
over the facets of the convex hull of the points u / h(u), whose vertices c / |c| are the directions
that are asked next: where the bound is greatest.
"""

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.spatial import ConvexHull, QhullError

from repcost.arrays import distinct_rows
from repcost.rounding import UNIT
from repcost.shallow.branching.points import UnitPoints
from repcost.shallow.branching.tree import proved

Directions = Float[np.ndarray, "k m"]

# New directions in a round, and random ones to begin with.
_NEW, _RANDOM = 24, 20
# A direction in which no neuron is nearly as steep as the steepest need not be known better.
_ENOUGH = 0.9
# How close to one another two directions are taken for one.
_SAME = 1e-4
# Determinants of unit vectors below this, far above their rounding, may have any sign.
_FLAT = 1e-10


def proved_for_outputs(
    points: UnitPoints,
    V: Float[np.ndarray, "N m"],
    steep: Float[np.ndarray, "k r"],
    target: float,
    most_nodes: int,
) -> tuple[float, Float[np.ndarray, "n r"], int]:
    """A bound no higher than the target, if the maximum and the number of nodes allow it.

    `steep` are neurons that a search found; where one of them exceeds the target there is no such
    bound. Returns it with the neurons that were met on the way, and the number of nodes.
    """
    weights = points.weights(V.T).T
    steepest = _outputs(points, weights, steep)
    known = float(np.linalg.norm(steepest, axis=1).max(initial=0.0))
    # A quarter of what the target leaves above the highest goes to each direction.
    spare = max((target / max(known, 1e-300) - 1) / 4, 1e-7)
    asked, heights, atoms, count = np.zeros((0, V.shape[1])), np.zeros(0), steep, 0
    new, bound = _first_directions(steepest, V.shape[1]), np.inf
    while len(new) and count < most_nodes:
        functions = new @ weights.T
        found = (new @ _outputs(points, weights, atoms).T).max(axis=1, initial=0.0)
        targets = np.maximum(found * (1 + spare), _ENOUGH * target)
        proof = proved(points.units, functions, targets, most_nodes - count, spare)
        count += proof.nodes
        atoms = np.concatenate([atoms, proof.atoms[proof.heights > 0]])
        asked = np.concatenate([asked, new])
        heights = np.append(heights, points.bound_of_data(proof.bounds, new @ V.T))
        corners = _corners(asked, heights * (1 + 4 * V.shape[1] * UNIT))
        sizes = np.linalg.norm(corners, axis=1)
        bound = min(bound, float(sizes.max(initial=0.0)) if len(corners) else np.inf)
        new = _next(corners, sizes, asked, target)
    return bound, atoms, count


def _outputs(
    points: UnitPoints, weights: Float[np.ndarray, "N m"], w: Float[np.ndarray, "k r"]
) -> Float[np.ndarray, "k m"]:
    return np.maximum(w @ points.units.T, 0.0) @ weights


def _first_directions(steepest: Float[np.ndarray, "n m"], m: int) -> Directions:
    """Those of steep neurons, both of each axis, and some at random: they surround zero."""
    random = np.random.default_rng(0).normal(size=(_RANDOM, m))
    u = np.concatenate([np.eye(m), -np.eye(m), steepest[:_NEW], random])
    sizes = np.linalg.norm(u, axis=1)
    u = u[sizes > 0] / sizes[sizes > 0, None]
    return u[_apart(u, np.zeros((0, m)))]


def _next(
    corners: Float[np.ndarray, "f m"],
    sizes: Float[np.ndarray, " f"],
    asked: Float[np.ndarray, "n m"],
    target: float,
) -> Directions:
    """The directions of the farthest corners; none where all are near enough."""
    far = np.flatnonzero(sizes > target)
    far = far[np.argsort(-sizes[far])][: 4 * _NEW]
    u = corners[far] / sizes[far, None]
    return u[_apart(u, asked)][:_NEW]


def _apart(u: Directions, asked: Float[np.ndarray, "n m"]) -> Bool[np.ndarray, " k"]:
    """Which of these directions are neither among those asked nor near one before."""
    kept = np.zeros(len(u), dtype=bool)
    for i in range(len(u)):
        others = np.concatenate([asked, u[kept]])
        kept[i] = not len(others) or bool((others @ u[i]).max() < 1 - _SAME**2 / 2)
    return kept


def _corners(u: Directions, heights: Float[np.ndarray, " k"]) -> Float[np.ndarray, "f m"]:
    """c with u_j.c = h_j for the cones over all facets, a little longer; none without a proof.

    The hull is rounded, and only proposes the cones. Its points and facets are ours to check.
    """
    try:
        hull = ConvexHull(u / heights[:, None])
    except (QhullError, ValueError):
        return np.zeros((0, u.shape[1]))
    facets = hull.simplices
    cones = u[facets]
    if not _leave_nothing_out(u, facets):
        return np.zeros((0, u.shape[1]))
    inverses = np.linalg.inv(cones)
    corners = np.einsum("fij,fj->fi", inverses, heights[facets])
    # An inverse is off by some units times its condition number.
    m = u.shape[1]
    conditions = np.linalg.norm(inverses, axis=(1, 2)) * np.linalg.norm(cones, axis=(1, 2))
    errors = 40 * m**2 * UNIT * conditions * np.linalg.norm(inverses, axis=(1, 2))
    longer = errors * np.linalg.norm(heights[facets], axis=1)
    sizes = np.linalg.norm(corners, axis=1)
    return corners * (1 + longer / sizes)[:, None]


def _leave_nothing_out(u: Directions, facets: Int[np.ndarray, "f m"]) -> bool:
    """Whether the cones over the facets, of directions u, cover every direction.

    They do if every side of a cone is a side of just one other, on its other side: who moves from
    cone to cone by any path never comes to an end of them.
    """
    m = facets.shape[1]
    ordered = np.sort(facets, axis=1)
    volumes = np.linalg.det(u[ordered])
    if (np.abs(volumes) < _FLAT).any():
        return False
    sides = np.concatenate([np.delete(ordered, corner, axis=1) for corner in range(m)])
    # The sign of the determinant with this corner as the last one.
    turns = np.concatenate([np.sign(volumes) * (-1) ** (m - 1 - corner) for corner in range(m)])
    which = distinct_rows(sides)[2]
    balance = np.bincount(which, turns)
    return bool((np.bincount(which) == 2).all() and (balance == 0).all())
