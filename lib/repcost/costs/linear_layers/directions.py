"""How many directions the rows have, decided once, on rows of unit length."""

import numpy as np
from jaxtyping import Float

from repcost.costs.linear_layers.scaled_rows import ScaledRows


def independent_directions(W: Float[np.ndarray, "K d"]) -> int:
    """The rank of W, with everything below the rounding of unit rows taken for zero."""
    rows = ScaledRows.of(W, np.ones(len(W)))
    rows = rows.part(rows.alive)
    return len(pivot_rows(rows.directions, np.ones(len(rows.factors)))[1])


def pivot_rows(
    directions: Float[np.ndarray, "K d"], scale: Float[np.ndarray, " K"]
) -> tuple[Float[np.ndarray, "d r"], list[int]]:
    """An orthonormal basis of the row space, and the rows it was made from, from large to small.

    Pivoted Gram-Schmidt: the row with most left is next, among those of which more than
    rounding is left. `scale` says how long the rows are that point in these directions.
    """
    K, d = directions.shape
    tolerance = 8 * np.finfo(float).eps * max(K, d)
    left = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    basis, pivots = np.zeros((d, 0)), []
    while len(pivots) < min(K, d):
        lengths = np.linalg.norm(left, axis=1)
        pivot = int(np.argmax(np.where(lengths > tolerance, lengths * scale, -1.0)))
        # What is left of every row is rounding: the rest of the directions is not there.
        if lengths[pivot] <= tolerance:
            break
        q = _orthogonal(left[pivot] / lengths[pivot], basis)
        basis, pivots = np.column_stack([basis, q]), [*pivots, pivot]
        # Subtracted from all rows at once, as in modified Gram-Schmidt.
        left = left - np.outer(left @ q, q)
        left[pivot] = 0.0
    return basis, pivots


def _orthogonal(
    q: Float[np.ndarray, " d"], basis: Float[np.ndarray, "d r"]
) -> Float[np.ndarray, " d"]:
    """q without its part in the basis, at unit length, orthogonal to rounding."""
    for _ in range(2):  # twice is enough (Kahan)
        q = q - basis @ (basis.T @ q)
        q = q / np.linalg.norm(q)
    return q
