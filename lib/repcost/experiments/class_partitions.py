"""Figure 2 of Jacot (2023): how shallow and deep networks divide the plane among four classes."""

from collections.abc import Sequence

import numpy as np

from repcost.datasets import s_shapes
from repcost.deep_networks import DeepNet
from repcost.devices import Device
from repcost.experiments.arrays import Named
from repcost.regions import corners_on_grid, labels_on_grid, tripoints
from repcost.training import Architecture, Ensemble, Objective, Recipe, train

STRENGTHS = 0.0, 1e-3
OBJECTIVES = tuple(Objective.jacot_2023(each, loss="cross-entropy") for each in STRENGTHS)
HALF = 4.0  # of the window
DEPTHS = 2, 3, 4, 6, 9  # of the narrow ones


def compute(
    seeds: Sequence[int],
    narrow_seeds: Sequence[int],
    *,
    width: int = 100,
    narrow_width: int = 20,
    steps: int = 4000,
    narrow_steps: int = 1500,
    grid: int = 401,
    device: str | Device = "cpu",
) -> Named:
    """Wide networks of depths 2 and 9 without and with weight decay, narrow ones of five depths.

    Of the wide ones what a grid shows, by depth; of the shallow ones also weights and the exact
    tripoints, each with the number of its network. Of the narrow ones accuracies and tripoints.
    """
    found: Named = {}
    # The shallow ones are kept with all digits, as their tripoints are exact.
    for L in (2, 9):
        kind = "float64" if L == 2 else "float32"
        recipe = Recipe(steps, 2e-3, gain=0.58, spread=False, dtype=kind)
        trained = train(_shape(L, width), s_shapes(), OBJECTIVES, recipe, seeds, device=device)
        found |= {f"{name}_{L}": each for name, each in _on_grids(trained, L, grid).items()}
        if L == 2:
            found |= _exactly(trained)
    for L in DEPTHS:
        recipe = Recipe(narrow_steps, 0.04 / L)
        shape, task = _shape(L, narrow_width), OBJECTIVES[1]
        nets = train(shape, s_shapes(), task, recipe, narrow_seeds, device=device).networks
        found[f"narrow_accuracy_{L}"] = np.array([accuracy(net) for net in nets])
        found[f"narrow_{L}"] = np.array([len(tripoints(net, window())) for net in nets])
    return found


def window(half: float = HALF) -> tuple[list[float], list[float]]:
    """The square around zero, as the box that regions take."""
    return [-half, -half], [half, half]


def accuracy(net: DeepNet) -> float:
    """The share of the four S-shapes' points whose largest output is that of their class."""
    X, classes = s_shapes()
    return float(np.mean(net(X).argmax(1) == classes))


def _shape(depth: int, width: int) -> Architecture:
    return Architecture.deep((2, *[width] * (depth - 1), 4))


def _on_grids(trained: Ensemble, L: int, n: int) -> Named:
    nets = trained.networks
    wide = [labels_on_grid(net, HALF, n) for net in nets]
    close = [labels_on_grid(net, HALF / 2, n) for net in nets]
    return {
        "accuracy": np.array([accuracy(net) for net in nets]),
        "norm": np.array([net.squared_norm / L for net in nets]),
        # Every second point of every second row is enough for the pictures.
        "labels": np.array([seen.labels[::2, ::2] for seen in wide]),
        "lead": np.array([seen.lead for seen in wide]),
        "seen": np.array([corners_on_grid(seen.labels) for seen in wide]),
        "seen_close": np.array([corners_on_grid(seen.labels) for seen in close]),
    }


def _exactly(trained: Ensemble) -> Named:
    """Weights, and rows (network, x, y) of all tripoints in the window."""
    points = [
        [place, *map(float, each.point)]
        for place, net in enumerate(trained.networks)
        for each in tripoints(net, window())
    ]
    weights = {f"W{i}": W for i, W in enumerate(trained.weights)}
    biases = {f"b{i}": b for i, b in enumerate(trained.biases)}
    return weights | biases | {"tripoints": np.reshape(points, (-1, 3))}
