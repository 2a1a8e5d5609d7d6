"""Where a curve of losses over widths levels off, by a rule that knows nothing of the curve."""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, same_length
from repcost.scalars import positive_number

DOUBLED = np.log(2)


def saved_by_doubling(widths: ArrayLike, losses: ArrayLike) -> Float[np.ndarray, " w"]:
    """Which part of the loss twice each width saves, for widths whose double is on the curve.

    Between two widths the loss is read off along a straight line on logarithmic axes.

    >>> saved_by_doubling([1, 2, 4, 8], [8.0, 4.0, 3.0, 3.0]).round(12).tolist()
    [0.5, 0.25, 0.0]
    """
    at, height = finite_array(widths, "widths", 1), finite_array(losses, "losses", 1)
    same_length(widths=at, losses=height)
    if np.any(at <= 0) or np.any(height <= 0) or np.any(np.diff(at) <= 0):
        raise ValueError("widths and losses must be positive, and widths rise")
    x, y = np.log(at), np.log(height)
    # A double that is trained must count, whatever the rounding of its logarithm.
    inside = x + DOUBLED <= x[-1] + 1e-12
    return 1 - np.exp(np.interp(x + DOUBLED, x, y) - y)[inside]


def plateau_start(widths: ArrayLike, losses: ArrayLike, worth: float = 0.1) -> float:
    """The first width from which on no doubling saves the part `worth` of the loss, or more.

    Infinite if even the last doubling does.

    >>> plateau_start([1, 2, 4, 8], [8.0, 4.0, 3.0, 2.9]), plateau_start([1, 2], [2.0, 1.0])
    (4.0, inf)
    """
    worth, saved = positive_number(worth, "worth"), saved_by_doubling(widths, losses)
    if not len(saved) or saved[-1] >= worth:
        return np.inf
    worthwhile = np.flatnonzero(saved >= worth)
    return float(np.asarray(widths)[worthwhile[-1] + 1 if len(worthwhile) else 0])
