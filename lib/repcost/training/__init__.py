"""Training of regularised networks, many at once; torch is imported when something trains."""

from repcost.training.architectures import Architecture
from repcost.training.ensembles import Ensemble
from repcost.training.members import Member
from repcost.training.objectives import Objective
from repcost.training.polishing import polish_network
from repcost.training.recipes import Recipe
from repcost.training.runs import train
from repcost.training.sweeps import sweep

__all__ = [
    "Architecture",
    "Ensemble",
    "Member",
    "Objective",
    "Recipe",
    "polish_network",
    "sweep",
    "train",
]
