"""Figure 2, right, of Jacot et al. (2022): students of a teacher whose width is known."""

from collections.abc import Sequence
from time import process_time

import numpy as np

from repcost.balance import rebalance
from repcost.datasets import taught
from repcost.devices import Device
from repcost.experiments.arrays import Named
from repcost.training import Architecture, Objective, Recipe, polish_network, train

WIDTHS = np.array([2, 4, 6, 8, 9, 10, 11, 12, 15, 20, 30, 50])
TASK = Objective.jacot_2022(1e-6)
# With a sixth of these steps no student comes near the teacher, of any width.
RECIPE = Recipe(
    60_000, 1e-2, batch_size=100, polish=1500, gain=2**0.5, spread=False, dtype="float32"
)


def compute(
    seeds: Sequence[int],
    widths: Sequence[int] = tuple(WIDTHS.tolist()),
    recipe: Recipe = RECIPE,
    points: int = 1000,
    *,
    device: str | Device = "cpu",
) -> Named:
    """Students by width and seed, on the points and on new ones, and where the teacher leads to.

    values, data_loss, test: (widths, seeds). from_teacher: the objective that L-BFGS reaches from
    the balanced teacher. seconds: of the CPU.
    """
    begun, (X, Y, teacher) = process_time(), taught(points)
    shapes = [
        Architecture.deep((teacher.widths[0], width, width, teacher.widths[-1])) for width in widths
    ]
    trained = train(shapes, (X, Y), TASK, recipe, seeds, device=device)
    # From the distribution of the points of `taught`.
    fresh = np.random.default_rng(1).normal(size=X.shape)
    shape = len(widths), len(seeds)

    def losses(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        return np.reshape([TASK.data_loss(net, X, Y) for net in trained.networks], shape)

    led = polish_network(rebalance(teacher), (X, Y), TASK, 1500)
    return {
        "widths": np.array(widths),
        "values": trained.objectives.reshape(shape),
        "data_loss": losses(X, Y),
        "test": losses(fresh, teacher(fresh)),
        "from_teacher": np.array(TASK.value(led, X, Y)),
        "seconds": np.array(process_time() - begun),
    }
