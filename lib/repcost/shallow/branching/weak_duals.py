"""The bound of a node by any numbers theta, and an ascent that proposes good ones.

Arrays have a row for each node of a batch, and a column for each point.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.rounding import UNIT

PerPoint = Float[np.ndarray, "B N"]
PerNode = Float[np.ndarray, " B"]

# Steps between two looks at the bounds.
_LOOK = 10
# A bound that falls by less than this, relatively, from one look to the next stays where it is.
_STUCK = 1e-5
# The quadratic that stands in for |q| is no steeper than at this share of the target: a shorter q
# adds little to the bound.
_SHORT = 0.3


@dataclass(frozen=True, eq=False)
class WeakDual:
    """What one theta proves of each node.

    terms: max of v relu(z) - theta z over the range of each point. q: sum of theta_i u_i.
    length: |q|. allowance: more than all that is rounded in their sum.
    """

    terms: PerPoint
    q: Float[np.ndarray, "B r"]
    length: PerNode
    allowance: PerNode

    @classmethod
    def of(
        cls, units: np.ndarray, v: PerPoint, low: PerPoint, high: PerPoint, theta: PerPoint
    ) -> "WeakDual":
        below = v * np.maximum(low, 0.0) - theta * low
        above = v * np.maximum(high, 0.0) - theta * high
        terms = np.maximum(below, above)
        # Zero is between the ends of all other ranges, and there the term is zero.
        np.maximum(terms, 0.0, out=terms, where=(low <= 0) & (high >= 0))
        q = theta @ units
        size = np.abs(v).sum(axis=1) + np.abs(theta).sum(axis=1)
        return cls(terms, q, np.sqrt(_squares(q)), allowance(units) * size)

    @property
    def fixed(self) -> PerNode:
        """The part of the bound that is the same for all w, rounded up."""
        return self.terms.sum(axis=1) + self.allowance

    @property
    def bound(self) -> PerNode:
        return self.fixed + self.length


def allowance(units: Float[np.ndarray, "N r"]) -> float:
    """How much a bound is off at most, over sum_i (|v_i| + |theta_i|).

    A term has four roundings and N of them are added; an entry of q is a sum of N products, its
    length has r + 2 more. That is less than 2 (N + r + 10) units, of which this has twice as many.
    """
    N, r = units.shape
    return 4 * (N + r + 10) * UNIT


def lowered(
    units: Float[np.ndarray, "N r"],
    lipschitz: float,
    v: PerPoint,
    low: PerPoint,
    high: PerPoint,
    theta: PerPoint,
    target: PerNode,
    steps: int,
) -> tuple[PerPoint, PerNode]:
    """Better theta by accelerated proximal steps, and the bounds that they prove.

    |q| is at most |q|^2 / 2 tau + tau / 2, with equality where tau = |q|: the quadratic is lowered
    by a step along its gradient z, the products at q / tau, the rest by its proximal map. Nodes
    below their target are left alone, and so are those whose bound hardly falls. `lipschitz` is
    the square of the largest singular value of the units.
    """
    best, bound = theta.copy(), WeakDual.of(units, v, low, high, theta).bound
    left, right = slopes(v, low, high)
    at = np.flatnonzero(bound > target)
    now = [part[at] for part in (v, low, high, left, right, theta, theta)]
    momentum = 1.0
    for step in range(1, steps + 1):
        v, low, high, left, right, before, ahead = now
        if not len(at):
            break
        new = _proximal_step(units, lipschitz, low, high, left, right, ahead, target[at])
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / following * (new - before)
        momentum, now = following, [v, low, high, left, right, new, ahead]
        if step % _LOOK == 0 or step == steps:
            reached = WeakDual.of(units, v, low, high, new).bound
            fell = reached < bound[at] * (1 - _STUCK)
            better = reached < bound[at]
            best[at[better]], bound[at[better]] = new[better], reached[better]
            open_ = (bound[at] > target[at]) & (fell | (step < 2 * _LOOK))
            if not open_.all():
                at, now = at[open_], [part[open_] for part in now]
    return best, bound


def slopes(v: PerPoint, low: PerPoint, high: PerPoint) -> tuple[PerPoint, PerPoint]:
    """The slopes, below and above zero, of the least concave function above v relu on a range."""
    crossing = (low < 0) & (high > 0)
    share = np.where(crossing, high / np.where(crossing, high - low, 1.0), high > 0)
    secant, convex = v * share, v > 0
    left = np.where(convex, secant, np.where(low >= 0, v, 0.0))
    right = np.where(convex, secant, np.where(high <= 0, 0.0, v))
    return left, right


def _proximal_step(
    units: np.ndarray,
    lipschitz: float,
    low: PerPoint,
    high: PerPoint,
    left: PerPoint,
    right: PerPoint,
    theta: PerPoint,
    target: PerNode,
) -> PerPoint:
    q = theta @ units
    tau = np.maximum(np.sqrt(_squares(q)), _SHORT * target)
    step = (tau / lipschitz)[:, None]
    z = q @ units.T
    z /= tau[:, None]
    z *= -step
    z += theta
    # The proximal map by Moreau's identity: theta + step z*, where z* maximises the concave
    # function minus theta z and minus step z^2 / 2 over the range.
    moved = np.minimum((left - z) / step, 0.0)
    moved += np.maximum((right - z) / step, 0.0)
    np.maximum(moved, low, out=moved)
    np.minimum(moved, high, out=moved)
    moved *= step
    moved += z
    return moved


def _squares(q: Float[np.ndarray, "B r"]) -> PerNode:
    return np.einsum("br,br->b", q, q)
