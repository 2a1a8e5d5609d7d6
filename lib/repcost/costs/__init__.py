"""Representation costs, each a Bracket; one file per family."""

from repcost.costs.attained import cheapest_network
from repcost.costs.explicit_layers import linear_layers_network
from repcost.costs.fits import largest_useful_strength, regularised_fit
from repcost.costs.functions import function_cost
from repcost.costs.line import interpolate_line
from repcost.costs.linear_layers import linear_layers_bound, linear_layers_cost
from repcost.costs.linear_maps import diagonal_cost, linear_map_cost, parallel_cost, schatten_power
from repcost.costs.per_layer import cost_per_layer
from repcost.costs.plane import interpolate_plane

__all__ = [
    "cheapest_network",
    "cost_per_layer",
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
