"""What a call of `train` asks for, checked and spelled out member by member."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from repcost.devices import Device, described, place
from repcost.training.architectures import Architecture
from repcost.training.checkpoints import fingerprint
from repcost.training.inputs import (
    check_company,
    checked_data,
    checked_pair,
    checked_recipe,
    checked_seeds,
    checked_target,
    several,
)
from repcost.training.members import Member
from repcost.training.objectives import Network, Objective
from repcost.training.recipes import Recipe


@dataclass(frozen=True, eq=False)
class TrainingPlan:
    """The members of an ensemble, and what all of them share.

    members: architecture by architecture, objective by objective, seed by seed.
    shape: the numbers of those three; a task is an architecture and an objective.
    data: as the user gave it; X, Y: the same as rows, labels as rows of the unit matrix.
    lower, tolerance: what no member can go below, and the relative gap at which a task is done.
    device: where the members are trained; flops: operations in a step of all of them.
    """

    members: tuple[Member, ...]
    shape: tuple[int, int, int]
    data: tuple[Any, Any]
    X: Float[np.ndarray, "n d"]
    Y: Float[np.ndarray, "n m"]
    recipe: Recipe
    lower: Float[np.ndarray, " members"]
    tolerance: float | None
    device: str
    flops: float

    @classmethod
    def of(
        cls,
        architecture: Architecture | Sequence[Architecture],
        data: tuple[Any, Any],
        objective: Objective | Sequence[Objective],
        recipe: Recipe,
        seeds: Sequence[int],
        target: Any,
        device: str | Device,
    ) -> "TrainingPlan":
        """ValueError, which names the argument and the remedy, for what cannot be trained."""
        architectures = several(architecture, Architecture, "architecture")
        objectives = several(objective, Objective, "objective")
        seeds = checked_seeds(seeds)
        check_company(architectures, objectives)
        recipe = checked_recipe(recipe)
        data = checked_pair(data)
        X, Y = checked_data(data, architectures[0], objectives[0], recipe.dtype)
        members = tuple(Member(*each) for each in product(architectures, objectives, seeds))
        shape = (len(architectures), len(objectives), len(seeds))
        lower, tolerance = checked_target(target, shape)
        # One step of all members, which a GPU takes together.
        flops = len(objectives) * len(seeds) * step_flops(architectures, _rows(X, recipe))
        at = place(device, flops, recipe.dtype)
        return cls(members, shape, data, X, Y, recipe, lower, tolerance, at, flops)

    @cached_property
    def architectures(self) -> tuple[Architecture, ...]:
        """Those of the members, each once, in their order."""
        return tuple(dict.fromkeys(member.architecture for member in self.members))

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same call, and for no other."""
        # What saves or shows is not among these, and the file tells of the device by name.
        given = self.members, self.recipe, self.lower, self.tolerance
        return fingerprint(*given, self.X, self.Y)

    @cached_property
    def card(self) -> str:
        """The device by name: no two kinds round alike."""
        return described(self.device)

    @property
    def smaller(self) -> str:
        """What to ask for where the memory of a device ends."""
        half = _rows(self.X, self.recipe) // 2
        fewer = f"at most {max(1, len(self.members) // 2)} networks in a call"
        return f"ask for Recipe(batch_size={half}), or {fewer}" if half else f"ask for {fewer}"

    def value(self, place: int, net: Network) -> float:
        """The objective of a member, by what its network's own arrays give."""
        return self.members[place].objective.value(net, *self.data)

    def done(
        self, values: Float[np.ndarray, " members"], diverged: Bool[np.ndarray, " members"]
    ) -> Bool[np.ndarray, " tasks"]:
        """Whether a seed of each task has reached the target."""
        architectures, objectives, seeds = self.shape
        if self.tolerance is None:
            return np.zeros(architectures * objectives, dtype=bool)
        # Not divided by the bound, which may be zero. A member that diverged counts for nobody,
        # though the weights it rests at may be in the target.
        inside = (values - self.lower <= self.tolerance * np.abs(self.lower)) & ~diverged
        return np.any(inside.reshape(-1, seeds), axis=1)


def step_flops(architectures: Sequence[Architecture], rows: int) -> float:
    """Operations in a step of one member of each architecture.

    A weight multiplies a number of every row on the way forward and two on the way back, and each
    product is added to a sum.
    """
    weights = [a.branches * sum(into * out for into, out in a.shapes) for a in architectures]
    return 6.0 * sum(weights) * rows


def _rows(X: Float[np.ndarray, "n d"], recipe: Recipe) -> int:
    """As many points as a step sees."""
    return min(len(X), recipe.batch_size or len(X))
