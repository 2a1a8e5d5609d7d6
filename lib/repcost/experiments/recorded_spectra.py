"""What is read off the singular values that `deep_spectra` records, and their picture.

Of the last axis the entries are singular values, falling. Where only the first are recorded, each
of the others is counted as large as the last recorded one, which no other exceeds.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.datasets import taught_rank_five
from repcost.deep_networks import DeepNet
from repcost.devices import Device
from repcost.plotting import DEPTH, MINIMAL, TRAINED, WRONG
from repcost.training import Architecture, Objective, Recipe, train

Spectra = Float[np.ndarray, "... count"]

# The layers of each part that Section 4 of Jacot (2023) expects, and how it is drawn.
PARTS = {
    "first two": (slice(0, 2), DEPTH[4], ":"),
    "middle": (slice(2, 7), MINIMAL, "-"),
    "last three": (slice(7, 10), WRONG, "--"),
}


def variance_beyond(spectra: Spectra, rank: int, width: int) -> float:
    """The largest share of the variance that may lie beyond `rank` directions, of `width` in all.

    >>> variance_beyond(np.array([3.0, 1.0]), 1, 4)
    0.25
    """
    squares = np.square(spectra, dtype=float)
    others = (width - squares.shape[-1]) * squares[..., -1]
    return float(np.max((squares[..., rank:].sum(axis=-1) + others) / (squares.sum(-1) + others)))


def next_over_last(spectra: Spectra, rank: int) -> float:
    """The singular value after the first `rank` over the last of these, for the worst network.

    Networks first; if there are points behind them, the median over the points.

    >>> next_over_last(np.array([[4.0, 2.0, 1.0], [4.0, 2.0, 0.0]]), 2)
    0.5
    """
    ratios = spectra[..., rank] / spectra[..., rank - 1]
    return float(np.max(np.median(ratios.reshape(len(ratios), -1), axis=1)))


def off_equal(spectra: Spectra, count: int) -> float:
    """How far these are from `count` equal singular values and no more, the worst of all.

    >>> off_equal(np.array([2.0, 1.8, 0.1]), 2)
    0.09999999999999998
    """
    unequal = 1 - spectra[..., count - 1] / spectra[..., 0]
    more = spectra[..., count] / spectra[..., count - 1]
    return float(np.max(np.maximum(unequal, more)))


def draw_spectra(axes: np.ndarray, recorded: Mapping[str, Any], starts: Sequence[int]) -> None:
    """A row of three panels for each start: layers, weights, and Jacobians at ten points."""
    for row, start in zip(axes, starts, strict=True):
        those = np.flatnonzero(recorded["annealing"] == start)
        for ax, name in zip(row, ("layers", "weights"), strict=False):
            for part, (layers, colour, line) in PARTS.items():
                drawn = recorded[name][those][:, layers].reshape(-1, 10)
                ax.plot(*_relative(drawn), line, color=colour, lw=0.9)
                ax.plot([], [], line, color=colour, label=part)
        jacobians = recorded["jacobians"][those, :10].reshape(-1, 10)
        row[2].plot(*_relative(jacobians), color=TRAINED, lw=0.7)
        row[0].set_ylabel(f"start {start} times\n$s_i/s_1$")
    axes[0, 1].legend(fontsize=8, loc="lower left")
    for ax, title in zip(axes[0], ("A: layers", "B: weights", "C: Jacobians"), strict=True):
        ax.set(title=title, xticks=np.arange(1, 11))
    for ax in axes[-1]:
        ax.set(xlabel="i")


def small_networks(
    start: float, seeds: Sequence[int], steps: int, *, device: str | Device = "cpu"
) -> tuple[DeepNet, ...]:
    """Depth 6 and width 25, on 200 points of a teacher of eight variables that sees two directions.

    start: how many times as strong the weight decay is at first.
    """
    X, Y, _ = taught_rank_five(200, dimension=8, rank=2, width=20)
    recipe = Recipe(
        steps,
        3e-3,
        schedule="warm-up-stable-decay",
        annealing=start,
        annealed=0.6,
        batch_size=100,
        dtype="float32",
    )
    shape = Architecture.deep((8, *[25] * 5, 8))
    weak = Objective.jacot_2023(1e-3, per_layer=False)
    return train(shape, (X, Y), weak, recipe, seeds, device=device).networks


def _relative(spectra: Spectra) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(1, spectra.shape[-1] + 1), (spectra / spectra[:, :1]).T
