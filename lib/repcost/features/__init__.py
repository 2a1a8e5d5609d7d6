"""What L2 regularisation makes of hidden layers: representations, covariances, and certified shallow optima."""

from repcost.features.attraction import ForceBalance, force_balance, forces
from repcost.features.covariance_ranks import covariance_rank, cp_rank
from repcost.features.covariances import covariance_cost, linear_covariances
from repcost.features.descents import descend, descend_smoothed
from repcost.features.hidden_layers import Representations, representations, residual_weights
from repcost.features.pruning import prune
from repcost.features.shallow import certify_shallow, shallow_cost, shallow_optimum

__all__ = [
    "ForceBalance",
    "Representations",
    "certify_shallow",
    "covariance_cost",
    "covariance_rank",
    "cp_rank",
    "descend",
    "descend_smoothed",
    "force_balance",
    "forces",
    "linear_covariances",
    "prune",
    "representations",
    "residual_weights",
    "shallow_cost",
    "shallow_optimum",
]
