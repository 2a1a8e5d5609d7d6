"""What training returns: every member with its network, its objective, and whether it got anywhere."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.linalg import block_diag

from repcost.costs.linear_layers.networks import LinearLayersNetwork
from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer
from repcost.training.architectures import Architecture
from repcost.training.objectives import Network, Objective

# A member is stuck when it ends this much above the best one, or above what is known to be
# possible.
_STUCK = 0.01


@dataclass(frozen=True)
class Member:
    """Who it is: two members with the same three are the same network."""

    architecture: Architecture
    objective: Objective
    seed: int


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trained networks: architecture by architecture, objective by objective, seed by seed.

    networks: as TwoLayer or DeepNet, or LinearLayersNetwork where there are linear layers.
    shape: the numbers of those three, so `objectives.reshape(shape)` is a table. objectives: what
    each network's own arrays give, in float64. logged: (looks, members), objectives during the
    steps `looked`. diverged: members whose objective was no longer finite; each keeps its last
    finite weights. lower: what no network can go below, or -inf.
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
        """The network with the lowest objective; with several tasks in one ensemble, see
        `best_of_each`.
        """
        return self.networks[int(np.argmin(self._ranked))]

    @cached_property
    def best_of_each(self) -> Int[np.ndarray, "architectures objectives"]:
        """Where the best seed of each task stands among the members."""
        table = self._ranked.reshape(self.shape)
        return table.argmin(2) + np.arange(0, table.size, self.shape[2]).reshape(self.shape[:2])

    @property
    def gaps(self) -> Float[np.ndarray, " members"]:
        """How far each objective is above `lower`, relative to it; infinite where nothing is known."""
        with np.errstate(invalid="ignore", divide="ignore"):
            gaps = (self.objectives - self.lower) / np.abs(self.lower)
        return np.where(np.isfinite(self.lower), gaps, np.inf)

    @property
    def reached(self) -> Bool[np.ndarray, " members"]:
        """Which members are in the target."""
        return self.gaps <= (-1.0 if self.tolerance is None else self.tolerance)

    @property
    def stuck(self) -> Bool[np.ndarray, " members"]:
        """Which members missed the target; without one, those over 1 % above the best seed of their
        task.
        """
        if self.tolerance is not None:
            return ~self.reached
        best = np.repeat(self._ranked[self.best_of_each.ravel()], self.shape[2])
        return self.diverged | ~(self._ranked <= best + _STUCK * np.abs(best))

    @cached_property
    def weights(self) -> tuple[Float[np.ndarray, "members out in"], ...]:
        """The weights of all members, layer by layer, where they are DeepNets of one architecture."""
        return self._stacked("weights")

    @cached_property
    def biases(self) -> tuple[Float[np.ndarray, "members out"], ...]:
        return self._stacked("biases")

    def _stacked(self, name: str) -> tuple[np.ndarray, ...]:
        if self.shape[0] > 1:
            raise ValueError(
                "weights of different widths do not stack; take them from networks one by one"
            )
        nets = [
            DeepNet.from_two_layer(net) if isinstance(net, TwoLayer) else net
            for net in self.networks
        ]
        if any(isinstance(net, LinearLayersNetwork) for net in nets):
            raise ValueError(
                "networks with linear layers keep their matrices; take them from networks one by one"
            )
        return tuple(
            np.stack(layer) for layer in zip(*(getattr(net, name) for net in nets), strict=True)
        )

    @property
    def _ranked(self) -> Float[np.ndarray, " members"]:
        return np.where(self.diverged, np.inf, self.objectives)

    def __str__(self) -> str:
        names = {"diverged": self.diverged, "stuck": self.stuck & ~self.diverged}
        told = [
            f"{name} seeds {[m.seed for m, is_so in zip(self.members, which, strict=True) if is_so]}"
            for name, which in names.items()
            if which.any()
        ]
        lowest = f"lowest objective {self._ranked.min():.4g}"
        return "; ".join([f"{len(self.members)} networks, {lowest}", *told])


def network(architecture: Architecture, parts: list[Float[np.ndarray, "branches _ _"]]) -> Network:
    """From the parts of a member: a TwoLayer or LinearLayersNetwork where it is one, or else a
    DeepNet.
    """
    parts, weights, biases = list(parts), [], []
    for layer, (_, out) in enumerate(architecture.shapes):
        weights.append([W.T for W in parts.pop(0)])
        biases.append(
            parts.pop(0)[0, 0]
            if architecture.has_bias(layer)
            else np.zeros(out * architecture.branches)
        )
    if architecture.linear:
        *matrices, a = (W for (W,) in weights)
        return LinearLayersNetwork(tuple(matrices), a[0], biases[-2], float(biases[-1][0]))
    if architecture.branches > 1:
        weights = [
            [np.vstack(weights[0])],
            *[[block_diag(*Ws)] for Ws in weights[1:-1]],
            [np.hstack(weights[-1])],
        ]
        biases[-1] = np.zeros(architecture.widths[-1])
    Ws = [W for (W,) in weights]
    if architecture.depth == 2 and architecture.widths[-1] == 1 and not architecture.negative_slope:
        return TwoLayer(Ws[0], Ws[1][0], biases[0], float(biases[1][0]))
    return DeepNet(Ws, biases, architecture.negative_slope)
