"""Descent on the hidden representations with a loss that is smooth where the rank changes.

Appendix B.1 of Jacot et al. (2022), with points as rows. For a layer the cost is replaced by

    Tr Z Z^T (S S^T + t)^-1 = min over W of |W|^2 + |Z - S W^T|^2 / t:

weights that need not give Z exactly, and pay for what they miss. That is never more than the
cost, which it tends to as t goes to zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from repcost.arrays import ArrayLike, finite_array
from repcost.deep_networks import DeepNet
from repcost.representations.hidden_layers import Representations
from repcost.representations.layer_between import divided, put_back
from repcost.representations.representation_loss import Descent, RepresentationLoss

Flat = Float[np.ndarray, " p"]

_OPTIONS = {"maxiter": 2000, "maxfun": 4000, "maxcor": 30, "ftol": 1e-15, "gtol": 1e-9}


def descend_smoothed(
    start: Representations,
    Y: ArrayLike,
    strength: float,
    *,
    tikhonov: Sequence[float] = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
) -> Descent:
    """The minimum of `descend` without projection: |S^+ Z|^2 becomes Tr Z Z^T (S S^T + t)^-1.

    By a quasi-Newton method for each t of `tikhonov`, from where the one before ended;
    losses[i] is the smoothed loss for tikhonov[i]. Its infimum is at most that of the loss,
    since it is the least of |W|^2 + |Z - S W^T|^2 / t over W. `network` has these W of the
    last t, and its own loss is what has been achieved.

    >>> start = Representations([[1.0], [2.0]], [[[1.0], [2.0]], [[1.0], [2.0]]], bias=0.0)
    >>> end = descend_smoothed(start, [[2.0], [4.0]], 0.1)
    >>> round(float(end.losses[-1]), 5), end.network([[1.0]]).round(5).tolist()
    (0.396, [[1.96]])
    """
    loss = _FlatLoss(RepresentationLoss.checked(start, Y, strength), start)
    tikhonov = finite_array(tikhonov, "tikhonov", 1).tolist()
    if not tikhonov or min(tikhonov) <= 0:
        raise ValueError(
            f"tikhonov must hold positive numbers, from large to small, not {tikhonov}"
        )
    flat, losses = _flat(start.preactivations), []
    for t in tikhonov:
        # Small t from the start would be as rough as the loss itself.
        found = minimize(loss, flat, (t,), jac=True, method="L-BFGS-B", options=_OPTIONS)
        flat = found.x
        losses.append(float(found.fun))
    end = loss.layers(flat)
    return Descent(end, np.array(losses), _ridge_network(end, tikhonov[-1]))


@dataclass(frozen=True, eq=False)
class _FlatLoss:
    """The smoothed loss as a function of all Z_l in one vector, in the shapes of `start`."""

    loss: RepresentationLoss
    start: Representations

    def layers(self, flat: Flat) -> Representations:
        shapes = [Z.shape for Z in self.start.preactivations]
        ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]
        parts = zip(np.split(flat, ends), shapes, strict=True)
        return self.start.with_layers([part.reshape(shape) for part, shape in parts])

    def __call__(self, flat: Flat, t: float) -> tuple[float, Flat]:
        at = self.layers(flat)
        return self.loss.value(at, t), _flat(self.loss.gradient(at, t))


def _flat(layers: Sequence[Float[np.ndarray, "N _"]]) -> Flat:
    return np.concatenate([layer.ravel() for layer in layers])


def _ridge_network(at: Representations, t: float) -> DeepNet:
    """The W that minimise |W_l|^2 + |Z_l - S_{l-1} W_l^T|^2 / t."""
    # By the push-through identity a system of N equations, whatever the width.
    layers = zip(at.preactivations, at.activations, strict=True)
    W = [put_back(*divided(Z, S, t), "start").T @ S for Z, S in layers]
    return DeepNet([part[:, :-1] for part in W], [at.bias * part[:, -1] for part in W])
