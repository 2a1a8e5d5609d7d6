"""Networks with one hidden layer of any width: their least loss and cost, with a certificate.

The way through the room: `problem` states the loss and its dual, `oracle` finds the steepest
neuron, `master` buys neurons until none is worth its price, `optimum` and `interpolation` turn what
was found into a Bracket.
"""

from repcost.shallow.optimum import certify_shallow, shallow_cost, shallow_optimum
from repcost.shallow.pruning import basic_weights, merged, prune, unit_atoms
from repcost.shallow.rounds import column_generation, frank_wolfe
from repcost.shallow.thinning import thinned

__all__ = [
    "basic_weights",
    "certify_shallow",
    "column_generation",
    "frank_wolfe",
    "merged",
    "prune",
    "shallow_cost",
    "shallow_optimum",
    "thinned",
    "unit_atoms",
]
