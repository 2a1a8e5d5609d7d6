"""The loss seen from the covariances of the representations, and these covariances in linear
networks.

Sections 3.1 (item 2) and 3.2 of Jacot et al. (2022), with points as rows: K_l = Z_l Z_l^T,
K_l^sigma = S_l S_l^T.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, same_length, whole_depth
from repcost.column_spaces import SMALLEST, column_space

Covariance = Float[np.ndarray, "N N"]

# Eigenvalues of a covariance below this part of the largest count as zero; it is a square known to
# 1e-16.
_SMALLEST_EIGENVALUE = 1e-12


def covariance_cost(
    K: Sequence[ArrayLike], K_sigma: Sequence[ArrayLike], *, tikhonov: float = 0.0
) -> float:
    """sum_l Tr K_l (K_{l-1}^sigma)^+ for K = (K_1, ..., K_L) and K_sigma = (K_0^sigma, ...,
    K_{L-1}^sigma), all (N, N).

    The second reformulation, Proposition 3 of Jacot et al. (2022), without the cost of the outputs
    and the factor lambda. Infinite where Im K_l does not lie in Im K_{l-1}^sigma, which makes it
    convex in K_sigma too. `tikhonov` t > 0 puts (K_{l-1}^sigma + t)^-1: never more, larger for
    smaller t, and with this value as its limit, until the rounding of K divided by t is felt.

    >>> covariance_cost([[[4.0]], [[9.0]]], [[[1.0]], [[2.0]]])
    8.5
    """
    if len(K) != len(K_sigma) or not len(K):
        raise ValueError(
            f"K has {len(K)} covariances and K_sigma {len(K_sigma)}; give one of each per layer"
        )
    if not 0 <= tikhonov < np.inf:
        raise ValueError(f"tikhonov must be zero or positive and finite, not {tikhonov}")
    points = len(np.asarray(K[0]))
    terms = zip(_covariances(K, "K", points), _covariances(K_sigma, "K_sigma", points), strict=True)
    return float(sum(_term(upper, lower, tikhonov) for upper, lower in terms))


def linear_covariances(X: ArrayLike, Z_last: ArrayLike, depth: int) -> tuple[Covariance, ...]:
    """K_1, ..., K_L of the cheapest linear network without biases that takes X (N, d) to Z_last (N,
    n_L).

    K_l = X (X^+ K_L X^{+T})^{l/L} X^T: item 2 of section 3.1 of Jacot et al. (2022), there for
    invertible X. The network has L sum s^(2/L) as squared norm, s the singular values of X^+
    Z_last, and hidden widths of their number.

    >>> [K.round(12).tolist() for K in linear_covariances([[1.0]], [[8.0]], 3)]
    [[[4.0]], [[16.0]], [[64.0]]]
    """
    X, Z_last = finite_array(X, "X", 2), finite_array(Z_last, "Z_last", 2)
    same_length(X=X, Z_last=Z_last)
    depth = whole_depth(depth, least=1)
    basis = column_space(X)
    if np.linalg.norm(Z_last - basis @ (basis.T @ Z_last)) > 1e-9 * np.linalg.norm(Z_last):
        raise ValueError(
            "Z_last is not a linear function of X; project its columns on the columns of X first"
        )
    U, s, _ = np.linalg.svd(np.linalg.pinv(X, rtol=SMALLEST) @ Z_last, full_matrices=False)
    # A zero that rounding has made 1e-17 would be 1e-4 after a fourth root.
    s = np.where(s > SMALLEST * s.max(initial=0.0), s, 0.0)
    layers = [X @ (U * s ** (layer / depth)) for layer in range(1, depth + 1)]
    return tuple(Z @ Z.T for Z in layers)


def _term(upper: Covariance, lower: Covariance, tikhonov: float) -> float:
    """Tr upper (lower + tikhonov)^-1."""
    sizes, V = np.linalg.eigh(lower)
    seen = np.einsum("ni,nm,mi->i", V, upper, V)
    if tikhonov:
        return float(np.sum(seen / (np.maximum(sizes, 0.0) + tikhonov)))
    kept = sizes > _SMALLEST_EIGENVALUE * sizes[-1]
    if seen[~kept].sum() > 1e-9 * np.trace(upper):
        return np.inf
    return float(np.sum(seen[kept] / sizes[kept]))


def _covariances(matrices: Sequence[ArrayLike], name: str, points: int) -> list[Covariance]:
    arrays = [finite_array(matrix, f"{name}[{i}]", 2) for i, matrix in enumerate(matrices)]
    for i, array in enumerate(arrays):
        if array.shape != (points, points) or not points:
            raise ValueError(
                f"{name}[{i}] has shape {array.shape}; all must be (N, N) for the N points of K[0]"
            )
        if np.abs(array - array.T).max() > 1e-9 * np.abs(array).max():
            raise ValueError(f"{name}[{i}] is not symmetric; a covariance is Z Z^T")
    return arrays
