"""Figure 1 of Ongie & Willett (2022): networks of several depths, trained on points of two rays.

The paper says "SGD with weight decay" and little more. Where it is silent there are several natural
readings; each is one of `WAYS`. That biases are free is the paper's theory, and what the public
code of Parkinson, Ongie & Willett (2023) does; that they are decayed is PyTorch's default.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.datasets import two_rays
from repcost.devices import Device
from repcost.networks import TwoLayer
from repcost.training import Architecture, Objective, Recipe, train
from repcost.training.ensembles import Ensemble

DEPTHS = 2, 3, 4
UNITS = 20
# What is kept of each trained network, in this order.
COLUMNS = "objective", "cost", "misfit", "ratio", "degrees"


@dataclass(frozen=True)
class Way:
    """One way to train: what is minimised, how, and from how many seeds."""

    objective: Objective
    recipe: Recipe
    seeds: int


_PLAIN = Recipe(20_000, 0.01, spread=False)
_STOCHASTIC = Recipe(
    200_000,
    0.1,
    optimiser="gradient descent",
    schedule="constant",
    batch_size=5,
    spread=False,
)
WAYS = {
    "plain": Way(Objective.ongie_willett_2022(1e-4), _PLAIN, 48),
    # The same squares over L, and those of the biases with them.
    "biases": Way(Objective.jacot_2023(1e-4), _PLAIN, 48),
    "stochastic": Way(Objective.ongie_willett_2022(1e-3), _STOCHASTIC, 12),
}


def two_layer(net: Any) -> TwoLayer:
    """The same function with one inner matrix."""
    return net if isinstance(net, TwoLayer) else net.collapsed()


def facts(
    found: Ensemble, X: Float[np.ndarray, "n 2"], y: Float[np.ndarray, " n"]
) -> dict[str, Float[np.ndarray, " seeds"]]:
    """Of each network: objective / strength, cost, largest error, and how its units look.

    ratio: of the singular values of D_a W, zero if all units look along one line; degrees: the
    angle of that line, or of the one nearest to the units.
    """
    rows = []
    for member, net in zip(found.members, found.networks, strict=True):
        task, flat = member.objective, two_layer(net)
        _, sizes, lines = np.linalg.svd(flat.a[:, None] * flat.W)
        degrees = np.rad2deg(np.arctan2(lines[0, 1], lines[0, 0])) % 180
        misfit = np.abs(flat(X) - y).max()
        objective = task.value(net, X, y) / task.strength
        rows.append((objective, task.cost(net), misfit, sizes[1] / sizes[0], degrees))
    return dict(zip(COLUMNS, np.transpose(rows), strict=True))


def quick(
    X: Float[np.ndarray, "n 2"],
    y: Float[np.ndarray, " n"],
    depth: int,
    steps: int,
    seeds: range,
    *,
    device: str | Device = "cpu",
) -> Ensemble:
    """Shorter runs than those of `WAYS`: narrow linear layers, strength a hundred times as large
    at first, each unit's weights balanced every 100 steps."""
    recipe = Recipe(steps, 0.02, annealing=100.0, annealed=0.8, rebalance_every=100)
    shape = Architecture.linear_layers(2, UNITS, depth)
    return train(shape, (X, y), Objective.ongie_willett_2022(1e-4), recipe, seeds, device=device)


def compute(
    seed: int = 0,
    ways: Mapping[str, Way] = WAYS,
    *,
    device: str | Device = "cpu",
) -> dict[str, np.ndarray]:
    """Arrays way-L-column of all seeds, and way-L-best: rows (W, a, b, c) of the best network."""
    X, y = two_rays()
    kept = {}
    for name, way in ways.items():
        seeds = range(seed, seed + way.seeds)
        for L in DEPTHS:
            # Linear layers as wide as the ReLU layer, which costs no more than narrow ones.
            shape = Architecture.linear_layers(2, UNITS, L, linear_width=UNITS)
            found = train(shape, (X, y), way.objective, way.recipe, seeds, device=device)
            columns = facts(found, X, y)
            kept |= {f"{name}-{L}-{column}": values for column, values in columns.items()}
            best = two_layer(found.best)
            rows = best.W, best.a, best.b, np.full(best.width, best.c)
            kept[f"{name}-{L}-best"] = np.column_stack(rows)
    return kept


def network(rows: Float[np.ndarray, "units 5"]) -> TwoLayer:
    """The network of which `compute` kept these rows."""
    return TwoLayer(rows[:, :2], rows[:, 2], rows[:, 3], rows[0, 4])
