"""How many units a pair of covariances needs: Rank_sigma and the CP-rank of Jacot et al. (2022).

Sections 4.1 and 4.2. Floats are known up to rounding, and ranks jump. So the number that is
bracketed here is the least one among matrices within a tolerance of the given ones, entry by
entry; the lower end bounds that of the given matrices too. Both ends are proven: the upper by
an explicit Z whose covariances are measured, the lower in `pairs`.
"""

from dataclasses import replace
from math import frexp, ldexp

import numpy as np

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket
from repcost.covariances.cost import Covariance
from repcost.covariances.layer_search import least_width
from repcost.covariances.pairs import CovariancePair
from repcost.scalars import bias_constant, relative_tolerance, whole_number
from repcost.scales import exponent_of

# The most units a completely positive matrix of this size needs: Shaked-Monderer et al. (2013,
# 2015).
_LARGEST_CP_RANK = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6}


def cp_rank(A: ArrayLike, *, rtol: float = 1e-10, starts: int = 20) -> Bracket:
    """The least k with A = B B^T for a nonnegative B (N, k).

    Definition 12 of Jacot et al. (2022), points as rows. A is (N, N), the bracket is of whole
    numbers and certified: for the matrices within `rtol` times the largest entry of A. Lower: the
    rank, and the least cover of the graph of A by cliques. Upper: a factor found by least squares
    from `starts` starts, infinite if none was found (`reason` says so); from N = 5 on, a
    nonnegative A without negative eigenvalues may have none. Entries may have any size.

    >>> rank = cp_rank([[2, 0, 1, 1], [0, 2, 1, 1], [1, 1, 2, 0], [1, 1, 0, 2]])
    >>> rank.lower, rank.upper
    (4.0, 4.0)
    """
    rtol, starts = _checked_options(rtol, starts)
    A = finite_array(A, "A", 2)
    # A power of two brings any sizes to one, and rounds nothing.
    A = _symmetric(np.ldexp(A, -exponent_of(A)), "A", rtol)
    scale = float(np.abs(A).max(initial=0.0))
    if scale == 0:
        return Bracket(0, 0, "certified")
    _check_semidefinite(A, "A", rtol * scale)
    _check_nonnegative(A, "A", rtol * scale)
    N = len(A)
    most = _LARGEST_CP_RANK.get(N, N * (N + 1) // 2 - 4)
    # Nowhere negative, a layer has the same covariance before and after.
    A = A / scale
    return _bracket(CovariancePair(A, A, rtol), most, starts)


def covariance_rank(
    K: ArrayLike, K_sigma: ArrayLike, bias: float, *, rtol: float = 1e-10, starts: int = 20
) -> Bracket:
    """Rank_sigma: the least k with K = Z Z^T, K_sigma = relu(Z) relu(Z)^T + bias^2, Z (N, k).

    Equation (4.1) of Jacot et al. (2022), where bias^2 stands in every entry: the least width
    of a layer with these covariances (Proposition 8). The bracket is of whole numbers and
    certified, for the pairs within `rtol` times the largest entry. Lower: the rank of K, the
    rank of K_sigma - bias^2 1 1^T and the cover of its graph by cliques. Upper: a Z found by
    least squares from `starts` starts, infinite if none was found below twice N and the lower
    end; from about ten points on there is one start only. A Z that is known (from a network)
    is a bound too: its number of rays. Entries may have any size.

    >>> Z = np.array([[1.0, 2.0], [-1.0, 1.0]])
    >>> A = np.maximum(Z, 0)
    >>> rank = covariance_rank(Z @ Z.T, A @ A.T + 1, 1.0)
    >>> rank.lower, rank.upper
    (2.0, 2.0)
    """
    rtol, starts = _checked_options(rtol, starts)
    bias = bias_constant(bias)
    K, K_sigma = finite_array(K, "K", 2), finite_array(K_sigma, "K_sigma", 2)
    if K.shape != K_sigma.shape:
        shapes = f"K has shape {K.shape} and K_sigma {K_sigma.shape}"
        raise ValueError(f"{shapes}; both are (N, N) for the same N points")
    # Even, as the bias takes half of it.
    unit = exponent_of(K, K_sigma) // 2 * 2
    K, K_sigma = np.ldexp(K, -unit), np.ldexp(K_sigma, -unit)
    if bias and frexp(bias)[1] - unit // 2 > 2:
        raise ValueError(f"bias is {bias:g}, and its square larger than K_sigma; check bias")
    scale = float(max(np.abs(K).max(initial=0.0), np.abs(K_sigma).max(initial=0.0)))
    after = _symmetric(K_sigma, "K_sigma", rtol) - ldexp(bias, -unit // 2) ** 2
    before = _symmetric(K, "K", rtol)
    # Without entries, but with a bias, there is something to refuse.
    if scale == 0 and not after.any():
        return Bracket(0, 0, "certified")
    _check_pair(before, after, rtol * scale)
    pair = CovariancePair(before / scale, after / scale, rtol)
    return _bracket(pair, 2 * max(len(K), pair.lower) + 2, starts)


def _bracket(pair: CovariancePair, most: int, starts: int) -> Bracket:
    found = Bracket(pair.lower, least_width(pair, most, starts), "certified")
    if found.upper < np.inf:
        return found
    return replace(found, reason=f"no layer up to {most} units was found from {starts} starts")


def _checked_options(rtol: float, starts: int) -> tuple[float, int]:
    starts = whole_number(starts, "starts", 0)
    return relative_tolerance(rtol, "1e-10", least=1e-12, most=1e-4), starts


def _symmetric(A: Covariance, name: str, rtol: float) -> Covariance:
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"{name} has shape {A.shape}; it must be (N, N) for N points")
    # A twentieth of the tolerance: averaging the two halves takes little of it.
    if np.abs(A - A.T).max(initial=0.0) > 0.05 * rtol * np.abs(A).max(initial=0.0):
        remedy = f"take ({name} + {name}.T) / 2 if that is rounding"
        raise ValueError(f"{name} is not symmetric; {remedy}")
    return (A + A.T) / 2


def _check_pair(before: Covariance, after: Covariance, tolerance: float) -> None:
    name = "K_sigma - bias^2"
    _check_semidefinite(before, "K", tolerance)
    _check_semidefinite(after, name, tolerance)
    _check_nonnegative(after, name, tolerance)
    if (np.diag(after) > np.diag(before) + 2 * tolerance).any():
        reason = "relu(z)^2 <= z^2; check bias"
        raise ValueError(f"{name} is larger than K on the diagonal, but {reason}")


def _check_semidefinite(A: Covariance, name: str, tolerance: float) -> None:
    least = float(np.linalg.eigvalsh(A).min())
    if least < -1.01 * len(A) * tolerance:
        reason = "a covariance Z Z^T has none below zero"
        share = least / np.abs(A).max()
        raise ValueError(f"{name} has an eigenvalue {share:.3g} times its largest entry; {reason}")


def _check_nonnegative(A: Covariance, name: str, tolerance: float) -> None:
    if A.min() < -tolerance:
        reason = "units that are never negative give none below zero"
        share = A.min() / np.abs(A).max()
        raise ValueError(f"{name} has an entry {share:.3g} times its largest; {reason}")
