"""Representation costs, each a Bracket; one file per family."""

from repcost.costs.attained import cheapest_network
from repcost.costs.fits import largest_useful_strength, regularised_fit
from repcost.costs.functions import function_cost
from repcost.costs.line import interpolate_line

__all__ = ["cheapest_network", "function_cost", "interpolate_line", "largest_useful_strength", "regularised_fit"]
