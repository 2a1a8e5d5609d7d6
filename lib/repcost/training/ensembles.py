"""What training returns: every member with its network, its objective, and how it fared."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.costs.linear_layers.networks import LinearLayersNetwork
from repcost.deep_networks import as_deep
from repcost.training.members import Member

# Without a target, a member is stuck when it ends this much above the best one, relative to it.
_STUCK = 0.01


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trained networks: architecture by architecture, objective by objective, seed by seed.

    networks: as TwoLayer or DeepNet, or LinearLayersNetwork where there are linear layers.
    shape: the numbers of those three, so `objectives.reshape(shape)` is a table.
    objectives: what each network's own arrays give, in float64.
    looked, logged: the steps done at each look, and (looks, members) the objectives then.
    diverged: members whose objective was no longer finite; each keeps its last finite weights.
    lower: what no network can go below, or -inf.
    tolerance: the relative gap of the target, or None if there was none.
    """

    members: tuple[Member, ...]
    networks: tuple[Any, ...]
    shape: tuple[int, int, int]
    objectives: Float[np.ndarray, " members"]
    looked: Int[np.ndarray, " looks"]
    logged: Float[np.ndarray, "looks members"]
    diverged: Bool[np.ndarray, " members"]
    lower: Float[np.ndarray, " members"]
    tolerance: float | None = None

    @property
    def best(self) -> Any:
        """The network with the lowest objective; with several tasks, see `best_of_each`."""
        return self.networks[int(np.argmin(self._ranked))]

    @cached_property
    def best_of_each(self) -> Int[np.ndarray, "architectures objectives"]:
        """Where the best seed of each task stands among the members."""
        table = self._ranked.reshape(self.shape)
        # argmin counts within a task; the members of the k-th task begin at k times the seeds.
        return table.argmin(2) + np.arange(0, table.size, self.shape[2]).reshape(self.shape[:2])

    @property
    def gaps(self) -> Float[np.ndarray, " members"]:
        """How far each objective is above `lower`, relative to it; infinite without a bound."""
        with np.errstate(invalid="ignore", divide="ignore"):
            gaps = (self.objectives - self.lower) / np.abs(self.lower)
        return np.where(np.isfinite(self.lower), gaps, np.inf)

    @property
    def reached(self) -> Bool[np.ndarray, " members"]:
        """Which members are in the target."""
        # Without a tolerance nobody is: objectives are not negative, so no gap is below -1.
        return self.gaps <= (-1.0 if self.tolerance is None else self.tolerance)

    @property
    def stuck(self) -> Bool[np.ndarray, " members"]:
        """Which members missed the target, or, without one, ended 1 % above their task's best."""
        if self.tolerance is not None:
            return ~self.reached
        # Not `>`, so that what is no number is stuck.
        best = np.repeat(self._ranked[self.best_of_each.ravel()], self.shape[2])
        return self.diverged | ~(self._ranked <= best + _STUCK * np.abs(best))

    @cached_property
    def weights(self) -> tuple[Float[np.ndarray, "members out in"], ...]:
        """The weights of all members, layer by layer, where they have one architecture."""
        return self._stacked("weights")

    @cached_property
    def biases(self) -> tuple[Float[np.ndarray, "members out"], ...]:
        return self._stacked("biases")

    def _stacked(self, name: str) -> tuple[np.ndarray, ...]:
        remedy = "take them from networks one by one"
        if self.shape[0] > 1:
            raise ValueError(f"weights of different widths do not stack; {remedy}")
        if any(isinstance(net, LinearLayersNetwork) for net in self.networks):
            raise ValueError(f"networks with linear layers keep their matrices; {remedy}")
        layers = zip(*(getattr(as_deep(net), name) for net in self.networks), strict=True)
        return tuple(np.stack(layer) for layer in layers)

    @property
    def _ranked(self) -> Float[np.ndarray, " members"]:
        return np.where(self.diverged, np.inf, self.objectives)

    def __str__(self) -> str:
        names = {"diverged": self.diverged, "stuck": self.stuck & ~self.diverged}
        lowest = f"lowest objective {self._ranked.min():.4g}"
        failed = {name: which for name, which in names.items() if which.any()}
        told = [f"{name} seeds {self._seeds(which)}" for name, which in failed.items()]
        return "; ".join([f"{len(self.members)} networks, {lowest}", *told])

    def _seeds(self, which: Bool[np.ndarray, " members"]) -> list[int]:
        return [self.members[place].seed for place in np.flatnonzero(which)]
