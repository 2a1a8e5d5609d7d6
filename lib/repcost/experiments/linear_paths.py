"""Gradient descent on linear networks with weight decay, and what their layers receive on the way.

Item 2 of section 3.1 of Jacot et al. (2022): at the end the covariances of the hidden layers follow
from those of the inputs and of the outputs by a formula. Written out here, since a linear layer is
no activation of `repcost.train`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

Layer = Float[np.ndarray, "n _"]


@dataclass(frozen=True, eq=False)
class LinearPath:
    """at: steps at which it was looked at; layers: what the layers received then, Z_1 to Z_L.

    weights: at the end, each (in, out), without biases.
    """

    at: Sequence[int]
    # Layers differ in their numbers of units.
    layers: list[list[np.ndarray]]
    weights: list[np.ndarray]

    @property
    def outputs(self) -> Layer:
        """At the last look."""
        return self.layers[-1][-1]

    @property
    def squared_norm(self) -> float:
        return float(sum(np.sum(W**2) for W in self.weights))


def linear_path(
    X: Layer,
    Y: Layer,
    widths: Sequence[int],
    rng: np.random.Generator,
    *,
    decay: float = 0.02,
    rate: float = 0.04,
    steps: int = 6000,
    every: int = 300,
) -> LinearPath:
    """Descent on |X W_1 ... W_L - Y|^2 / N + decay sum |W_l|^2 from entries of size one half.

    widths: of the hidden layers. The path is looked at after 0, every, ..., steps steps.

    >>> path = linear_path(np.eye(2), np.eye(2), [2], np.random.default_rng(0))
    >>> np.linalg.svd(path.outputs)[1].round(6).tolist()  # one, less N times the decay
    [0.96, 0.96]
    """
    sizes = (X.shape[1], *widths, Y.shape[1])
    W = [0.5 * rng.normal(size=shape) for shape in pairwise(sizes)]
    seen = []
    for step in range(steps + 1):
        # Looked at before the step: `weights` are one step further than the last look.
        layers = _layers(X, W)
        if step % every == 0:
            seen.append(layers)
        _descend(X, Y, W, layers, decay, rate)
    return LinearPath(range(0, steps + 1, every), seen, W)


def _layers(X: Layer, W: Sequence[np.ndarray]) -> list[Layer]:
    found = [X]
    for V in W:
        found.append(found[-1] @ V)
    return found[1:]


def _descend(X: Layer, Y: Layer, W: list, layers: list[Layer], decay: float, rate: float) -> None:
    """One step of all weights, in place, by the chain rule from the last layer to the first."""
    back = 2 * (layers[-1] - Y) / len(X)
    below = [X, *layers[:-1]]
    for i in reversed(range(len(W))):
        # Of the error by the weights, and of the penalty.
        slope = below[i].T @ back + 2 * decay * W[i]
        back, W[i] = back @ W[i].T, W[i] - rate * slope
