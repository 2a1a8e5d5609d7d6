"""The points on the device where networks train, whole or in batches."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float


class Batch(NamedTuple):
    """Points and what is wanted there; X has a last column of ones if first layers have biases."""

    X: torch.Tensor
    Y: torch.Tensor


class Batches:
    """All points, and which of them a step sees: the same for every member and in every run."""

    def __init__(
        self,
        X: Float[np.ndarray, "n d"],
        Y: Float[np.ndarray, "n m"],
        *,
        bias: bool,
        dtype: str = "float64",
        device: str = "cpu",
    ):
        kind = {"dtype": getattr(torch, dtype), "device": device}
        # Biases of the first layers are weights of a constant input, the last column.
        ones = np.ones((len(X), int(bias)))
        self.whole = Batch(torch.tensor(np.hstack([X, ones]), **kind), torch.tensor(Y, **kind))
        # The order of one epoch is kept; engines that share the batches go through the same ones.
        self._epoch, self._order = -1, torch.zeros(0, device=device)

    def at(self, step: int, size: int | None) -> Batch:
        """Each pass through the points has an order of its own, which follows from the step alone.

        Points that do not fill a last batch wait for another pass.
        """
        X, Y = self.whole
        if size is None or size >= len(X):
            return self.whole
        epoch, place = divmod(step, len(X) // size)
        if self._epoch != epoch:
            # Seeded by the epoch alone: a run that starts again sees the same batches.
            permuted = np.random.default_rng(epoch).permutation(len(X))
            self._epoch, self._order = epoch, torch.as_tensor(permuted, device=X.device)
        chosen = self._order[place * size : (place + 1) * size]
        return Batch(X[chosen], Y[chosen])
