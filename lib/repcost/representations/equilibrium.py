"""Whether attraction and repulsion cancel, unit by unit, as they do at a local minimum.

At a minimum the derivative of the loss by the weights vanishes. For the weights into unit k this
says that attraction plus repulsion of the unit is orthogonal to Im S_previous. Two things stand
between that and the formula of `forces`: at a kink the derivative of ReLU is any number between
zero and one, and where K_S is singular the pull from above depends on the loss itself.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import lsq_linear

from repcost.arrays import ArrayLike, finite_array
from repcost.column_spaces import column_space, pseudo_inverse
from repcost.representations.layer_between import LayerBetween, PerUnit
from repcost.scalars import real_number

Coordinates = Float[np.ndarray, "rank N"]


@dataclass(frozen=True, eq=False)
class ForceBalance:
    """The forces on the n units of a layer, with the slopes at kinks that bring them nearest to 0.

    attraction, repulsion, slopes: (N, n). imbalance: (n,), the size of attraction + repulsion,
    projected on Im S_previous, in terms of the attraction of that unit.
    """

    attraction: PerUnit
    repulsion: PerUnit
    slopes: PerUnit
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
    """Whether the forces on each unit cancel, once two things are minded.

    Where the pre-activation is zero (below `kink` times the largest of the unit), relu' may be any
    number in [0, 1]; each unit takes those that suit it best. And where K_S is singular the pull
    from above is not what `forces` says: it is -2 relu' * (V W), with W the weights (n_next, n) of
    the next layer and the `multiplier` V (N, n_next) the derivative of the cost by Z_next, divided
    by -2 lambda. For |Z_next - Y|^2 / N that is (Y - Z_next) / (lambda N). Without it V is K_S^+
    Z_next, right if K_S is invertible. Shapes as in `forces`.

    >>> layer = [[1.0], [0.0]], [[1.0, 0.0], [0.0, 0.0]], [[1.0], [0.0]]
    >>> force_balance(*layer, bias=0.0).imbalance.tolist()
    [0.0]
    """
    layer, kink = LayerBetween.checked(Z, S_previous, Z_next, bias), real_number(kink, "kink")
    full = _full_repulsion(layer, multiplier)
    attraction = layer.attraction()
    basis = column_space(layer.S_below).T
    # A trained kink is zero up to the solver's tolerance only, in the scale of its unit.
    at_kink = np.abs(layer.Z) <= kink * np.abs(layer.Z).max(axis=0, initial=0.0)
    slopes = np.where(at_kink, 0.0, layer.Z > 0)
    # The forces on a unit hold its own slopes only, so each unit is a problem of its own.
    for k in np.flatnonzero(at_kink.any(axis=0)):
        free = at_kink[:, k]
        slopes[free, k] = _best_slopes(basis, attraction[:, k], slopes[:, k], full[:, k], free)
    repulsion = slopes * full
    imbalance = _imbalance(basis, attraction, repulsion)
    return ForceBalance(attraction, repulsion, slopes, imbalance)


def _full_repulsion(layer: LayerBetween, multiplier: ArrayLike | None) -> PerUnit:
    """The pull from above as it were if all units were active everywhere."""
    inverse = pseudo_inverse(layer.S)
    W = inverse @ layer.Z_next
    V = inverse.T @ W if multiplier is None else finite_array(multiplier, "multiplier", 2)
    if V.shape != layer.Z_next.shape:
        shapes = f"shape {V.shape}, but Z_next has shape {layer.Z_next.shape}"
        raise ValueError(f"multiplier has {shapes}; they must agree")
    # The last row is the bias weights, which pull at no unit.
    return -2 * V @ W[:-1].T


def _best_slopes(
    basis: Coordinates,
    attraction: Float[np.ndarray, " N"],
    slopes: Float[np.ndarray, " N"],
    full: Float[np.ndarray, " N"],
    free: Bool[np.ndarray, " N"],
) -> Float[np.ndarray, " kinks"]:
    """The slopes of one unit at its kinks that leave the least force on Im S_previous."""
    # The slopes at the kinks are still zero here.
    rest = basis @ (attraction + slopes * full)
    pulls = basis[:, free] * full[free]
    return lsq_linear(pulls, -rest, bounds=(0.0, 1.0), method="bvls").x


def _imbalance(
    basis: Coordinates, attraction: PerUnit, repulsion: PerUnit
) -> Float[np.ndarray, " n"]:
    left = np.linalg.norm(basis @ (attraction + repulsion), axis=0)
    size = np.linalg.norm(attraction, axis=0)
    # A unit without attraction is in balance if nothing else pulls at it.
    return np.divide(left, size, out=np.where(left > 0, np.inf, 0.0), where=size > 0)
