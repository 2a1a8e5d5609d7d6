"""Figure 1 of Jacot (2023): in how many directions deep networks see a function of five."""

from collections.abc import Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.datasets import taught_rank_five
from repcost.deep_networks import DeepNet
from repcost.devices import Device
from repcost.experiments.arrays import Named, in_single_precision, mean_square
from repcost.ranks.jacobian import jacobian_spectra
from repcost.representations.spectra import centred_spectra, handed_on
from repcost.training import Architecture, Ensemble, Objective, Recipe, train

RANK, SHOWN = 5, 10
OBJECTIVE = Objective.jacot_2023(2e-4, per_layer=False)
# How many times as strong the weight decay is at first, and the seeds that start so.
STARTS = {30: (0, 1, 2), 100: (0, 1), 300: (0, 1)}


def compute(
    starts: Mapping[int, Sequence[int]] = STARTS,
    *,
    steps: int = 20_000,
    depth: int = 10,
    width: int = 100,
    points: int = 2000,
    device: str | Device = "cpu",
) -> Named:
    """Networks from several starting strengths, one after another; arrays have a row for each."""
    X, Y, teacher = taught_rank_five(points)
    # Points that nobody was trained on.
    fresh = np.random.default_rng(1).normal(size=(100, X.shape[1]))
    shape = Architecture.deep((X.shape[1], *[width] * (depth - 1), Y.shape[1]))
    rows = []
    for annealing, seeds in starts.items():
        begun = process_time()
        recipe = _recipe(steps, annealing)
        trained = train(shape, (X, Y), OBJECTIVE, recipe, seeds, device=device)
        seconds = (process_time() - begun) / len(seeds)
        for place, net in enumerate(trained.networks):
            row = looked_at(net, X, Y, fresh, teacher(fresh), device=device)
            row |= _run(trained, place)
            rows.append(row | {"seconds": seconds, "annealing": annealing, "seed": seeds[place]})
    table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return in_single_precision(table, "layers", "weights", "jacobians", "middle", "logged")


def looked_at(
    net: DeepNet,
    X: Float[np.ndarray, "n d"],
    Y: Float[np.ndarray, "n m"],
    fresh: Float[np.ndarray, "k d"],
    truth: Float[np.ndarray, "k m"],
    rank: int = RANK,
    *,
    device: str | Device = "cpu",
) -> dict[str, Any]:
    """What the figures show of a network; it was not trained on `fresh`, where `truth` is right.

    layers, weights, jacobians, middle: the first ten singular values, of the centred layers, the
    weights, the Jacobians of the network and those of its first half at the fresh points. prices:
    of the layers. below: what Proposition 3 proves of the cost. bent, offset: `next_direction`.
    """
    half = net.depth // 2
    spectra = jacobian_spectra(net, fresh, device=device)
    bent, offset = next_direction(handed_on(net, X)[half], rank)
    middle = jacobian_spectra(first_layers(net, half), fresh, device=device)
    layers = zip(net.weights, net.biases, strict=True)
    return {
        "layers": [s[:SHOWN] for s in centred_spectra(net, X)[1:]],
        "weights": [np.linalg.svd(W, compute_uv=False)[:SHOWN] for W in net.weights],
        "jacobians": spectra[:, :SHOWN],
        "middle": middle[:, :SHOWN],
        "prices": [np.sum(W**2) + np.sum(b**2) for W, b in layers],
        "below": max(np.sum(s ** (2 / net.depth)) for s in spectra),
        "bent": bent,
        "offset": offset,
        "train": mean_square(net(X) - Y),
        "test": mean_square(net(fresh) - truth),
    }


def first_layers(net: DeepNet, count: int) -> DeepNet:
    """What the first `count` layers hand on, as a network whose last layer is the identity.

    >>> net = DeepNet([[[1.0]], [[5.0]]], [[-1.0], [0.0]])
    >>> first_layers(net, 1)([[0.0], [3.0]]).ravel().tolist()
    [0.0, 2.0]
    """
    width = net.widths[count]
    return net.with_layers(
        [*net.weights[:count], np.eye(width)], [*net.biases[:count], np.zeros(width)]
    )


def next_direction(H: Float[np.ndarray, "n units"], rank: int) -> tuple[float, float]:
    """What the direction after the first `rank` of the centred rows of H is made of.

    First the share of it that is a quadratic function of those before. Second the cosine of its
    angle to what of the mean those before do not have: a bias that lifts numbers above zero.

    >>> t = np.linspace(-1, 1, 21)
    >>> bent, cosine = next_direction(np.column_stack([10 * t, t**2]), 1)
    >>> round(bent, 9), round(cosine, 9)
    (1.0, 1.0)
    """
    mean = H.mean(axis=0)
    U, _, V = np.linalg.svd(H - mean, full_matrices=False)
    before, next_one = U[:, :rank], U[:, rank]
    pairs = [(i, j) for i in range(rank) for j in range(i, rank)]
    products = [before[:, i] * before[:, j] for i, j in pairs]
    F = np.column_stack([np.ones(len(H)), before, *products])
    # What a constant, those before and their products leave of it.
    left = next_one - F @ np.linalg.lstsq(F, next_one, rcond=None)[0]
    # Of the mean, what is not in the first directions.
    rest = mean - V[:rank].T @ (V[:rank] @ mean)
    cosine = abs(V[rank] @ rest) / np.linalg.norm(rest)
    return float(1 - left @ left / (next_one @ next_one)), float(cosine)


def _recipe(steps: int, annealing: float) -> Recipe:
    return Recipe(
        steps,
        1e-3,
        schedule="warm-up-stable-decay",
        annealing=annealing,
        annealed=0.6,
        batch_size=200,
        dtype="float32",
        log_every=500,
    )


def _run(trained: Ensemble, place: int) -> dict[str, Any]:
    return {
        "objective": trained.objectives[place],
        "logged": trained.logged[:, place],
        "looked": trained.looked,
    }
