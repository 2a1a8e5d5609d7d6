"""What the paper bounds Phi_L by: from above through a basis, from below through one matrix."""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.costs.linear_layers.directions import independent_directions
from repcost.costs.linear_layers.phi import checked_weights
from repcost.scalars import whole_depth

# What columns may be off, to count as orthonormal and as a basis of the rows.
_ROUNDING = 1e-10


def linear_layers_bound(
    W: ArrayLike, a: ArrayLike, depth: int = 3, *, basis: ArrayLike | None = None
) -> float:
    """An upper bound of Phi_L: sum_j (sum_k |a_k| |<w_k, v_j>|)^(2/L).

    Theorem 3.9 of Ongie & Willett (2022), eq. (19b), there for L = 3 and the right singular
    vectors v_j of W, which are the default. `basis` (d, m) holds other orthonormal columns
    v_j; they must span the rows. 1/L, biases free.

    >>> round(linear_layers_bound([[1.0, 0.0], [0.0, 1.0]], [8.0, 1.0], basis=[[1, 0], [0, 1]]), 12)
    5.0
    """
    W, a = checked_weights(finite_array(W, "W", 2), a)
    depth = whole_depth(depth)
    if basis is None:
        # Vectors of singular values that are rounding would add to the sum what is not there.
        V = np.linalg.svd(W, full_matrices=False)[2][: independent_directions(W)].T
    else:
        V = _checked_basis(basis, W)
    return float(((np.abs(a) @ np.abs(W @ V)) ** (2 / depth)).sum())


def polar_bound(W: ArrayLike, a: ArrayLike, Q: ArrayLike) -> float:
    """A lower bound of Phi_3 from any Q of W's shape: sum_k |a_k <w_k, q_k>|^(2/3) for |Q|_2 = 1.

    Any Q is divided by its norm first. Lemma 3.8 of Ongie & Willett (2022), eq. (18); the best
    Q is the polar factor of the optimal D_lambda^(-1) D_a W.

    >>> round(polar_bound([[1.0, 0.0], [0.0, 1.0]], [8.0, 1.0], [[1, 0], [0, 1]]), 12)
    5.0
    """
    W, a = checked_weights(finite_array(W, "W", 2), a)
    Q = finite_array(Q, "Q", 2)
    if Q.shape != W.shape:
        raise ValueError(f"Q has shape {Q.shape}, but W has shape {W.shape}; they must agree")
    norm = np.linalg.norm(Q, 2) if Q.size else 0.0
    return float((np.abs(a * (W * Q).sum(1) / norm) ** (2 / 3)).sum()) if norm else 0.0


def _checked_basis(basis: ArrayLike, W: Float[np.ndarray, "K d"]) -> Float[np.ndarray, "d m"]:
    V = finite_array(basis, "basis", 2)
    if len(V) != W.shape[1]:
        raise ValueError(
            f"basis has {len(V)} rows, but W has {W.shape[1]} columns; columns of basis are vectors"
        )
    if np.abs(V.T @ V - np.eye(V.shape[1])).max(initial=0.0) > _ROUNDING:
        raise ValueError("basis is not orthonormal; take the Q of numpy.linalg.qr(basis)")
    # Without this a basis that is too small would give a bound that is too low.
    missed = np.linalg.norm(W - W @ V @ V.T, axis=1)
    if (missed > _ROUNDING * np.linalg.norm(W, axis=1)).any():
        raise ValueError("basis does not span the rows of W; add columns to it")
    return V
