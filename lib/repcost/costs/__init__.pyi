from .attained import cheapest_network
from .exact_line import exact_certificate, exact_interpolation_cost, exact_slopes
from .fits import RegularisedFit, largest_useful_strength, regularised_fit
from .functions import function_cost
from .given_units import (
    LeastWeights,
    cheapest_of_ramps,
    cheapest_within,
    least_mass,
    least_weights,
    ramps_at,
)
from .line import LineInterpolant, PaidInterpolant, interpolate_line
from .linear_layers import (
    LinearLayersNetwork,
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_costs,
    linear_layers_network,
)
from .linear_maps import diagonal_cost, linear_map_cost, parallel_cost, schatten_power
from .per_layer import cost_per_layer, deepened, slopes_both_ways
from .plane.interpolation import interpolate_plane

__all__ = [
    "LeastWeights",
    "LineInterpolant",
    "LinearLayersNetwork",
    "PaidInterpolant",
    "RegularisedFit",
    "cheapest_network",
    "cheapest_of_ramps",
    "cheapest_within",
    "cost_per_layer",
    "deepened",
    "diagonal_cost",
    "exact_certificate",
    "exact_interpolation_cost",
    "exact_slopes",
    "function_cost",
    "interpolate_line",
    "interpolate_plane",
    "largest_useful_strength",
    "least_mass",
    "least_weights",
    "linear_layers_bound",
    "linear_layers_cost",
    "linear_layers_costs",
    "linear_layers_network",
    "linear_map_cost",
    "parallel_cost",
    "ramps_at",
    "regularised_fit",
    "schatten_power",
    "slopes_both_ways",
]
