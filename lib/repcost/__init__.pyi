from .balance import imbalance, neuron_imbalance, rebalance, rebalanced_norm
from .bounds import Bracket, Brackets
from .costs.attained import cheapest_network
from .costs.fits import largest_useful_strength, regularised_fit
from .costs.functions import function_cost
from .costs.line import interpolate_line
from .costs.linear_layers import (
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_costs,
    linear_layers_network,
)
from .costs.linear_maps import diagonal_cost, linear_map_cost, parallel_cost, schatten_power
from .costs.per_layer import cost_per_layer
from .costs.plane.interpolation import interpolate_plane
from .covariances.ranks import covariance_rank, cp_rank
from .deep_networks import DeepNet, leaky_network
from .networks import TwoLayer
from .piecewise import PiecewiseLinear
from .ranks.bottleneck import bottleneck_rank
from .ranks.jacobian import jacobian_rank, jacobian_spectra
from .ranks.margins import antipodal_margin, triod_margin
from .ranks.tours import open_tour, shortest_open_tour
from .ranks.triods import widest_triod
from .ranks.truncation import truncation_error
from .regions.on_the_line import as_piecewise_linear
from .regions.region import linear_regions
from .report import Watch, compare, measure, prune
from .representations.attraction import forces
from .shallow.certificates import certify_shallow
from .shallow.interpolation import shallow_cost
from .shallow.optimum import shallow_optimum
from .training.architectures import Architecture
from .training.objectives import Objective
from .training.recipes import Recipe
from .training.runs import train

__version__: str

__all__ = [
    "Architecture",
    "Bracket",
    "Brackets",
    "DeepNet",
    "Objective",
    "PiecewiseLinear",
    "Recipe",
    "TwoLayer",
    "Watch",
    "antipodal_margin",
    "as_piecewise_linear",
    "bottleneck_rank",
    "certify_shallow",
    "cheapest_network",
    "compare",
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
    "linear_layers_costs",
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
