"""Several outputs: the steepest neuron from the heights in directions of the outputs.

For a direction u of the outputs, h(u) = max over |w| <= 1 of the scalar function of V u, which
branch and bound bounds, is how far the convex hull C of all y = V^T relu(Xt w) and of zero reaches
in this direction. Let the unit vectors u_1, ..., u_m span a cone, and let y in C point into it, so
that y = |y| sum_j t_j u_j with t >= 0. Then

    |y|  =  sum_j t_j u_j.y  <=  sum_j t_j h(u_j)  <=  c . y / |y|  <=  |c|    if  u_j.c >= h(u_j).

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
_SHARE = 0.25
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

    `steep` are neurons that a search found; where one of them exceeds the target, or one that is
    met, there is no such bound, and the proof ends. Returns the bound that it has come to, all of
    these neurons, and the number of nodes.
    """
    weights = points.weights(V.T).T
    steepest = _outputs(points, weights, steep)
    known = _greatest(steepest)
    # Of what the target leaves above the highest, some goes to each direction.
    spare = max((target / max(known, 1e-300) - 1) * _SHARE, 1e-7)
    asked, heights, atoms, count = np.zeros((0, V.shape[1])), np.zeros(0), steep, 0
    new, bound = _first_directions(steepest, V.shape[1]), np.inf
    while len(new) and count < most_nodes and known <= target:
        functions = new @ weights.T
        found = (new @ _outputs(points, weights, atoms).T).max(axis=1, initial=0.0)
        targets = np.maximum(found * (1 + spare), _ENOUGH * target)
        proof = proved(points.units, functions, targets, most_nodes - count, spare)
        count += proof.nodes
        met = proof.atoms[proof.heights > 0]
        atoms = np.concatenate([atoms, met])
        known = max(known, _greatest(_outputs(points, weights, met)))
        asked = np.concatenate([asked, new])
        heights = np.append(heights, points.bound_of_data(proof.bounds, new @ V.T))
        corners = _corners(asked, heights * (1 + 4 * V.shape[1] * UNIT))
        sizes = np.linalg.norm(corners, axis=1)
        bound = min(bound, float(sizes.max(initial=0.0)) if len(corners) else np.inf)
        new = _next(corners, sizes, asked, target)
    return bound, atoms, count


def _greatest(outputs: Float[np.ndarray, "k m"]) -> float:
    return float(np.linalg.norm(outputs, axis=1).max(initial=0.0))


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
    """c with u_j.c >= h_j for the cones over all facets, as short as can be; none without a proof.

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
    corners = np.linalg.solve(cones, heights[facets][:, :, None])[:, :, 0]
    return _pushed_out(corners, cones, heights[facets])


def _pushed_out(
    c: Float[np.ndarray, "f m"],
    cones: Float[np.ndarray, "f m m"],
    heights: Float[np.ndarray, "f m"],
) -> Float[np.ndarray, "k m"]:
    """The corners, lengthened until u_j.c >= h_j for each of them; none if one points away.

    Nothing else is asked of c. In a flat cone it may be far from the solution of u_j.c = h_j.
    """
    m = c.shape[1]
    # By so much the products with unit vectors are off.
    rounding = 2 * m * UNIT * np.linalg.norm(c, axis=1)[:, None]
    reached = np.einsum("fjm,fm->fj", cones, c) - rounding
    if not (reached > 0).all():
        return np.zeros((0, m))
    factors = np.maximum((heights / reached).max(axis=1), 1.0)
    return c * (factors * (1 + 4 * UNIT))[:, None]


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
