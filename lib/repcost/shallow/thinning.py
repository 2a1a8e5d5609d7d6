"""Fewer units with the same covariances: why N (N + 1) units a layer are as good as any more.

Each unit of a layer adds the products of its values, before and after the activation, to the two
covariances: N (N + 1) numbers for N points, symmetric entries once. Carathéodory's theorem
(`caratheodory`) keeps that many units, with factors, and the least loss depends on the covariances
alone.
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.shallow.caratheodory import basic_weights

Layer = Float[np.ndarray, "N k"]


def thinned(Z: ArrayLike) -> Layer:
    """At most N (N + 1) units with the covariances Z Z^T and relu(Z) relu(Z)^T of Z (N, units).

    Carathéodory's theorem as in Proposition 7 of Jacot et al. (2022): the units that stay are
    some of the given ones, each times a positive factor, and their squares add up to as much.
    Covariances agree up to rounding; where float64 is too coarse for that, all units stay.

    >>> Z = np.array([[3.0, 4.0, -1.0, 1.0, -2.0]])
    >>> thin = thinned(Z)
    >>> squares = [np.sum(units**2) for units in (thin, np.maximum(thin, 0))]
    >>> thin.shape, np.round(squares, 9).tolist()
    ((1, 2), [31.0, 26.0])
    """
    Z = finite_array(Z, "Z", 2)
    # A point may have any scale: its rows and columns of both covariances are multiplied by it.
    point = np.abs(Z).max(axis=1, keepdims=True, initial=0.0)
    point[point == 0] = 1.0
    scaled = Z / point
    size = np.sum(scaled**2, axis=0)
    scaled, size = scaled[:, size > 0], size[size > 0]
    rays = scaled / np.sqrt(size)
    kept = basic_weights(_products(rays), size)
    return point * rays[:, kept > 0] * np.sqrt(kept[kept > 0])


def _products(rays: Layer) -> Float[np.ndarray, "equations k"]:
    """What a unit adds to both covariances, a column each."""
    i, j = np.tril_indices(len(rays))
    active = np.maximum(rays, 0.0)
    return np.vstack([rays[i] * rays[j], active[i] * active[j]])
