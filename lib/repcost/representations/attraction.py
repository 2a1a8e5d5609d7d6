"""What the two layers beside a hidden one do to its representation: attraction from below,
repulsion from above.

Item 4 of section 3.1 of Jacot et al. (2022), with points as rows.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import lsq_linear

from repcost.arrays import ArrayLike, finite_array, same_length, with_bias
from repcost.column_spaces import column_space, pseudo_inverse

Matrix = Float[np.ndarray, "N n"]


def forces(
    Z: ArrayLike, S_previous: ArrayLike, Z_next: ArrayLike, bias: float, *, tikhonov: float = 0.0
) -> tuple[Matrix, Matrix]:
    """(attraction, repulsion): the derivatives by Z of |S_previous^+ Z|^2 and of |S^+ Z_next|^2, S
    = [relu(Z), beta 1].

    Both (N, n) as Z, and 2 K^+ Z and -2 relu'(Z) * (K_S^+ K_next K_S^+ relu(Z)) in terms of
    covariances; item 4 of section 3.1 of Jacot et al. (2022). S_previous (N, m + 1) carries its
    bias column; Z_next is (N, n_next).

    relu'(0) is 0 here. Where K_S is singular, the second is a derivative for Z_next in Im S only,
    and along motions that keep the rank of S, as the term jumps where it changes. `tikhonov` t > 0
    puts K + t for both K: derivatives of Tr K_Z (K + t)^-1, which jump at the kinks only.

    >>> attraction, repulsion = forces([[1.0], [2.0]], [[1.0, 0.0], [2.0, 0.0]], [[3.0], [6.0]], 0.0)
    >>> attraction.round(12).tolist(), repulsion.round(12).tolist()
    ([[0.4], [0.8]], [[-3.6], [-7.2]])
    """
    Z, S_previous, Z_next, S = _layers(Z, S_previous, Z_next, bias)
    if not 0 <= tikhonov < np.inf:
        raise ValueError(f"tikhonov must be zero or positive and finite, not {tikhonov}")
    pull = _divided(Z_next, S, tikhonov)
    return 2 * _divided(Z, S_previous, tikhonov), -2 * (Z > 0) * (pull @ (pull.T @ S[:, :-1]))


@dataclass(frozen=True, eq=False)
class ForceBalance:
    """The forces on the n units of a layer at N points, with the slopes at kinks that bring them
    nearest to balance.

    attraction, repulsion, slopes: (N, n). imbalance: (n,), the size of attraction + repulsion,
    projected on Im S_previous, in terms of the attraction of that unit.
    """

    attraction: Matrix
    repulsion: Matrix
    slopes: Matrix
    imbalance: Float[np.ndarray, " n"]


def force_balance(
    Z: ArrayLike,
    S_previous: ArrayLike,
    Z_next: ArrayLike,
    bias: float,
    *,
    multiplier: ArrayLike | None = None,
    kink: float = 1e-9,
) -> ForceBalance:
    """Whether the forces on each unit cancel, as they do at a local minimum of the loss, once two
    things are minded.

    Where the pre-activation is zero (below `kink` times the largest of the unit), relu' may be any
    number in [0, 1]; each unit takes those that suit it best. And where K_S is singular the pull
    from above is not what `forces` says: it is -2 relu' * (V W), with W the weights (n_next, n) of
    the next layer and the `multiplier` V (N, n_next) the derivative of the cost by Z_next, divided
    by -2 lambda. For |Z_next - Y|^2 / N that is (Y - Z_next) / (lambda N). Without it V is K_S^+
    Z_next, right if K_S is invertible. Shapes as in `forces`.

    >>> force_balance([[1.0], [0.0]], [[1.0, 0.0], [0.0, 0.0]], [[1.0], [0.0]], 0.0).imbalance.tolist()
    [0.0]
    """
    Z, S_previous, Z_next, S = _layers(Z, S_previous, Z_next, bias)
    inverse = pseudo_inverse(S)
    W = inverse @ Z_next
    V = inverse.T @ W if multiplier is None else finite_array(multiplier, "multiplier", 2)
    if V.shape != Z_next.shape:
        raise ValueError(
            f"multiplier has shape {V.shape}, but Z_next has shape {Z_next.shape}; they must agree"
        )
    full = -2 * V @ W[:-1].T
    attraction = 2 * _divided(Z, S_previous, 0.0)
    bent = np.abs(Z) <= kink * np.abs(Z).max(axis=0, initial=0.0)
    slopes = np.where(bent, 0.0, Z > 0)
    basis = column_space(S_previous).T
    for k in np.flatnonzero(bent.any(axis=0)):
        rest = basis @ (attraction[:, k] + slopes[:, k] * full[:, k])
        slopes[bent[:, k], k] = _best_slopes(basis[:, bent[:, k]] * full[bent[:, k], k], rest)
    repulsion = slopes * full
    left, size = (
        np.linalg.norm(force, axis=0) for force in (basis @ (attraction + repulsion), attraction)
    )
    imbalance = np.divide(left, size, out=np.where(left > 0, np.inf, 0.0), where=size > 0)
    return ForceBalance(attraction, repulsion, slopes, imbalance)


def _best_slopes(
    pulls: Float[np.ndarray, "r kinks"], rest: Float[np.ndarray, " r"]
) -> Float[np.ndarray, " kinks"]:
    return lsq_linear(pulls, -rest, bounds=(0.0, 1.0), method="bvls").x


def _layers(Z: ArrayLike, S_previous: ArrayLike, Z_next: ArrayLike, bias: float):
    Z, S_previous = finite_array(Z, "Z", 2), finite_array(S_previous, "S_previous", 2)
    Z_next = finite_array(Z_next, "Z_next", 2)
    same_length(Z=Z, S_previous=S_previous, Z_next=Z_next)
    return (
        Z,
        S_previous,
        Z_next,
        with_bias(np.maximum(Z, 0.0), float(finite_array(bias, "bias", 0))),
    )


def _divided(
    Z: Float[np.ndarray, "N n"], S: Float[np.ndarray, "N m"], tikhonov: float
) -> Float[np.ndarray, "N n"]:
    """(S S^T + tikhonov)^-1 Z, with the pseudo-inverse for zero."""
    if tikhonov:
        return np.linalg.solve(S @ S.T + tikhonov * np.eye(len(S)), Z)
    inverse = pseudo_inverse(S)
    return inverse.T @ (inverse @ Z)
