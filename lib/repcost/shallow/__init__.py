"""Networks with one hidden layer of any width: their least loss and cost, with a certificate.

The way through the room: `problem` states the loss and its dual, `oracle` finds the steepest
neuron, `master` buys neurons until none is worth its price, `optimum` and `interpolation` turn what
was found into a Bracket.
"""

from repcost.shallow.optimum import certify_shallow, shallow_cost, shallow_optimum
from repcost.shallow.pruning import prune

__all__ = ["certify_shallow", "prune", "shallow_cost", "shallow_optimum"]
