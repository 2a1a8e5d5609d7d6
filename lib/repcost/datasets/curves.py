"""The curve of `sine_curve` itself: its points, its tangents, and how far points are from it."""

from functools import cache

import numpy as np
from jaxtyping import Float
from scipy.spatial import KDTree

Places = Float[np.ndarray, " n"]
Points = Float[np.ndarray, "n 2"]

# Distances are taken to this many points of the curve, which are 0.0003 apart at most.
_FINE = 20_001


def on_sine_curve(t: Places) -> Points:
    """The points (1.5 t, 0.4 sin(pi t)): Figure 3 B of Jacot (2023) as `sine_curve` draws it.

    >>> on_sine_curve(np.array([0.0, 0.5])).tolist()
    [[0.0, 0.0], [0.75, 0.4]]
    """
    return np.column_stack([1.5 * t, 0.4 * np.sin(np.pi * t)])


def sine_curve_tangents(t: Places) -> Points:
    """Unit vectors along the curve at these points, in the direction in which t grows.

    >>> sine_curve_tangents(np.array([0.5])).round(12).tolist()
    [[1.0, 0.0]]
    """
    along = np.column_stack([np.full_like(t, 1.5), 0.4 * np.pi * np.cos(np.pi * t)])
    return along / np.linalg.norm(along, axis=1, keepdims=True)


def nearest_on_sine_curve(points: Points) -> Points:
    """The nearest point of the curve to each of the points, for t between -1 and 1.

    >>> nearest_on_sine_curve(np.array([[0.75, 0.6]])).round(2).tolist()
    [[0.75, 0.4]]
    """
    tree = _fine_curve()
    return np.asarray(tree.data)[tree.query(points)[1]]


def off_sine_curve(points: Points) -> float:
    """The root mean square distance of the points to the curve.

    What is left of it after an autoencoder tells whether it denoises: Figure 3 of Jacot (2023).

    >>> round(off_sine_curve(np.array([[0.75, 0.7]])), 2)
    0.3
    """
    return float(np.sqrt(np.mean(_fine_curve().query(points)[0] ** 2)))


# Built once, when somebody first asks for distances.
@cache
def _fine_curve() -> KDTree:
    return KDTree(on_sine_curve(np.linspace(-1, 1, _FINE)))
