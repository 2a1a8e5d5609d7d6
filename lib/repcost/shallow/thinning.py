"""Fewer units with the same covariances: why the least loss no longer falls from N (N + 1) units a
layer on.
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.shallow.pruning import basic_weights


def thinned(Z: ArrayLike) -> Float[np.ndarray, "N k"]:
    """At most N (N + 1) units with the covariances Z Z^T and relu(Z) relu(Z)^T of all units of Z
    (N, units).

    Carathéodory's theorem as in Proposition 7 of Jacot et al. (2022): the units that stay are some
    of the given ones, each times a positive factor, and their squares add up to as much.
    Covariances agree up to rounding; where float64 is too coarse for that, all units stay.

    >>> Z = np.array([[3.0, 4.0, -1.0, 1.0, -2.0]])
    >>> thin = thinned(Z)
    >>> thin.shape, float((thin**2).sum().round(9)), float((np.maximum(thin, 0) ** 2).sum().round(9))
    ((1, 2), 31.0, 26.0)
    """
    Z = finite_array(Z, "Z", 2)
    # A point may have any scale: its rows and columns of both covariances are multiplied by it.
    point = np.abs(Z).max(axis=1, keepdims=True, initial=0.0)
    point[point == 0] = 1.0
    scaled = Z / point
    size = np.sum(scaled**2, axis=0)
    scaled, size = scaled[:, size > 0], size[size > 0]
    rays, (i, j) = scaled / np.sqrt(size), np.tril_indices(len(Z))
    active = np.maximum(rays, 0.0)
    kept = basic_weights(np.vstack([rays[i] * rays[j], active[i] * active[j]]), size)
    return point * rays[:, kept > 0] * np.sqrt(kept[kept > 0])
