"""Engines with members of every kind, and the same objective written down plainly for autograd."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import torch

from repcost import Architecture, Objective, Recipe
from repcost.training.batches import Batches
from repcost.training.engine import Engine
from repcost.training.initialisation import initial_weights
from repcost.training.layouts import Layout, fill
from repcost.training.members import MemberArrays

ARCHITECTURES = {
    "two layers": [Architecture.two_layer(5)],
    # Width 1: products with a single row or column take another way.
    "three widths": [Architecture.two_layer(width, inputs=3, outputs=2) for width in (1, 4, 7)],
    "deep": [Architecture.deep((2, 4, 3, 5, 2)), Architecture.deep((2, 3, 3, 3, 2))],
    "leaky": [Architecture.deep((2, 4, 3, 2), negative_slope=0.3)],
    # Below zero these units go up again; the derivative changes its sign at the kink.
    "folding": [Architecture.deep((2, 4, 3, 2), negative_slope=-0.5)],
    "without biases": [Architecture.deep((3, 4, 4, 2), biases=False)],
    "linear layers": [Architecture.linear_layers(3, 6, 5), Architecture.linear_layers(3, 4, 5)],
    # Wider than their inputs, as nobody needs, but as anybody may ask.
    "wide linear layers": [Architecture.linear_layers(2, 6, 3, linear_width=5)],
    "side by side": [
        Architecture.parallel(3, (2, 4, 4, 2)),
        Architecture.parallel(3, (2, 1, 4, 2)),
    ],
}
OBJECTIVES: dict[str, Any] = {
    "savarese": Objective.savarese_2019,
    "ongie-willett": Objective.ongie_willett_2022,
    # With beta = 1/2 a bias costs four times what a weight does.
    "jacot 2022": lambda s: Objective.jacot_2022(s, bias=0.5),
    "jacot 2023": Objective.jacot_2023,
    "classes": lambda s: Objective.jacot_2022(s, loss="cross-entropy"),
}
CASES = [
    (kind, name)
    for kind in ARCHITECTURES
    for name in OBJECTIVES
    if name != "classes" or ARCHITECTURES[kind][0].widths[-1] > 1
]
# Not in order, so that members that are mixed up are seen.
STRENGTHS = (0.1, 0.02, 0.3)


@dataclass(frozen=True)
class Task:
    """What a member of an engine is made of, to be computed again by other means."""

    architecture: Architecture
    objective: Objective
    arrays: MemberArrays


@dataclass(frozen=True, eq=False)
class Started:
    """An engine at known weights; X and Y are what a user gives."""

    engine: Engine
    tasks: list[Task]
    X: np.ndarray
    Y: np.ndarray

    def values(self) -> np.ndarray:
        """The objectives on all points, by the engine."""
        passes, whole = self.engine.passes, self.engine.batches.whole
        return passes.objectives(passes.outputs(whole), whole.Y)

    def differentiate(self, **how: float) -> np.ndarray:
        """The objectives on all points; the gradient is filled."""
        passes, whole = self.engine.passes, self.engine.batches.whole
        return passes.objectives(passes.differentiate(whole, **how), whole.Y)

    def gradients(self) -> list[MemberArrays]:
        return self.engine.layout.member_views(self.engine.passes.gradient.numpy())


def started(kind: str, name: str, n: int = 7, device: str = "cpu") -> Started:
    """A member per architecture of the kind and per strength."""
    architectures = ARCHITECTURES[kind]
    objectives = [OBJECTIVES[name](strength) for strength in STRENGTHS]
    X, Y = some_data(architectures[0], objectives[0], n)
    layout = Layout(tuple(architectures), len(objectives))
    targets = objectives[0].targets(Y, architectures[0].widths[-1])
    batches = Batches(X, targets, bias=architectures[0].has_bias(0), device=device)
    tasks = [
        Task(architecture, objective, first_weights(architecture, seed, X))
        for architecture, (seed, objective) in product(architectures, enumerate(objectives))
    ]
    engine, flat = Engine(layout, objectives, batches), np.zeros(layout.size)
    for views, task in zip(layout.member_views(flat), tasks, strict=True):
        fill(views, task.arrays)
    engine.optimiser.start(flat)
    return Started(engine, tasks, X, Y)


def some_data(
    architecture: Architecture, objective: Objective, n: int
) -> tuple[np.ndarray, np.ndarray]:
    rng, outputs = np.random.default_rng(0), architecture.widths[-1]
    X = rng.normal(size=(n, architecture.widths[0]))
    if objective.loss == "cross-entropy":
        return X, rng.integers(outputs, size=n)
    return X, rng.normal(size=(n, outputs))


def first_weights(architecture: Architecture, seed: int, X: np.ndarray) -> MemberArrays:
    """Biases too, so that nothing is zero."""
    # Initial biases are zero where they are not spread, and the wrong price of zero is right.
    return [array + 0.1 for array in initial_weights(architecture, Recipe(), seed, X)]


def by_autograd(task: Task, X: np.ndarray, Y: np.ndarray) -> tuple[float, list[np.ndarray]]:
    """The objective written down plainly, one network at a time, and its gradient."""
    architecture, objective = task.architecture, task.objective
    leaves = [torch.tensor(array, requires_grad=True) for array in task.arrays]
    outputs, squares = _plainly(architecture, objective, leaves, torch.tensor(X))
    if objective.loss == "squared":
        loss = ((outputs - torch.tensor(Y)) ** 2).sum()
    else:
        loss = torch.nn.functional.cross_entropy(outputs, torch.tensor(Y), reduction="sum")
    loss = loss / len(X) if objective.mean else loss
    value = loss + objective.strength * objective.factor(architecture.depth) * squares
    value.backward()
    return value.item(), [leaf.grad.numpy() for leaf in leaves if leaf.grad is not None]


def _plainly(
    architecture: Architecture, objective: Objective, leaves: Sequence[torch.Tensor], H
) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs, and the sum of squares that are paid for."""
    squares, left = torch.tensor(0.0), iter(leaves)
    for layer in range(architecture.depth):
        W = next(left)
        H, squares = H @ W, squares + (W**2).sum()
        if architecture.has_bias(layer):
            b = next(left)
            H, squares = H + b, squares + objective.bias_price * (b**2).sum()
        # By its definition, not by `is_linear`, which the engine asks as well.
        if layer >= architecture.linear and layer < architecture.depth - 1:
            H = torch.where(H > 0, H, architecture.activation.negative_slope * H)
    return (H.sum(0) if H.ndim == 3 else H), squares
