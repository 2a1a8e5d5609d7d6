"""Explicit networks that proofs build, and that checks and figures then measure.

Most upper bounds of the papers are constructions: a network is written down and its weights are
added up. Here they are functions. Four ideas return:

*carrying* (`chains`): a ReLU does nothing to a number that is not negative, so numbers are shifted
and handed on through identity layers, at a price of one a number and layer (`chained`, `longer`);

*joining dots* (`one_number`): points are told apart by their place along a direction, and a bent
line through all values follows; so one number is enough for any data (`through_one_number`). At
which depths that is cheaper than the truth is a question of its own (`competition`);

*pieces by hand* (`affine_pieces`): a maximum of affine functions, a fold of the plane, islands, and
identities of the line that attain a bound or show that a hypothesis is needed;

*teachers* (`teachers`): what a network of few directions costs if it is deep.
"""

from repcost.constructions.affine_pieces import (
    fold_network,
    islands_network,
    leaky_whole_line,
    maximum_network,
    remade_bend,
    unused_constant,
    whole_line,
)
from repcost.constructions.chains import chained, longer, padded, rescaled_units
from repcost.constructions.competition import (
    Crossing,
    identity_cheaper_until,
    one_number_cheaper_from,
    unavoidable_slope,
)
from repcost.constructions.one_number import (
    cheapest_projection,
    chords,
    joined_dots,
    through_one_number,
)
from repcost.constructions.teachers import one_more_teacher, shifted_teacher

__all__ = [
    "Crossing",
    "chained",
    "cheapest_projection",
    "chords",
    "fold_network",
    "identity_cheaper_until",
    "islands_network",
    "joined_dots",
    "leaky_whole_line",
    "longer",
    "maximum_network",
    "one_more_teacher",
    "one_number_cheaper_from",
    "padded",
    "remade_bend",
    "rescaled_units",
    "shifted_teacher",
    "through_one_number",
    "unavoidable_slope",
    "unused_constant",
    "whole_line",
]
