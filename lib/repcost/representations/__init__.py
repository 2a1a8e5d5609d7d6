"""What L2 regularisation makes of hidden layers: representations, the forces on them, and two
descents.
"""

from repcost.representations.attraction import ForceBalance, force_balance, forces
from repcost.representations.descents import descend, descend_smoothed
from repcost.representations.hidden_layers import Representations, representations, residual_weights

__all__ = [
    "ForceBalance",
    "Representations",
    "descend",
    "descend_smoothed",
    "force_balance",
    "forces",
    "representations",
    "residual_weights",
]
