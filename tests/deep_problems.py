"""Deep networks of functions whose ranks are known, with bounds of what a layer of them costs as the depth grows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from repcost import DeepNet
from repcost.arrays import ArrayLike


@dataclass(frozen=True, eq=False)
class DeepProblem:
    """bounds[L] = (lower, upper) of R(f; L) / L; ranks = (Jacobian, bottleneck)."""

    name: str
    network: DeepNet
    function: Callable[[np.ndarray], np.ndarray]
    domain: tuple[Sequence[float], Sequence[float]]
    ranks: tuple[int, int]
    bounds: dict[int, tuple[float, float]]

    def __str__(self) -> str:
        return self.name


def _net(*layers: tuple[ArrayLike, ArrayLike]) -> DeepNet:
    return DeepNet([weight for weight, _ in layers], [bias for _, bias in layers])


def _tent(x: np.ndarray) -> np.ndarray:
    return np.minimum(2 * x, 2 - 2 * x)


_TENT = ([[1.0], [1.0]], [0.0, -0.5]), ([[2.0, -4.0]], [0.0])
_MEAN = np.full((1, 3), 1 / 3)
_HALVES = np.array([[1, 0, 1], [0, 1, 1]]) / 2


def _bent_mean(X: np.ndarray) -> np.ndarray:
    t = X @ _MEAN[0]
    return np.stack([t, np.abs(t), np.maximum(t - 0.5, 0)], axis=1)


def _bent_plane(X: np.ndarray) -> np.ndarray:
    s, t = _HALVES @ X.T
    return np.stack([np.abs(s), t, np.maximum(s + t, 0)], axis=1)


def _cross(X: np.ndarray) -> np.ndarray:
    """Everything moves to the nearer diagonal: a map onto a cross, which no line can be mapped onto."""
    return np.abs(X).min(1, keepdims=True) * np.sign(X)


CROSS = _net(
    ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4),
    (np.vstack([np.eye(4), 2 * np.eye(4) - np.ones((4, 4))]), [0] * 8),
    ([[1, -1, 0, 0, -1, 1, 0, 0], [0, 0, 1, -1, 0, 0, -1, 1]], [0, 0]),
)

SQUARE, CUBE = ([-1, -1], [1, 1]), ([-1] * 3, [1] * 3)

DEEP = [
    DeepProblem(
        "tent",
        _net(*_TENT),
        _tent,
        ([0], [1]),
        (1, 1),
        {4: (1.4142, 2.9058), 16: (1.0905, 1.4057), 64: (1.0219, 1.0984), 256: (1.00543, 1.02444)},
    ),
    DeepProblem(
        "tent of tent",
        _net(*_TENT, *_TENT),
        lambda X: _tent(_tent(X)),
        ([0], [1]),
        (1, 1),
        {4: (2, 6.4565), 16: (1.1892, 1.7201), 64: (1.0443, 1.1612), 256: (1.0109, 1.0393)},
    ),
    DeepProblem(
        "diagonal",
        _net(([[2, 0], [0, 0.5]], [0, 0])),
        lambda X: X * [2, 0.5],
        ([0, 0], [1, 1]),
        (2, 2),
        {4: (2.12132, 2.12132), 16: (2.007512, 2.007512), 64: (2.000469, 2.000469), 256: (2.000029, 2.000029)},
    ),
    DeepProblem(
        "identity",
        _net(([[1]], [0])),
        lambda X: X,
        ([-1], [1]),
        (1, 1),
        {4: (1, 1.4392), 16: (1, 1.1068), 64: (1, 1.0265), 256: (1, 1.00662)},
    ),
    DeepProblem(
        "absolute value",
        _net(([[1], [-1]], [0, 0]), ([[1, 1]], [0])),
        np.abs,
        ([-1], [1]),
        (1, 1),
        {4: (1, 1.4142), 16: (1, 1.0905), 64: (1, 1.0219), 256: (1, 1.00543)},
    ),
    DeepProblem(
        "bent mean",
        _net(
            (_MEAN, [1]),
            ([[1], [1], [1]], [0, -1, -1.5]),
            ([[1, 0, 0], [-1, 2, 0], [0, 0, 1]], [-1, 1, 0]),
        ),
        _bent_mean,
        CUBE,
        (1, 1),
        {4: (1, 3.8572), 16: (1, 1.6755), 64: (1, 1.1672), 256: (1, 1.0417)},
    ),
    DeepProblem(
        "bent plane",
        _net(
            (_HALVES, [1, 1]),
            ([[1, 0], [1, 0], [0, 1], [1, 1]], [0, -1, 0, -2]),
            ([[-1, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], [1, -1, 0]),
        ),
        _bent_plane,
        CUBE,
        (2, 2),
        {4: (1.9319, 5.2259), 16: (1.9690, 2.7675), 64: (1.9913, 2.1901), 256: (1.9978, 2.0474)},
    ),
    DeepProblem(
        "cross",
        CROSS,
        _cross,
        SQUARE,
        (1, 2),
        {4: (1.1892, 6.4907), 16: (1.0443, 2.7416), 64: (1.0109, 2.1700), 256: (1.0027, 2.0416)},
    ),
]
