"""Ranks of networks: through how few numbers a function passes, each a Bracket of whole numbers.

A network whose layers are wide may still compute a function that needs few numbers. Jacot (2023)
has two ranks for that, and between them everything here takes place:

- the Jacobian rank (`jacobian_rank`, from the linear regions): the largest number of directions in
  which the output moves at a point. No function that passes through k numbers moves in more, so
  this is a lower bound of
- the bottleneck rank (`bottleneck_rank`): the least k with f = h o g and k outputs of g.

The two can differ. A map of the square onto a cross moves in one direction everywhere, but no
single number tells the four arms apart. That f does not factor through the line is certified by
`triod_margin` and `antipodal_margin`: two theorems of topology name points that any such f would
have to send to one value, and the margin is how far apart f keeps them (`margins`, `triods`; what
rounding may change along a path is bounded in `straight_paths`). That f does factor through the
line is seen from the values of a layer, if they run along a curve (`curves`).

`truncation_error` asks how far a network is from one that passes through few numbers at a given
layer. `shortest_open_tour` and `open_tour` are about the price of one number that is asked to tell
n given points apart: a curve through all of them is at least so long (`tours`, by `spanning_trees`
and `tour_search`).
"""

from repcost.ranks.bottleneck import bottleneck_rank
from repcost.ranks.jacobian import jacobian_rank, jacobian_spectra
from repcost.ranks.margins import antipodal_margin, triod_margin
from repcost.ranks.tours import open_tour, shortest_open_tour
from repcost.ranks.triods import Triod, widest_triod
from repcost.ranks.truncation import truncation_error

__all__ = [
    "Triod",
    "antipodal_margin",
    "bottleneck_rank",
    "jacobian_rank",
    "jacobian_spectra",
    "open_tour",
    "shortest_open_tour",
    "triod_margin",
    "truncation_error",
    "widest_triod",
]
