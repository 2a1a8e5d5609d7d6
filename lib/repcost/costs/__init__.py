"""Representation costs, each a Bracket; one file per family."""

from repcost.costs.attained import cheapest_network
from repcost.costs.functions import function_cost

__all__ = ["cheapest_network", "function_cost"]
