"""Figure 2, left, of Jacot et al. (2022): how the loss on digits falls with the width."""

from collections.abc import Sequence
from time import process_time

import numpy as np
from jaxtyping import Float, Int

from repcost.datasets import mnist_subset
from repcost.devices import Device
from repcost.training import Architecture, Objective, Recipe, train

WIDTHS = np.array([2, 4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100])
STRENGTHS = 1e-3, 1e-4
POINTS = 1000

# Two sets of images have different numbers of them.
Labelled = tuple[Float[np.ndarray, "_ r"], Int[np.ndarray, " _"]]
Table = Float[np.ndarray, "widths strengths"]


def points_in_their_span(count: int = POINTS) -> tuple[Labelled, Labelled]:
    """So many digits to train with, and all test digits, in coordinates of the span of the first.

    What lies outside the span is not seen in training, and weight decay makes it nothing.

    >>> (X, labels), (test, _) = points_in_their_span(30)
    >>> X.shape, test.shape
    ((30, 30), (1000, 30))
    """
    found = mnist_subset()
    X, labels = found.train_images[:count], found.train_labels[:count]
    _, s, V = np.linalg.svd(X, full_matrices=False)
    # Directions below this are rounding: images that are combinations of others.
    Q = V[s > 1e-9 * s[0]].T
    return (X @ Q, labels), (found.test_images @ Q, found.test_labels)


def compute(
    seed: int,
    widths: Sequence[int],
    steps: int,
    points: int = POINTS,
    *,
    device: str | Device = "cpu",
) -> tuple[Table, Table, Table, float]:
    """Objectives, test losses and shares of mistakes, widths x strengths; and the CPU seconds."""
    begun, (data, test) = process_time(), points_in_their_span(points)
    trained = train(
        [Architecture.deep((data[0].shape[1], width, width, 10)) for width in widths],
        data,
        [Objective.jacot_2022(each, loss="cross-entropy") for each in STRENGTHS],
        Recipe(steps, 5e-3, batch_size=250, gain=2**0.5, spread=False, dtype="float32"),
        [seed],
        device=device,
    )
    # Test losses without the penalty.
    plain = Objective.jacot_2022(0.0, loss="cross-entropy")
    tests = [plain.data_loss(net, *test) for net in trained.networks]
    mistakes = [np.mean(net(test[0]).argmax(1) != test[1]) for net in trained.networks]
    columns = trained.objectives, tests, mistakes
    objectives, tests, mistakes = (np.reshape(each, trained.shape[:2]) for each in columns)
    return objectives, tests, mistakes, process_time() - begun
