"""Representation costs, each a Bracket; one file per family."""

from repcost.costs.functions import function_cost

__all__ = ["function_cost"]
