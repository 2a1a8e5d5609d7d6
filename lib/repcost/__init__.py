"""What a ReLU network pays to represent a function: costs, ranks and features, each with how sure it is.

The public names, in the order of the book.
"""

from repcost.balance import imbalance, neuron_imbalance, rebalance, rebalanced_norm
from repcost.bounds import Bracket
from repcost.costs import (
    cheapest_network,
    cost_per_layer,
    diagonal_cost,
    function_cost,
    interpolate_line,
    interpolate_plane,
    largest_useful_strength,
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_network,
    linear_map_cost,
    parallel_cost,
    regularised_fit,
    schatten_power,
)
from repcost.deep_networks import DeepNet, leaky_network
from repcost.features import (
    certify_shallow,
    covariance_rank,
    cp_rank,
    forces,
    prune,
    shallow_cost,
    shallow_optimum,
)
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear
from repcost.ranks import (
    antipodal_margin,
    bottleneck_rank,
    jacobian_rank,
    jacobian_spectra,
    open_tour,
    shortest_open_tour,
    triod_margin,
    truncation_error,
    widest_triod,
)
from repcost.regions import linear_regions
from repcost.report import measure
from repcost.training import Architecture, Objective, Recipe, train

__version__ = "0.1.0"

__all__ = [
    "Architecture",
    "Bracket",
    "DeepNet",
    "Objective",
    "PiecewiseLinear",
    "Recipe",
    "TwoLayer",
    "antipodal_margin",
    "bottleneck_rank",
    "certify_shallow",
    "cheapest_network",
    "cost_per_layer",
    "covariance_rank",
    "cp_rank",
    "diagonal_cost",
    "forces",
    "function_cost",
    "imbalance",
    "interpolate_line",
    "interpolate_plane",
    "jacobian_rank",
    "jacobian_spectra",
    "largest_useful_strength",
    "leaky_network",
    "linear_layers_bound",
    "linear_layers_cost",
    "linear_layers_network",
    "linear_map_cost",
    "linear_regions",
    "measure",
    "neuron_imbalance",
    "open_tour",
    "parallel_cost",
    "prune",
    "rebalance",
    "rebalanced_norm",
    "regularised_fit",
    "schatten_power",
    "shallow_cost",
    "shallow_optimum",
    "shortest_open_tour",
    "train",
    "triod_margin",
    "truncation_error",
    "widest_triod",
]
