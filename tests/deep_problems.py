"""The networks of `example_networks` as formulas, and what a layer of them costs as depth grows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from repcost import DeepNet
from repcost.datasets import Example, cross_network, example_networks

# R(f; L) / L from below and above, by depth L.
PerLayer = Mapping[int, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class DeepProblem:
    """ranks = (Jacobian, bottleneck)."""

    name: str
    example: Example
    function: Callable[[np.ndarray], np.ndarray]
    bounds: PerLayer

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


def _tent_of_tent(x: np.ndarray) -> np.ndarray:
    """A sawtooth of two teeth."""
    return 1 - np.abs(1 - (4 * x % 2))


def _bent_mean(X: np.ndarray) -> np.ndarray:
    t = X.mean(1)
    return np.stack([t, np.abs(t), np.maximum(t - 0.5, 0)], axis=1)


def _bent_plane(X: np.ndarray) -> np.ndarray:
    s, t = (X[:, :2] + X[:, 2:]).T / 2
    return np.stack([np.abs(s), t, np.maximum(s + t, 0)], axis=1)


def _cross(X: np.ndarray) -> np.ndarray:
    """Everything moves to the nearer diagonal: onto a cross, which no line can be mapped onto."""
    return np.abs(X).min(1, keepdims=True) * np.sign(X)


CROSS = cross_network()
SQUARE, CUBE = ([-1.0, -1.0], [1.0, 1.0]), ([-1.0] * 3, [1.0] * 3)

FUNCTIONS = {
    "identity": lambda X: X,
    "absolute value": np.abs,
    "tent": lambda X: np.minimum(2 * X, 2 - 2 * X),
    "tent of tent": _tent_of_tent,
    "bent mean": _bent_mean,
    "diagonal": lambda X: X * [2, 0.5],
    "bent plane": _bent_plane,
    "cross": _cross,
}
DEPTHS = (4, 16, 64, 256)
# By the singular values of a Jacobian, or by the steepest slopes up and down: 1 + 1 of |x|, 2 + 2
# of the tent, 4 + 4 of two tents; the matrix of the cross has the rows (1, 2) and (2, 1).
LOWER = {
    "identity": (1, 1, 1, 1),
    "absolute value": (1.4142, 1.0905, 1.0219, 1.00543),
    "tent": (2, 1.1892, 1.0443, 1.0109),
    "tent of tent": (2.8284, 1.2968, 1.0671, 1.0164),
    "bent mean": (1.1892, 1.0443, 1.0109, 1.0027),
    "diagonal": (2.12132, 2.007512, 2.000469, 2.000029),
    "bent plane": (1.9319, 1.9690, 1.9913, 1.9978),
    "cross": (1.7783, 1.1548, 1.0366, 1.0090),
}
UPPER = {
    "identity": (1.4392, 1.1068, 1.0265, 1.00662),
    "absolute value": (1.4142, 1.0905, 1.0219, 1.00543),
    "tent": (2.9058, 1.4057, 1.0984, 1.02444),
    "tent of tent": (6.4565, 1.7201, 1.1612, 1.0393),
    "bent mean": (3.8572, 1.6755, 1.1672, 1.0417),
    "diagonal": (2.12132, 2.007512, 2.000469, 2.000029),
    "bent plane": (5.2259, 2.7675, 2.1901, 2.0474),
    "cross": (6.4907, 2.7416, 2.1700, 2.0416),
}


def _bounds(name: str) -> PerLayer:
    return dict(zip(DEPTHS, zip(LOWER[name], UPPER[name], strict=True), strict=True))


DEEP = [
    DeepProblem(name, example, FUNCTIONS[name], _bounds(name))
    for name, example in example_networks().items()
]
