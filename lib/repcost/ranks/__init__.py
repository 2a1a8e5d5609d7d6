"""Ranks of networks, each a Bracket of whole numbers."""

from repcost.ranks.bottleneck import bottleneck_rank, widest_triod
from repcost.ranks.jacobian import jacobian_rank, jacobian_spectra
from repcost.ranks.margins import antipodal_margin, triod_margin
from repcost.ranks.tours import open_tour, shortest_open_tour
from repcost.ranks.truncation import truncation_error

__all__ = [
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
