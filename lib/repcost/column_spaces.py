"""Spans of columns that were computed with rounding: which directions are there, which are noise.

The pseudo-inverse divides by singular values, so whether a small one counts as zero decides the
answer. One limit holds for all questions of this kind in the library.
"""

import numpy as np
from jaxtyping import Float

Matrix = Float[np.ndarray, "n _"]

# Singular values below this part of the largest count as zero. At an optimum the activations are of
# low rank, and a limit near 1e-16 takes their rounding for directions.
SMALLEST = 1e-10


def pseudo_inverse(S: Matrix) -> Float[np.ndarray, "_ n"]:
    """S^+ without the directions that are rounding.

    >>> pseudo_inverse(np.diag([2.0, 1e-15])).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    return np.linalg.pinv(S, rtol=SMALLEST)


def column_space(S: Matrix) -> Matrix:
    """An orthonormal basis of Im S, by the same limit.

    >>> column_space(np.diag([2.0, 1e-15])).shape
    (2, 1)
    """
    U, s, _ = np.linalg.svd(S, full_matrices=False)
    return U[:, s > SMALLEST * s.max(initial=0.0)]
