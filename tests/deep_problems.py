"""The networks of `example_networks` as formulas, with bounds of what a layer of them costs as the
depth grows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from repcost import DeepNet
from repcost.datasets.examples import Example, cross_network, example_networks


@dataclass(frozen=True, eq=False)
class DeepProblem:
    """bounds[L] = (lower, upper) of R(f; L) / L; ranks = (Jacobian, bottleneck)."""

    name: str
    example: Example
    function: Callable[[np.ndarray], np.ndarray]
    bounds: dict[int, tuple[float, float]]

    def __str__(self) -> str:
        return self.name

    @property
    def network(self) -> DeepNet:
        return self.example.network

    @property
    def domain(self) -> tuple:
        return self.example.domain

    @property
    def ranks(self) -> tuple[int, int]:
        return self.example.jacobian_rank, self.example.bottleneck_rank


def _tent(x: np.ndarray) -> np.ndarray:
    return np.minimum(2 * x, 2 - 2 * x)


def _bent_mean(X: np.ndarray) -> np.ndarray:
    t = X.mean(1)
    return np.stack([t, np.abs(t), np.maximum(t - 0.5, 0)], axis=1)


def _bent_plane(X: np.ndarray) -> np.ndarray:
    s, t = (X[:, :2] + X[:, 2:]).T / 2
    return np.stack([np.abs(s), t, np.maximum(s + t, 0)], axis=1)


def _cross(X: np.ndarray) -> np.ndarray:
    """Everything moves to the nearer diagonal: a map onto a cross, which no line can be mapped
    onto.
    """
    return np.abs(X).min(1, keepdims=True) * np.sign(X)


CROSS = cross_network()
SQUARE, CUBE = ([-1.0, -1.0], [1.0, 1.0]), ([-1.0] * 3, [1.0] * 3)

_KNOWN = {
    "tent": (
        _tent,
        {4: (1.4142, 2.9058), 16: (1.0905, 1.4057), 64: (1.0219, 1.0984), 256: (1.00543, 1.02444)},
    ),
    "tent of tent": (
        lambda X: _tent(_tent(X)),
        {4: (2, 6.4565), 16: (1.1892, 1.7201), 64: (1.0443, 1.1612), 256: (1.0109, 1.0393)},
    ),
    "diagonal": (
        lambda X: X * [2, 0.5],
        {
            4: (2.12132, 2.12132),
            16: (2.007512, 2.007512),
            64: (2.000469, 2.000469),
            256: (2.000029, 2.000029),
        },
    ),
    "identity": (
        lambda X: X,
        {4: (1, 1.4392), 16: (1, 1.1068), 64: (1, 1.0265), 256: (1, 1.00662)},
    ),
    "absolute value": (
        np.abs,
        {4: (1, 1.4142), 16: (1, 1.0905), 64: (1, 1.0219), 256: (1, 1.00543)},
    ),
    "bent mean": (_bent_mean, {4: (1, 3.8572), 16: (1, 1.6755), 64: (1, 1.1672), 256: (1, 1.0417)}),
    "bent plane": (
        _bent_plane,
        {4: (1.9319, 5.2259), 16: (1.9690, 2.7675), 64: (1.9913, 2.1901), 256: (1.9978, 2.0474)},
    ),
    "cross": (
        _cross,
        {4: (1.1892, 6.4907), 16: (1.0443, 2.7416), 64: (1.0109, 2.1700), 256: (1.0027, 2.0416)},
    ),
}

DEEP = [DeepProblem(name, example, *_KNOWN[name]) for name, example in example_networks().items()]
