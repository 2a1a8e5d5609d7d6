"""Descent on the hidden representations themselves, not on the weights: projected, and smoothed.

Section 3.3 and Appendix B.1 of Jacot et al. (2022), with points as rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.arrays import ArrayLike, finite_array
from repcost.covariances.layers import covariance_cost
from repcost.deep_networks import DeepNet
from repcost.representations.attraction import forces
from repcost.representations.hidden_layers import Representations

Outputs = Float[np.ndarray, "N m"]


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent ended: the representations, the losses on the way, and a network with such
    representations.
    """

    representations: Representations
    losses: Float[np.ndarray, " losses"]
    network: DeepNet


def descend(
    start: Representations,
    Y: ArrayLike,
    strength: float,
    *,
    steps: int = 500,
    projected: bool = True,
) -> Descent:
    """Minimise |Z_L - Y|^2 / N + strength * sum_l |S_{l-1}^+ Z_l|^2 over Z_1, ..., Z_L from the
    (projected) `start`.

    The update of section 3.3 of Jacot et al. (2022); Y is (N, n_L). Each step goes down the
    gradient, then projects on what a network can have; it is halved until the loss falls. losses[i]
    is the loss after i steps, `network` has the least weights. Without the projection the loss is
    that of no network as soon as some S_l has a rank below N (n_l + 1 < N for instance), and may
    fall below every network's: Appendix B.1 holds for layers of full rank only.

    >>> start = Representations([[1.0], [2.0]], [[[1.0], [2.0]], [[1.0], [2.0]]], bias=0.0)
    >>> bool(np.isclose(descend(start, [[2.0], [4.0]], 0.1).losses[-1], 0.396))
    True
    """
    Y = _checked(start, Y, strength)
    now, rate = start.projected() if projected else start, 1.0
    losses = [_loss(now, Y, strength)]
    for _ in range(steps):
        gradient = _gradient(now, Y, strength, 0.0)
        while rate > 1e-15:
            there = _with_layers(
                now,
                [Z - rate * slope for Z, slope in zip(now.preactivations, gradient, strict=True)],
            )
            there = there.projected() if projected else there
            loss = _loss(there, Y, strength)
            if loss < losses[-1]:
                break
            rate /= 2
        else:
            break
        now, rate = there, 2 * rate
        losses.append(loss)
    return Descent(now, np.array(losses), now.network)


def descend_smoothed(
    start: Representations,
    Y: ArrayLike,
    strength: float,
    *,
    tikhonov: Sequence[float] = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
) -> Descent:
    """The same minimum without projection and pseudo-inverses: |S^+ Z|^2 becomes Tr Z Z^T (S S^T +
    t)^-1.

    By a quasi-Newton method for each t of `tikhonov`, from where the one before ended; losses[i] is
    the smoothed loss for tikhonov[i]. Its infimum is at most that of the loss, since it is the
    least of |W|^2 + |Z - S W^T|^2 / t over W. `network` has these W of the last t, and its own loss
    is what has been achieved.

    >>> start = Representations([[1.0], [2.0]], [[[1.0], [2.0]], [[1.0], [2.0]]], bias=0.0)
    >>> end = descend_smoothed(start, [[2.0], [4.0]], 0.1)
    >>> round(float(end.losses[-1]), 5), end.network([[1.0]]).round(5).tolist()
    (0.396, [[1.96]])
    """
    Y = _checked(start, Y, strength)
    if not len(tikhonov) or not all(0 < t < np.inf for t in tikhonov):
        raise ValueError(
            f"tikhonov must hold positive numbers, from large to small, not {tikhonov}"
        )
    shapes = [Z.shape for Z in start.preactivations]
    ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]

    def layers(flat: np.ndarray) -> Representations:
        return _with_layers(
            start, [z.reshape(shape) for z, shape in zip(np.split(flat, ends), shapes, strict=True)]
        )

    def objective(flat: np.ndarray, t: float) -> tuple[float, np.ndarray]:
        at = layers(flat)
        return _loss(at, Y, strength, t), np.concatenate(
            [part.ravel() for part in _gradient(at, Y, strength, t)]
        )

    options = {"maxiter": 2000, "maxfun": 4000, "maxcor": 30, "ftol": 1e-15, "gtol": 1e-9}
    flat, losses = np.concatenate([Z.ravel() for Z in start.preactivations]), []
    for t in tikhonov:
        found = minimize(objective, flat, (t,), jac=True, method="L-BFGS-B", options=options)
        flat = found.x
        losses.append(float(found.fun))
    end = layers(flat)
    return Descent(end, np.array(losses), _ridge_network(end, tikhonov[-1]))


def _checked(start: Representations, Y: ArrayLike, strength: float) -> Outputs:
    Y = finite_array(Y, "Y", 2)
    if Y.shape != start.preactivations[-1].shape:
        raise ValueError(
            f"Y has shape {Y.shape}, but the last layer of start {start.preactivations[-1].shape}"
        )
    if not 0 < strength < np.inf:
        raise ValueError(f"strength must be positive and finite, not {strength}")
    if start.negative_slope:
        raise ValueError(
            "start has leaky units, but the forces are those of relu units; set negative_slope to 0"
        )
    return Y


def _with_layers(start: Representations, layers: list) -> Representations:
    return Representations(start.X, layers, start.bias)


def _loss(at: Representations, Y: Outputs, strength: float, tikhonov: float = 0.0) -> float:
    cost = covariance_cost(*at.covariances, tikhonov=tikhonov) if tikhonov else at.cost
    return float(np.sum((at.preactivations[-1] - Y) ** 2)) / len(Y) + strength * cost


def _gradient(
    at: Representations, Y: Outputs, strength: float, tikhonov: float
) -> list[Float[np.ndarray, "N _"]]:
    Z, S = at.preactivations, at.activations
    # The last layer has none above that could push it.
    above = (*Z[1:], np.zeros((len(Y), 1)))
    both = [forces(*layer, at.bias, tikhonov=tikhonov) for layer in zip(Z, S, above, strict=True)]
    slopes = [strength * (attraction + repulsion) for attraction, repulsion in both]
    slopes[-1] += 2 / len(Y) * (Z[-1] - Y)
    return slopes


def _ridge_network(at: Representations, t: float) -> DeepNet:
    """The W that minimise |W_l|^2 + |Z_l - S_{l-1} W_l^T|^2 / t."""
    layers = zip(at.preactivations, at.activations, strict=True)
    W = [np.linalg.solve(S @ S.T + t * np.eye(len(S)), Z).T @ S for Z, S in layers]
    return DeepNet([part[:, :-1] for part in W], [at.bias * part[:, -1] for part in W])
