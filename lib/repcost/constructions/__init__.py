"""Explicit functions and networks: what proofs build, so that chapters can run it.

A proof that something costs no more than a formula shows a network; a proof that a claim is
false shows a function. These are such networks and functions, each with the equation it comes
from. Of two layers:

- networks of ramps on the line; other networks for one function: rescaled, with an affine function
  or another network added, with units turned round, after a linear map (`units`);
- units turned into other directions that keep their values at given points (`turning`), networks
  and points to try that on (`turned_cases`), and two rays of points for which it pays (`rays`);
- functions of one number <u, x>, and what the cheapest through points costs (`ridges`), and the
  radial bump, an integral of such functions over the sphere (`bump`, `spheres`);
- joined dots of one variable, with units that face away from one of the pieces, and a zigzag that
  is folded, by a layer a fold, and three deep networks of one cost (`line_pieces`);
- the second derivative that weights show (`charges`);
- labels of classes, what each width has to pay for them, and a network that pays it (`labels`);
- networks side by side whose outputs add up (`parallel`), matrices of a given product
  (`factors`), and layers that hardly reach a point (`blocked`).

Of any depth, for Jacot (2023), five ideas return:

- *carrying* (`chains`): a ReLU does nothing to a number that is not negative, so numbers are
  shifted and handed on through identity layers, at a price of one a number and layer;
- *joining dots* (`one_number`): points are told apart by their place along a direction, and a bent
  line through all values follows, so one number is enough for any data; at which depths that is
  cheaper than the truth is a question of its own (`competition`), and a walk along the cross is
  such a line (`cross_walk`);
- *pieces by hand* (`affine_pieces`): a maximum of affine functions, a fold of the plane, islands,
  and identities of the line that attain a bound or show that a hypothesis is needed;
- *other activations* (`homogeneous`): all that bend once, at zero, are leaky ones, rescaled;
- *teachers* (`teachers`): what a network of few directions costs if it is deep.

Nothing here is certified: what these networks cost is said by `repcost.costs`.
"""

from repcost.constructions.affine_pieces import (
    fold_network,
    islands_network,
    leaky_whole_line,
    maximum_network,
    remade_bend,
    unused_constant,
    used_constant,
    whole_line,
)
from repcost.constructions.blocked import hardly_sent
from repcost.constructions.bump import average_curvature, bump_network, radial_bump
from repcost.constructions.chains import chained, longer, padded, rescaled_units
from repcost.constructions.charges import (
    curvature_by_boxes,
    curvature_by_bumps,
    point_charges,
)
from repcost.constructions.competition import (
    Crossing,
    identity_cheaper_until,
    one_number_cheaper_from,
    unavoidable_slope,
)
from repcost.constructions.cross_walk import cross_walk, cross_walk_times
from repcost.constructions.factors import (
    balanced_factors,
    balanced_vectors,
    changed_between,
    descended_factors,
)
from repcost.constructions.homogeneous import as_leaky
from repcost.constructions.labels import class_labels, labels_least_loss, labels_network
from repcost.constructions.line_pieces import facing_away, folded_zigzag, tied_networks
from repcost.constructions.one_number import (
    cheapest_projection,
    chords,
    joined_dots,
    through_one_number,
)
from repcost.constructions.parallel import SubNetwork, side_by_side_cost, with_one_fewer
from repcost.constructions.rays import (
    Direction,
    alignment_condition,
    cheapest_direction,
    cost_along_rays,
    direction_between,
    random_network_on_rays,
    ray_directions,
)
from repcost.constructions.ridges import cost_along, ridge
from repcost.constructions.spheres import ball_volume, even_directions, sphere_area
from repcost.constructions.teachers import one_more_teacher, shifted_teacher
from repcost.constructions.turned_cases import (
    exactly_turned,
    projection_onto,
    unit_with_one_point,
    units_turned_to_a_line,
    units_with_own_points,
)
from repcost.constructions.turning import (
    projected_shares,
    turned_into,
    turned_to,
)
from repcost.constructions.units import (
    after_map,
    cheap_constants,
    of_ramps,
    plus_affine,
    rescaled,
    turned_round,
    weighted_sum,
)

__all__ = [
    "Crossing",
    "Direction",
    "SubNetwork",
    "after_map",
    "alignment_condition",
    "as_leaky",
    "average_curvature",
    "balanced_factors",
    "balanced_vectors",
    "ball_volume",
    "bump_network",
    "chained",
    "changed_between",
    "cheap_constants",
    "cheapest_direction",
    "cheapest_projection",
    "chords",
    "class_labels",
    "cost_along",
    "cost_along_rays",
    "cross_walk",
    "cross_walk_times",
    "curvature_by_boxes",
    "curvature_by_bumps",
    "descended_factors",
    "direction_between",
    "even_directions",
    "exactly_turned",
    "facing_away",
    "fold_network",
    "folded_zigzag",
    "hardly_sent",
    "identity_cheaper_until",
    "islands_network",
    "joined_dots",
    "labels_least_loss",
    "labels_network",
    "leaky_whole_line",
    "longer",
    "maximum_network",
    "of_ramps",
    "one_more_teacher",
    "one_number_cheaper_from",
    "padded",
    "plus_affine",
    "point_charges",
    "projected_shares",
    "projection_onto",
    "radial_bump",
    "random_network_on_rays",
    "ray_directions",
    "remade_bend",
    "rescaled",
    "rescaled_units",
    "ridge",
    "shifted_teacher",
    "side_by_side_cost",
    "sphere_area",
    "through_one_number",
    "tied_networks",
    "turned_into",
    "turned_round",
    "turned_to",
    "unavoidable_slope",
    "unit_with_one_point",
    "units_turned_to_a_line",
    "units_with_own_points",
    "unused_constant",
    "used_constant",
    "weighted_sum",
    "whole_line",
    "with_one_fewer",
]
