"""Explicit functions and networks: what proofs build, so that chapters can run it.

A proof that something costs no more than a formula shows a network; a proof that a claim is
false shows a function. These are such networks and functions, each with the equation it comes
from:

- other networks for one function: rescaled, with an affine function added, with units turned round,
  after a linear map (`units`);
- units turned into other directions that keep their values at given points (`turning`), and the
  two rays of points for which that pays (`rays`);
- functions of one number <u, x>, such as the interpolant of rank one that joins the dots
  (`ridges`);
- the radial bump, an integral of ridges over the sphere (`bump`, `spheres`);
- networks side by side whose outputs add up (`parallel`), and matrices of a given product
  (`factors`).

Nothing here is certified, and nothing searches for an optimum but `cheapest_direction`: what
these networks cost is said by `repcost.costs`.
"""

from repcost.constructions.bump import average_curvature, bump_network, radial_bump
from repcost.constructions.factors import balanced_factors, changed_between
from repcost.constructions.parallel import SubNetwork, side_by_side_cost, with_one_fewer
from repcost.constructions.rays import (
    Direction,
    alignment_condition,
    cheapest_direction,
    direction_between,
    random_network_on_rays,
    ray_directions,
)
from repcost.constructions.ridges import (
    Dots,
    carried_interpolant,
    dots_along,
    rank_one_interpolant,
    ridge,
)
from repcost.constructions.spheres import ball_volume, even_directions, sphere_area
from repcost.constructions.turning import projected_shares, turned_into, turned_to
from repcost.constructions.units import after_map, plus_affine, rescaled, turned_round

__all__ = [
    "Direction",
    "Dots",
    "SubNetwork",
    "after_map",
    "alignment_condition",
    "average_curvature",
    "balanced_factors",
    "ball_volume",
    "bump_network",
    "carried_interpolant",
    "changed_between",
    "cheapest_direction",
    "direction_between",
    "dots_along",
    "even_directions",
    "plus_affine",
    "projected_shares",
    "radial_bump",
    "random_network_on_rays",
    "rank_one_interpolant",
    "ray_directions",
    "rescaled",
    "ridge",
    "side_by_side_cost",
    "sphere_area",
    "turned_into",
    "turned_round",
    "turned_to",
    "with_one_fewer",
]
