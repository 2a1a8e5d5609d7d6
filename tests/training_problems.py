"""Small things to train, a thread to train them on, and what makes two runs the same."""

from collections.abc import Iterator

import numpy as np
import torch

from repcost import Architecture, Objective, Recipe
from repcost.datasets import ten_points
from repcost.training import Ensemble

# For bookkeeping; for strengths that polishing finishes; for weak ones, which descend slowly.
SHORT = Recipe(steps=60, log_every=20)
LINE = Recipe(steps=2000, learning_rate=0.03, polish=1000)
WEAK = Recipe(steps=3000, learning_rate=0.03, rebalance_every=100, polish=1000)
TEN = ten_points()
# Fewer points, so that exact solvers and L-BFGS take no time.
FOUR = np.array([-1.0, -0.3, 0.4, 1.0]), np.array([0.5, -0.5, 0.7, 0.0])
TWENTY = Architecture.two_layer(20)
SAVARESE = Objective.savarese_2019(0.01)


def on_one_thread() -> Iterator[None]:
    """To be made a fixture: steps this small are much slower on two threads of a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def same_bits(one: Ensemble, other: Ensemble) -> None:
    assert one.logged.tobytes() == other.logged.tobytes()
    assert one.objectives.tobytes() == other.objectives.tobytes()
    assert (one.looked == other.looked).all() and (one.diverged == other.diverged).all()
    for ours, theirs in zip(one.networks, other.networks, strict=True):
        for name in "Wab":
            assert getattr(ours, name).tobytes() == getattr(theirs, name).tobytes()
