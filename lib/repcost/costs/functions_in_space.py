"""The cost of the function of a network in two and more variables, where kinks are hyperplanes."""

import math

import numpy as np
from jaxtyping import Float

from repcost.bounds import Bracket
from repcost.costs.hyperplanes import Column, Groups, shared_hyperplanes
from repcost.costs.zonotopes import distance_to_zonotope
from repcost.rounding import UNIT, exact_product, expansion
from repcost.scales import exponent_of, scaled_back

Rows = Float[np.ndarray, "K d"]


def cost_in_space(W: Rows, a: Column, b: Column) -> Bracket:
    """sum |c_j| + min over |t_j| <= |c_j| of |g - sum t_j u_j|, for units that are not tiny."""
    if not len(W):
        return Bracket(0.0, 0.0, "certified")
    # Normals with the pivot entry 1 are the same, bit by bit, for all units of a hyperplane.
    pivots = np.take_along_axis(W, np.abs(W).argmax(axis=1)[:, None], axis=1)[:, 0]
    normals = W / pivots[:, None]
    shared = shared_hyperplanes([b, *W.T], pivots)
    masses, leans = _net_masses(shared, pivots, *exact_product(a, np.abs(pivots)))
    lower = upper = math.fsum(masses * np.linalg.norm(normals, axis=1))
    if leans:
        left = _linear_part_left(W, a, masses, normals)
        lower, upper = lower + left.lower, upper + left.upper
    # Lengths of normals are off by d / 2 + 3 roundings, all else by a few; and neither masses
    # nor g exceed the cost.
    rounding = (W.shape[1] + 20) * UNIT
    return Bracket(lower * (1 - rounding), upper * (1 + rounding), "certified")


def _linear_part_left(W: Rows, a: Column, masses: Column, normals: Rows) -> Bracket:
    """The distance of g from what the kinks can carry, |t_j| <= |c_j|."""
    sums = [expansion(np.stack(exact_product(a, column)))[:1] for column in W.T]
    linear = np.array([sum(parts) for parts in sums], dtype=float)
    exponent = exponent_of(masses, linear)
    generators = np.ldexp(masses, -exponent)[:, None] * normals
    distance = distance_to_zonotope(np.ldexp(linear, -exponent), generators)
    return Bracket(*scaled_back(distance.lower, distance.upper, exponent), "certified")


def _net_masses(shared: Groups, pivots: Column, high: Column, low: Column) -> tuple[Column, bool]:
    """|c_j| in units of |w| / |pivot|, at the first unit of each hyperplane; and whether any leans.

    One leans if |t_j| exceeds |c_j|. Only then can the minimum differ from 0, since g is the
    sum of the t_j u_j of these units.
    """
    masses, leans = np.abs(high), False
    for units in shared:
        terms, side = np.stack([high[units], low[units]]), pivots[units] > 0
        p, q = math.fsum(terms[:, side].ravel()), math.fsum(terms[:, ~side].ravel())
        masses[units] = 0.0
        masses[units[0]] = abs(math.fsum(terms.ravel()))
        # |p - q| > |p + q| exactly when the signs differ.
        leans = leans or min(p, q) < 0 < max(p, q)
    return masses, leans
