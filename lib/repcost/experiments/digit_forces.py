"""Figure 1 of Jacot et al. (2022): networks that tell three digits apart, at a stable point."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from repcost.datasets import mnist_subset
from repcost.deep_networks import DeepNet
from repcost.devices import Device
from repcost.experiments.arrays import Named
from repcost.training import Architecture, Objective, Recipe, train

DIGITS, EACH = (7, 8, 9), 14
TASK = Objective.jacot_2022(0.005, loss="cross-entropy")
# Plain gradient descent, since the question is at which points it can stay.
RECIPE = Recipe(20_000, 0.2, optimiser="gradient descent", gain=np.sqrt(2), spread=False)


def points_and_labels() -> tuple[Float[np.ndarray, "n r"], Int[np.ndarray, " n"]]:
    """14 images of each digit in coordinates of their span, which has as many dimensions as images.

    >>> points, labels = points_and_labels()
    >>> points.shape, np.bincount(labels).tolist()
    ((42, 42), [14, 14, 14])
    """
    digits = mnist_subset()
    chosen = [np.flatnonzero(digits.train_labels == digit)[:EACH] for digit in DIGITS]
    images = digits.train_images[np.concatenate(chosen)]
    # Q of a QR of the transposed images: an orthonormal basis of their span.
    return images @ np.linalg.qr(images.T)[0], np.repeat(np.arange(len(DIGITS)), EACH)


def compute(
    seeds: Sequence[int],
    recipe: Recipe = RECIPE,
    width: int = 50,
    *,
    device: str | Device = "cpu",
) -> Named:
    """Weights and biases of networks with two hidden layers: part-0, ..., part-5, a row a seed."""
    data = points_and_labels()
    shape = Architecture.deep((data[0].shape[1], width, width, len(DIGITS)))
    found = train(shape, data, TASK, recipe, seeds, device=device)
    parts = [(*net.weights, *net.biases) for net in found.networks]
    stacked = zip(*parts, strict=True)
    return {f"part-{i}": np.array(part, dtype=np.float32) for i, part in enumerate(stacked)}


def networks(arrays) -> list[DeepNet]:
    """The networks again, from what `compute` returned or a file kept of it."""
    parts = [arrays[f"part-{i}"].astype(float) for i in range(6)]
    return [DeepNet(each[:3], each[3:]) for each in zip(*parts, strict=True)]
