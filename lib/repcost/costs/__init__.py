"""Representation costs, each a Bracket; one file per family."""

from repcost.costs.exact_line import exact_certificate, exact_interpolation_cost, exact_slopes
from repcost.costs.given_units import (
    LeastWeights,
    cheapest_of_ramps,
    least_mass,
    least_weights,
    ramps_at,
)

__all__ = [
    "LeastWeights",
    "cheapest_of_ramps",
    "exact_certificate",
    "exact_interpolation_cost",
    "exact_slopes",
    "least_mass",
    "least_weights",
    "ramps_at",
]
