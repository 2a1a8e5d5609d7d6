"""Covariances of hidden layers: what they cost, and how many units they take."""

from repcost.covariances.layers import covariance_cost, linear_covariances
from repcost.covariances.ranks import covariance_rank, cp_rank

__all__ = ["covariance_cost", "covariance_rank", "cp_rank", "linear_covariances"]
