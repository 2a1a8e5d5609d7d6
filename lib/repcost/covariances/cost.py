"""The loss seen from the covariances of the representations.

Section 3.2 of Jacot et al. (2022), with points as rows: K_l = Z_l Z_l^T, K_l^sigma = S_l S_l^T.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array, listed
from repcost.scalars import nonnegative_number
from repcost.scales import exponent_of

Covariance = Float[np.ndarray, "N N"]

# Eigenvalues of a covariance below this part of the largest count as zero; it is a square known to
# 1e-16.
_SMALLEST_EIGENVALUE = 1e-12
# What of a trace may lie outside of the image and still be rounding.
_OUTSIDE = 1e-9
# The exponent of the largest float, less room for the sum over the layers.
_LARGEST = 1000


def covariance_cost(
    K: Sequence[ArrayLike], K_sigma: Sequence[ArrayLike], *, tikhonov: float = 0.0
) -> float:
    """sum_l Tr K_l (K_{l-1}^sigma)^+ for K = (K_1, ..., K_L), K_sigma = (K_0^sigma, ...), (N, N).

    K_sigma ends with K_{L-1}^sigma, so both have L covariances. The second reformulation,
    Proposition 3 of Jacot et al. (2022), without the cost of the outputs and the factor
    lambda. Infinite where Im K_l does not lie in Im K_{l-1}^sigma, which makes it convex in
    K_sigma too. `tikhonov` t > 0 puts (K_{l-1}^sigma + t)^-1: never more, larger for smaller
    t, and with this value as its limit, until the rounding of K divided by t is felt.

    Range: any finite entries; a layer whose share is larger than floats go is refused. Eigenvalues
    of K_sigma below 1e-12 of the largest count as zero.

    >>> covariance_cost([[[4.0]], [[9.0]]], [[[1.0]], [[2.0]]])
    8.5
    """
    K = listed(K, "K", "covariances, one per layer")
    K_sigma = listed(K_sigma, "K_sigma", "covariances, one per layer")
    tikhonov = nonnegative_number(tikhonov, "tikhonov")
    if len(K) != len(K_sigma) or not len(K):
        given = f"K has {len(K)} covariances and K_sigma {len(K_sigma)}"
        raise ValueError(f"{given}; give one of each per layer")
    points = len(finite_array(K[0], "K[0]", 2))
    before, after = (_covariances(*named, points) for named in ((K, "K"), (K_sigma, "K_sigma")))
    terms = zip(before, after, strict=True)
    return sum(_trace_of_any_size(*layers, tikhonov) for layers in terms)


def _trace_of_any_size(received: Covariance, sent: Covariance, tikhonov: float) -> float:
    """The same as `_trace`, by way of matrices of size one."""
    if not received.any():
        return 0.0
    above, below = exponent_of(received), exponent_of(sent, tikhonov)
    with np.errstate(all="ignore"):
        small = np.ldexp(received, -above), np.ldexp(sent, -below)
        trace = _trace(*small, float(np.ldexp(tikhonov, -below)))
    if trace == np.inf and not tikhonov:
        return trace
    if trace == np.inf or np.frexp(trace)[1] + above - below > _LARGEST:
        raise ValueError("K over K_sigma is beyond 1e300 in a layer; multiply K by a power of two")
    return float(np.ldexp(trace, above - below))


def _trace(received: Covariance, sent: Covariance, tikhonov: float) -> float:
    """Tr received (sent + tikhonov)^-1, with the pseudo-inverse for zero."""
    sizes, V = np.linalg.eigh(sent)
    # v^T received v for each eigenvector v.
    seen = np.einsum("ni,nm,mi->i", V, received, V)
    if tikhonov:
        return float(np.sum(seen / (np.maximum(sizes, 0.0) + tikhonov)))
    kept = sizes > _SMALLEST_EIGENVALUE * sizes[-1]
    if seen[~kept].sum() > _OUTSIDE * np.trace(received):
        return np.inf
    return float(np.sum(seen[kept] / sizes[kept]))


def _covariances(matrices: Sequence[ArrayLike], name: str, points: int) -> list[Covariance]:
    arrays = [finite_array(matrix, f"{name}[{i}]", 2) for i, matrix in enumerate(matrices)]
    for i, array in enumerate(arrays):
        if array.shape != (points, points) or not points:
            wanted = "all must be (N, N) for the N points of K[0]"
            raise ValueError(f"{name}[{i}] has shape {array.shape}; {wanted}")
        small = np.ldexp(array, -exponent_of(array))
        if np.abs(small - small.T).max() > 1e-9 * np.abs(small).max():
            raise ValueError(f"{name}[{i}] is not symmetric; a covariance is Z Z^T")
    return arrays
