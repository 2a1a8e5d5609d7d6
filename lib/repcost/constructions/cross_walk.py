"""One walk along all values of the cross: from tip to tip to tip to tip, always through the centre.

On the square from -1 to 1 the values of `repcost.datasets.cross_network` are four arms from the
centre to the corners, each as long as the root of two. So one number, the time of the walk, says
where a value lies.
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array

# A walk of speed one is at these points after every stretch of this length.
ARM = 2**0.5
STOPS = np.array([[1, 1], [0, 0], [-1, 1], [0, 0], [-1, -1], [0, 0], [1, -1]], dtype=float)


def cross_walk(t: ArrayLike) -> Float[np.ndarray, "n 2"]:
    """Where the walk is at the times t, as rows; before it begins and after it ends it stands.

    The outer function h of the beyond-theorem on gentle functions of one number: it has speed one.

    >>> cross_walk([0.0, 2**0.5, 99.0]).tolist()
    [[1.0, 1.0], [0.0, 0.0], [1.0, -1.0]]
    """
    t = finite_array(t, "t", 1)
    places = ARM * np.arange(len(STOPS))
    return np.column_stack([np.interp(t, places, column) for column in STOPS.T])


def cross_walk_times(Y: ArrayLike) -> Float[np.ndarray, " n"]:
    """When the walk comes by the points Y, rows on the arms of the cross.

    >>> cross_walk_times([[1.0, 1.0], [-0.5, 0.5]]).round(3).tolist()
    [0.0, 2.121]
    """
    Y = finite_array(Y, "Y", 2)
    apart = np.abs(np.diff(np.abs(Y), axis=1)) if Y.shape[1] == 2 else np.ones(1)
    if apart.max(initial=0) > 1e-12 or np.abs(Y).max(initial=0) > 1:
        raise ValueError("Y must have rows (s, s) or (s, -s) of the cross, with -1 <= s <= 1")
    out = np.linalg.norm(Y, axis=1)
    # The arms in the order of the walk, by the angle: upper right, upper left, and so on.
    arm = np.floor(np.arctan2(Y[:, 1], Y[:, 0]) / (np.pi / 2)).astype(int) % 4
    return np.choose(arm, [ARM - out, ARM + out, 3 * ARM + out, 5 * ARM + out])
