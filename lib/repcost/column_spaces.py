"""Spans of columns that were computed with rounding: which directions are there, and which are noise."""

import numpy as np
from jaxtyping import Float

Matrix = Float[np.ndarray, "n _"]

# Singular values below this part of the largest count as zero. At an optimum the activations are of
# low rank, and a limit near 1e-16 takes their rounding for directions.
SMALLEST = 1e-10


def pseudo_inverse(S: Matrix) -> Float[np.ndarray, "_ n"]:
    """S^+ without the directions that are rounding."""
    return np.linalg.pinv(S, rtol=SMALLEST)


def column_space(S: Matrix) -> Matrix:
    """An orthonormal basis of Im S, by the same limit."""
    U, s, _ = np.linalg.svd(S, full_matrices=False)
    return U[:, s > SMALLEST * s.max(initial=0.0)]
