from .attained import cheapest_network
from .fits import RegularisedFit, largest_useful_strength, regularised_fit
from .functions import function_cost
from .line import LineInterpolant, interpolate_line
from .linear_layers import (
    LinearLayersNetwork,
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_network,
)
from .linear_maps import diagonal_cost, linear_map_cost, parallel_cost, schatten_power
from .per_layer import cost_per_layer, deepened
from .plane.interpolation import interpolate_plane

__all__ = [
    "LineInterpolant",
    "LinearLayersNetwork",
    "RegularisedFit",
    "cheapest_network",
    "cost_per_layer",
    "deepened",
    "diagonal_cost",
    "function_cost",
    "interpolate_line",
    "interpolate_plane",
    "largest_useful_strength",
    "linear_layers_bound",
    "linear_layers_cost",
    "linear_layers_network",
    "linear_map_cost",
    "parallel_cost",
    "regularised_fit",
    "schatten_power",
]
