"""How many dimensions of pairs of covariances so many units fill."""

import numpy as np
from jaxtyping import Int

from repcost.integers import reduced


def derivative_rank(Z: Int[np.ndarray, "N units"]) -> int:
    """The rank of the derivative of Z -> (Z Z^T, relu(Z) relu(Z)^T), for whole numbers not zero.

    Remark 11 of Jacot et al. (2022): where it is N (N + 1), the dimension of the pairs, this many
    units fill an open set of them. Exact, in whole numbers: the derivative of (A A^T)_ij by A_ik is
    A_jk, and by A_jk it is A_ik.

    >>> derivative_rank(np.array([[3]])), derivative_rank(np.array([[3, -2]]))
    (1, 2)
    """
    Z = np.asarray(Z)
    N, units = Z.shape
    # Both matrices are symmetric: their lower triangles are all there is.
    rows, (i, j) = [], np.tril_indices(N)
    for active in (np.ones_like(Z), Z > 0):
        # The slope of the activation: all ones for K, and for K^sigma the signs.
        A = Z * active
        part = np.zeros((len(i), N, units), dtype=int)
        part[np.arange(len(i)), i] += A[j] * active[i]
        part[np.arange(len(i)), j] += A[i] * active[j]
        rows.append(part.reshape(len(i), -1))
    return len(reduced(np.vstack(rows).tolist())[1])
