"""What `interpolate_plane` takes, and what it refuses."""

import numpy as np
from jaxtyping import Int

from repcost.arrays import ArrayLike, distinct_rows, finite_array, same_length
from repcost.costs.plane.directions import Points, Values

# Squares of distances and of slopes must stay within floats.
_LARGEST, _NARROWEST = 1e100, 1e-100


def checked_points(X: ArrayLike, y: ArrayLike) -> tuple[Points, Values]:
    X, y = finite_array(X, "X", 2), finite_array(y, "y", 1)
    if X.shape[1] != 2:
        raise ValueError(
            f"X has {X.shape[1]} columns; points of the plane are rows of 2 "
            "(interpolate_line takes one)"
        )
    same_length(X=X, y=y)
    if not len(X):
        raise ValueError("X is empty; give at least one point")
    for name, entries in (("X", X), ("y", y)):
        # Halves, as the difference of two floats may overflow.
        span = float(np.max(entries.max(axis=0) / 2 - entries.min(axis=0) / 2))
        if np.abs(entries).max() > _LARGEST or 0 < span < _NARROWEST:
            raise ValueError(
                f"{name} must stay below 1e100 and span more than 1e-100; "
                "multiply it by a power of two"
            )
    return X, y


def first_of_equal(X: Points, y: Values) -> Int[np.ndarray, " m"]:
    """The rows that are left when equal points are merged."""
    _, first, group = distinct_rows(X)
    merged = y[first][group]
    clash = np.flatnonzero(merged != y)
    if len(clash):
        n = clash[0]
        raise ValueError(
            f"X holds {X[n].tolist()} twice, with y = {merged[n]} and {y[n]}, "
            "and no function takes both values; remove one of the points"
        )
    return np.sort(first)
