"""Gradient flow on linear networks with weight decay, and what their layers receive on the way.

Item 2 of section 3.1 of Jacot et al. (2022): at the end the covariances of the hidden layers follow
from those of the inputs and of the outputs by a formula. Written out here, since a linear layer is
no activation of `repcost.train`. The flow, not descent: no step is small enough for all data.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from scipy.integrate import solve_ivp

Layer = Float[np.ndarray, "n _"]


@dataclass(frozen=True, eq=False)
class LinearPath:
    """at: times at which it was looked at; layers: what the layers received then, Z_1 to Z_L.

    weights: at the end, each (in, out), without biases.
    """

    at: Float[np.ndarray, " looks"]
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
    time: float = 300.0,
    looks: int = 21,
) -> LinearPath:
    """Gradient flow on |X W_1 ... W_L - Y|^2 / N + decay sum |W_l|^2 from entries of size one half.

    widths: of the hidden layers. For any data, W_l^T W_l - W_{l+1} W_{l+1}^T decays as
    exp(-4 decay t): at the usual time 4e-11 of it is left.

    >>> path = linear_path(np.eye(2), np.eye(2), [2], np.random.default_rng(0))
    >>> np.linalg.svd(path.outputs)[1].round(6).tolist()  # one, less N times the decay
    [0.96, 0.96]
    """
    sizes = (X.shape[1], *widths, Y.shape[1])
    start = [0.5 * rng.normal(size=shape) for shape in pairwise(sizes)]

    def velocity(_: float, flat: np.ndarray) -> np.ndarray:
        return -_joined(_slopes(X, Y, _apart(flat, sizes), decay))

    at = np.linspace(0, time, looks)
    # Stiff: the error bends by X^T X, the penalty by `decay` only. LSODA notices.
    flow = solve_ivp(velocity, (0, time), _joined(start), "LSODA", at, rtol=1e-10, atol=1e-12)
    if not flow.success:
        raise ValueError(f"X and Y cannot be followed to time {time:g}; scale them to size one")
    seen = [_apart(flat, sizes) for flat in flow.y.T]
    return LinearPath(at, [_layers(X, W) for W in seen], seen[-1])


def _joined(W: Sequence[np.ndarray]) -> Float[np.ndarray, " weights"]:
    return np.concatenate([V.ravel() for V in W])


def _apart(flat: Float[np.ndarray, " weights"], sizes: Sequence[int]) -> list[np.ndarray]:
    shapes = list(pairwise(sizes))
    ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]
    return [V.reshape(shape) for V, shape in zip(np.split(flat, ends), shapes, strict=True)]


def _layers(X: Layer, W: Sequence[np.ndarray]) -> list[Layer]:
    found = [X]
    for V in W:
        found.append(found[-1] @ V)
    return found[1:]


def _slopes(X: Layer, Y: Layer, W: Sequence[np.ndarray], decay: float) -> list[np.ndarray]:
    """The derivative by each layer's weights, by the chain rule from the last to the first."""
    layers = _layers(X, W)
    back = 2 * (layers[-1] - Y) / len(X)
    slopes = []
    for below, V in zip(reversed([X, *layers[:-1]]), reversed(W), strict=True):
        # Of the error by the weights, and of the penalty.
        slopes.append(below.T @ back + 2 * decay * V)
        back = back @ V.T
    return slopes[::-1]
