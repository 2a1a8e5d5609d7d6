"""Problems of any size, from a generator: the arguments of what is measured."""

from typing import Any

import numpy as np

from repcost import Architecture, Objective, Recipe, TwoLayer, train
from repcost.datasets import random_network

Arguments = tuple[Any, ...]


def units(rng: np.random.Generator, n: int, d: int = 1) -> Arguments:
    return (TwoLayer(rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=n)),)


def pairs(rng: np.random.Generator, n: int) -> Arguments:
    """Two units on each kink, which point away from each other."""
    kinks = np.repeat(rng.normal(size=n // 2), 2) * np.tile([1, -1], n // 2)
    return (TwoLayer(np.tile([[1.0], [-1.0]], (n // 2, 1)), rng.normal(size=n), kinks),)


def line(rng: np.random.Generator, n: int) -> Arguments:
    return rng.uniform(0, 10, n), rng.normal(size=n)


def cloud(rng: np.random.Generator, n: int, d: int = 2) -> Arguments:
    return rng.normal(size=(n, d)), rng.normal(size=n)


def wide(rng: np.random.Generator, *widths: int) -> Arguments:
    """A network, and the cube that it is looked at in."""
    return random_network(*widths, rng=rng), ([-1.0] * widths[0], [1.0] * widths[0])


def layer(rng: np.random.Generator, n: int) -> Arguments:
    return rng.normal(size=(n, 50)), rng.normal(size=(n, n + 1)), rng.normal(size=(n, 3))


def two_hundred_steps(width: int) -> Any:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(10, 1)), rng.normal(size=(10, 1))
    recipe = Recipe(200, 1e-3, "constant", log_every=200)
    objective = Objective.ongie_willett_2022(1e-5)
    return train(Architecture.two_layer(width), data, objective, recipe, range(64))
