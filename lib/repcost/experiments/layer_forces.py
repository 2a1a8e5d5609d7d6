"""A hidden layer between two others, and the two forces on it: at random, and in trained networks.

Section 3.1 and Figure 1 of Jacot et al. (2022). A layer is three matrices with a row for each
point: what it receives, what the layer below sends (the constant last), what the layer above
receives.
"""

import numpy as np
from jaxtyping import Float

from repcost.representations import Representations, forces, on_rays

Layer = tuple[np.ndarray, np.ndarray, np.ndarray]


def random_layer(
    rng: np.random.Generator, points: int = 4, units: int = 6, bias: float = 0.7
) -> Layer:
    """More units than points, so that attraction and repulsion have inverses.

    >>> [part.shape for part in random_layer(np.random.default_rng(0))]
    [(4, 6), (4, 5), (4, 2)]
    """
    below = np.column_stack([rng.normal(size=(points, 4)), np.full(points, bias)])
    return rng.normal(size=(points, units)), below, rng.normal(size=(points, 2))


def around(Z: np.ndarray, below: np.ndarray, above: np.ndarray) -> Representations:
    """The layer as a network sees it: `layer_costs` are the two terms in which Z stands."""
    return Representations(below[:, :-1], [Z, above], below[0, -1])


def difference_quotients(
    Z: np.ndarray, below: np.ndarray, above: np.ndarray, step: float = 1e-6
) -> Float[np.ndarray, "terms n units"]:
    """The derivatives of both terms by Z, by central differences."""
    moves = step * np.eye(Z.size).reshape(-1, *Z.shape)
    ends = [[around(Z + s * move, below, above).layer_costs for s in (1, -1)] for move in moves]
    rises = [(after - before) / (2 * step) for after, before in ends]
    return np.array(rises).T.reshape(2, *Z.shape)


def smoothed_forces(
    at: Representations, layer: int, part: float = 0.01
) -> tuple[np.ndarray, np.ndarray]:
    """(attraction, repulsion) of a hidden layer, 1 or later, with a Tikhonov term.

    part: of the mean eigenvalue of S S^T, where S is what the layer below sends.
    """
    S, Z = at.activations[layer - 1], at.preactivations
    return forces(Z[layer - 1], S, Z[layer], at.bias, tikhonov=part * np.sum(S**2) / len(S))


def cosine(A: np.ndarray, B: np.ndarray) -> float:
    """Of the angle between two matrices.

    >>> cosine(np.eye(2), -np.ones((2, 2))).round(3)
    np.float64(-0.707)
    """
    return np.sum(A * B) / np.linalg.norm(A) / np.linalg.norm(B)


def off_rays(Z: np.ndarray, rays: int = 3) -> float:
    """The share of |Z|^2 that is not in the units of the largest groups on a ray.

    >>> off_rays(np.array([[4.0, 0.0], [0.0, 3.0]]), 1)
    0.36
    """
    kept = np.concatenate(on_rays(Z)[:rays])
    return float(1 - np.sum(Z[:, kept] ** 2) / np.sum(Z**2))
