"""The sides of a box of the plane or of space, as lines or planes, and where they meet."""

from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Int

# Each side as (variable, 1 where that is at its least or -1 at its most): below, right, above,
# left, against the clock; in space one variable after the other.
SIDES = {
    2: ((1, 1), (0, -1), (1, -1), (0, 1)),
    3: ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)),
}

# In space, of each side its corners, against the clock as seen from outside.
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def box_sides(low: np.ndarray, high: np.ndarray, one: Any = 1) -> list[list[Any]]:
    """Affine functions, `one` the unit of the coordinates, that are positive inside."""
    sides = []
    for axis, sign in SIDES[len(low)]:
        side: list[Any] = [0] * (len(low) + 1)
        side[axis], side[-1] = sign * one, -low[axis] if sign > 0 else high[axis]
        sides.append(side)
    return sides


def box_corners(variables: int) -> Int[np.ndarray, "corners variables"]:
    """The sides that meet in each corner, by their numbers."""
    if variables == 2:
        # From the first corner against the clock, as the sides do.
        return np.array([[3, 0], [0, 1], [1, 2], [2, 3]])
    return np.array(list(product((0, 1), (2, 3), (4, 5))))
