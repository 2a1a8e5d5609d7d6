"""Figure 3, B and C, of Jacot (2023): autoencoders of a curve in the plane, shallow and deep."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float

from repcost.balance import rebalance
from repcost.constructions.chains import chained
from repcost.datasets import off_sine_curve, on_sine_curve, sine_curve
from repcost.deep_networks import DeepNet
from repcost.devices import Device
from repcost.experiments.arrays import Named, mean_square, tables
from repcost.training import Architecture, Objective, Recipe, train

DEPTHS, STRENGTHS = (2, 3, 6, 9), (1e-4, 3e-4, 1e-3, 3e-3)
NOISE = 0.2  # in each coordinate
# Where Jacobians are taken: on the curve, away from its ends.
PLACES = np.linspace(-0.9, 0.9, 37)
SHOWN = 60  # inputs beside the curve of which the figure shows where they go

Points = Float[np.ndarray, "n 2"]


@cache
def clean_and_noisy(count: int = 2000) -> tuple[Points, Points]:
    """Other points of the curve than those of the training, without and with noise.

    >>> clean, noisy = clean_and_noisy(4)
    >>> clean.shape, noisy.shape
    ((4, 2), (4, 2))
    """
    clean = sine_curve(count, seed=7)
    return clean, clean + NOISE * np.random.default_rng(8).normal(size=clean.shape)


def ridges(depth: int) -> tuple[float, ...]:
    """What |W|^2 is multiplied by: each of `STRENGTHS`, and the first of them over the depth.

    The caption of the figure has a "ridge" of 1e-4, Section 4 of the paper a strength over L.

    >>> ridges(2)
    (0.0001, 0.0003, 0.001, 0.003, 5e-05)
    """
    return (*STRENGTHS, STRENGTHS[0] / depth)


def distance_left(net) -> float:
    """The root mean square distance of the outputs to the curve, over that of the noisy inputs."""
    _, noisy = clean_and_noisy()
    return off_sine_curve(net(noisy)) / off_sine_curve(noisy)


def error_left(outputs: Points) -> float:
    """The root mean square distance of outputs to the clean points, over that of the noisy ones.

    >>> error_left(clean_and_noisy()[1]), error_left(clean_and_noisy()[0])
    (1.0, 0.0)
    """
    clean, noisy = clean_and_noisy()
    return float(np.sqrt(mean_square(outputs - clean)) / np.sqrt(mean_square(noisy - clean)))


def identity_network(depth: int) -> DeepNet:
    """The identity on the box of the data, of two units a layer, as cheap as rescaling makes it.

    A rival of what is trained: it fits perfectly, and projects nothing.

    >>> net = identity_network(4)
    >>> net.widths, bool(np.allclose(net(sine_curve()), sine_curve()))
    ((2, 2, 2, 2, 2), True)
    """
    plain = DeepNet([np.eye(2)], [[0.0, 0.0]])
    return rebalance(chained(plain, plain, -sine_curve().min(axis=0), identities=depth - 2))


def compute(
    seeds: Sequence[int],
    depths: Sequence[int] = DEPTHS,
    *,
    width: int = 100,
    steps: int = 3000,
    device: str | Device = "cpu",
) -> Named:
    """Each measure of `MEASURES` for ridges x seeds, by the names "measure_depth"."""
    X = sine_curve()
    recipe = Recipe(steps, 3e-3, annealing=100.0, annealed=0.6, spread=False, dtype="float32")
    found = {}
    for L in depths:
        deep = Architecture.deep((2, *[width] * (L - 1), 2))
        objectives = [Objective.jacot_2023(each, per_layer=False) for each in ridges(L)]
        nets = train(deep, (X, X), objectives, recipe, seeds, device=device).networks
        for name, values in tables(nets, (len(objectives), len(seeds)), MEASURES).items():
            found[f"{name}_{L}"] = values.astype(np.float32)
    return found


# miss: the loss on the training points; off, wrong: what is left of the distance and of the error.
MEASURES = {
    "miss": lambda net: mean_square(net(sine_curve()) - sine_curve()),
    "norm": lambda net: net.squared_norm / net.depth,
    "off": distance_left,
    "wrong": lambda net: error_left(net(clean_and_noisy()[1])),
    "jacobian": lambda net: net.jacobians(on_sine_curve(PLACES)),
    "moved": lambda net: net(clean_and_noisy()[1][:SHOWN]),
}
