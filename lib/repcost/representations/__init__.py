"""What L2 regularisation makes of hidden layers: representations, the forces on them, and two
descents.
"""

from repcost.representations.attraction import ForceBalance, force_balance, forces
from repcost.representations.descents import descend, descend_smoothed
from repcost.representations.hidden_layers import Representations, representations, residual_weights
from repcost.representations.rays import class_scatter, merged_rays, on_rays
from repcost.representations.spectra import (
    SecondDirections,
    centred_spectra,
    handed_on,
    second_directions,
)

__all__ = [
    "ForceBalance",
    "Representations",
    "SecondDirections",
    "centred_spectra",
    "class_scatter",
    "descend",
    "descend_smoothed",
    "force_balance",
    "forces",
    "handed_on",
    "merged_rays",
    "on_rays",
    "representations",
    "residual_weights",
    "second_directions",
]
