"""The covariances of the cheapest linear network: each layer takes an equal share of the factors.

Let M = X^+ Z_last = U diag(s) V^T be the map from inputs to outputs. The least sum of squares
of L matrices with product M is L sum s^(2/L), and U diag(s^(l/L)) is what the first l of them
make of the inputs, up to a rotation that no covariance sees. So Z_l = X U diag(s^(l/L)).
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, same_length
from repcost.column_spaces import SMALLEST, column_space, pseudo_inverse
from repcost.covariances.cost import Covariance
from repcost.scalars import whole_depth


def linear_covariances(X: ArrayLike, Z_last: ArrayLike, depth: int) -> tuple[Covariance, ...]:
    """K_1, ..., K_L of the cheapest linear network that takes X (N, d) to Z_last (N, n_L).

    K_l = X (X^+ K_L X^{+T})^{l/L} X^T: item 2 of section 3.1 of Jacot et al. (2022), there
    for invertible X. The network has no biases, L sum s^(2/L) as squared norm, s the singular
    values of X^+ Z_last, and hidden widths of their number.

    >>> [K.round(12).tolist() for K in linear_covariances([[1.0]], [[8.0]], 3)]
    [[[4.0]], [[16.0]], [[64.0]]]
    """
    X, Z_last = finite_array(X, "X", 2), finite_array(Z_last, "Z_last", 2)
    same_length(X=X, Z_last=Z_last)
    depth = whole_depth(depth, least=1)
    _check_reached(X, Z_last)
    U, s, _ = np.linalg.svd(pseudo_inverse(X) @ Z_last, full_matrices=False)
    # A zero that rounding has made 1e-17 would be 1e-4 after a fourth root.
    s = np.where(s > SMALLEST * s.max(initial=0.0), s, 0.0)
    layers = [X @ (U * s ** (layer / depth)) for layer in range(1, depth + 1)]
    return tuple(Z @ Z.T for Z in layers)


def _check_reached(X: Float[np.ndarray, "N d"], Z_last: Float[np.ndarray, "N n"]) -> None:
    basis = column_space(X)
    missing = np.linalg.norm(Z_last - basis @ (basis.T @ Z_last))
    if missing > 1e-9 * np.linalg.norm(Z_last):
        raise ValueError(
            "Z_last is not a linear function of X; project its columns on the columns of X first"
        )
