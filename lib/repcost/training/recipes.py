"""How networks are trained, as data: nothing here depends on the problem."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from repcost.scalars import flag, nonnegative_number, one_of, positive_number, whole_number

Schedule = Literal["constant", "cosine", "warm-up-stable-decay"]
OptimiserName = Literal["adam", "gradient descent"]
NumberType = Literal["float64", "float32"]

# Fields by the values they may have: whole numbers from zero, numbers above zero, words.
_NOT_NEGATIVE = ("steps", "polish", "rebalance_every")
_POSITIVE = ("learning_rate", "annealing", "gain", "decay")
_CHOICES = {"schedule": Schedule, "optimiser": OptimiserName, "dtype": NumberType}


@dataclass(frozen=True)
class Recipe:
    """Adam with a schedule, then L-BFGS.

    steps, learning_rate: of Adam, or of plain gradient descent if optimiser="gradient descent".
    schedule: "constant"; "cosine" to zero; "warm-up-stable-decay": 2 % linear warm-up, then
        exponential decay to `decay` times the rate over the second half.
    annealing: the factor of the strength at the start; it falls to one geometrically over
        `annealed` of the steps.
    batch_size: points per step, all if None; the batches are the same for every member and every
        run.
    gain: standard deviation of first weights, times the root of a layer's inputs.
    spread: hidden units of the first ReLU layer start with their bend between two random points;
        otherwise at zero.
    xavier: weights start with the variance 2 / (inputs + outputs) of a layer (Glorot & Bengio,
        2010), all biases uniform between -1 and 1; neither gain nor spread is asked then.
    rebalance_every: steps after which each unit's weights are balanced in and out, moments of Adam
        too; 0 for never.
    polish: most iterations of L-BFGS, in float64 on all points, for each member at the end.
    log_every: steps between looks at the objective, where targets and divergence are noticed.

    >>> recipe = Recipe(steps=100, learning_rate=0.1, annealing=100.0)
    >>> recipe.rate(50), round(recipe.strength_factor(25), 12)
    (0.05, 10.0)
    """

    steps: int = 10_000
    learning_rate: float = 1e-2
    schedule: Schedule = "cosine"
    optimiser: OptimiserName = "adam"
    decay: float = 1e-2
    annealing: float = 1.0
    annealed: float = 0.5
    batch_size: int | None = None
    gain: float = 1.0
    spread: bool = True
    xavier: bool = False
    dtype: NumberType = "float64"
    rebalance_every: int = 0
    polish: int = 0
    log_every: int = 100

    def __post_init__(self):
        checked = {
            **{name: whole_number(getattr(self, name), name, 0) for name in _NOT_NEGATIVE},
            **{name: positive_number(getattr(self, name), name) for name in _POSITIVE},
            **{
                name: one_of(getattr(self, name), name, get_args(c)) for name, c in _CHOICES.items()
            },
            "log_every": whole_number(self.log_every, "log_every", 1),
            "annealed": nonnegative_number(self.annealed, "annealed"),
            "spread": flag(self.spread, "spread"),
            "xavier": flag(self.xavier, "xavier"),
        }
        if self.batch_size is not None:
            checked["batch_size"] = whole_number(self.batch_size, "batch_size", 1)
        if checked["annealed"] > 1:
            part = "a part of the steps, between 0 and 1"
            raise ValueError(f"annealed is {part}, not {self.annealed}")
        # Frozen means that only the constructor may do this.
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def rate(self, step: int) -> float:
        """The learning rate of a step, counted from 0; after the last one it is that of the end."""
        done = min(1.0, whole_number(step, "step", 0) / max(self.steps, 1))
        if self.schedule == "cosine":
            return self.learning_rate * (1 + math.cos(math.pi * done)) / 2
        if self.schedule == "warm-up-stable-decay":
            # The rate of the first step is not zero, however long the warm-up.
            warm = min(1.0, (step + 1) / max(1.0, 0.02 * self.steps))
            return self.learning_rate * warm * self.decay ** max(0.0, 2 * done - 1)
        return self.learning_rate

    def strength_factor(self, step: int) -> float:
        """What the strength is multiplied by in a step, counted from 0."""
        # The part of the annealing that is left, below zero when it is over.
        step = whole_number(step, "step", 0)
        left = 1 - step / (self.annealed * max(self.steps, 1)) if self.annealed else 0.0
        return self.annealing ** max(0.0, left)
