"""Covariances of hidden layers: what they cost, and how many units they take."""

from repcost.covariances.bipartite import (
    Descents,
    bipartite_covariance,
    bipartite_least_loss,
    nonnegative_descents,
)
from repcost.covariances.dimensions import derivative_rank
from repcost.covariances.layers import covariance_cost, linear_covariances
from repcost.covariances.ranks import covariance_rank, cp_rank

__all__ = [
    "Descents",
    "bipartite_covariance",
    "bipartite_least_loss",
    "covariance_cost",
    "covariance_rank",
    "cp_rank",
    "derivative_rank",
    "linear_covariances",
    "nonnegative_descents",
]
