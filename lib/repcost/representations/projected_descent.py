"""Descent on the hidden representations, projected after each step on what a network can have.

Section 3.3 of Jacot et al. (2022), with points as rows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from repcost.arrays import ArrayLike
from repcost.representations.hidden_layers import Representations
from repcost.representations.representation_loss import Descent, RepresentationLoss
from repcost.scalars import whole_number

# A step below this is lost in the rounding of the loss.
_LEAST_RATE = 1e-15

Settle = Callable[[Representations], Representations]


def descend(
    start: Representations,
    Y: ArrayLike,
    strength: float,
    *,
    steps: int = 500,
    projected: bool = True,
) -> Descent:
    """Minimise |Z_L - Y|^2 / N + strength sum_l |S_{l-1}^+ Z_l|^2 over Z_1, ..., Z_L.

    The update of section 3.3 of Jacot et al. (2022), from the (projected) `start`; Y is (N,
    n_L). Each step goes down the gradient, then projects on what a network can have; it is
    halved until the loss falls. losses[i] is the loss after i steps, `network` has the least
    weights. Without the projection the loss is that of no network as soon as some S_l has a
    rank below N (n_l + 1 < N for instance), and may fall below every network's: Appendix B.1
    holds for layers of full rank only.

    >>> start = Representations([[1.0], [2.0]], [[[1.0], [2.0]], [[1.0], [2.0]]], bias=0.0)
    >>> bool(np.isclose(descend(start, [[2.0], [4.0]], 0.1).losses[-1], 0.396))
    True
    """
    loss, steps = RepresentationLoss.checked(start, Y, strength), whole_number(steps, "steps", 0)
    settle = Representations.projected if projected else _as_they_are
    now, rate = settle(start), 1.0
    losses = [loss.value(now)]
    for _ in range(steps):
        step = _step(loss, settle, now, losses[-1], rate)
        if step is None:
            break
        # Twice the rate that worked, so that it can grow again.
        now, rate = step.to, 2 * step.rate
        losses.append(step.loss)
    return Descent(now, np.array(losses), now.network)


@dataclass(frozen=True, eq=False)
class _Step:
    to: Representations
    loss: float
    rate: float


def _step(
    loss: RepresentationLoss, settle: Settle, now: Representations, least: float, rate: float
) -> _Step | None:
    """The first step of `rate`, half of it, ... that ends below `least`; None if there is none."""
    # The projection or a jump may raise the loss, so a gradient step is no promise.
    moves = list(zip(now.preactivations, loss.gradient(now), strict=True))
    while rate > _LEAST_RATE:
        there = settle(now.with_layers([Z - rate * gradient for Z, gradient in moves]))
        value = loss.value(there)
        if value < least:
            return _Step(there, value, rate)
        rate /= 2
    return None


def _as_they_are(at: Representations) -> Representations:
    return at
