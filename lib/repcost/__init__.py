"""What a ReLU network pays to represent a function: costs, ranks and features, each with how sure it is.

The public names, in the order of the book.
"""

from repcost.bounds import Bracket
from repcost.costs import (
    cheapest_network,
    diagonal_cost,
    function_cost,
    interpolate_line,
    largest_useful_strength,
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_network,
    linear_map_cost,
    parallel_cost,
    regularised_fit,
    schatten_power,
)
from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear

__version__ = "0.1.0"

__all__ = [
    "Bracket",
    "DeepNet",
    "PiecewiseLinear",
    "TwoLayer",
    "cheapest_network",
    "diagonal_cost",
    "function_cost",
    "interpolate_line",
    "largest_useful_strength",
    "linear_layers_bound",
    "linear_layers_cost",
    "linear_layers_network",
    "linear_map_cost",
    "parallel_cost",
    "regularised_fit",
    "schatten_power",
]
