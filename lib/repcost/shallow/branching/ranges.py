"""Within which ranges the products z_i = u_i.w lie, for the w of a node that exceed the target."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from repcost.rounding import UNIT
from repcost.shallow.branching.weak_duals import PerNode, PerPoint, WeakDual

# More than the few roundings of numbers of size one in what follows.
_WIDER = 1e-12
# Rounds over the half-spaces; up to which dimension twice as many; and the narrowest cap that is
# used as it is.
_SWEEPS, _FEW, _NARROWEST = 2, 8, 1 - 1e-9


def by_cap(
    units: np.ndarray, dual: WeakDual, target: PerNode, low: PerPoint, high: PerPoint
) -> tuple[PerPoint, PerPoint]:
    """Where q.w is at least what the target leaves of it, z_i is where u_i meets this cap."""
    direction, height = cap(dual, target)
    height, rounding = height[:, None], 8 * (units.shape[1] + 10) * UNIT
    along = direction @ units.T
    # What is added in the roots exceeds the rounding of the products.
    across = np.sqrt(np.maximum(1 - along**2, 0.0) + rounding)
    across *= np.sqrt(np.maximum(1 - height**2, 0.0) + rounding)
    highest = np.where(along >= height, 1.0, along * height + across)
    lowest = np.where(-along >= height, -1.0, along * height - across)
    return np.maximum(low, lowest - _WIDER), np.minimum(high, highest + _WIDER)


def cap(dual: WeakDual, target: PerNode) -> tuple[Float[np.ndarray, "B r"], PerNode]:
    """A unit vector, and what its product with every w above the target is at least."""
    length = np.maximum(dual.length, 1e-300)
    height = (target - dual.fixed) / length
    # Above one nothing is left; far above it squares would overflow.
    height = np.clip(height - _WIDER * (1 + np.abs(height)), -1.0, 2.0)
    return dual.q / length[:, None], height


def by_half_spaces(
    units: Float[np.ndarray, "N r"],
    sides: Float[np.ndarray, "B N"],
    dual: WeakDual,
    target: PerNode,
    low: PerPoint,
    high: PerPoint,
    wanted: Bool[np.ndarray, "B N"],
) -> tuple[PerPoint, PerPoint]:
    """The same for the cap and the half-spaces sides_k u_k.w >= 0 together.

    z_i is at most |g| - kappa height for g = u_i + sum_k mu_k sides_k u_k + kappa direction, with
    any mu, kappa >= 0; a few rounds of the best value for one after the other choose them.
    """
    which, there = _first(wanted)
    planes, _ = _first(sides != 0)
    C = units[planes] * np.take_along_axis(sides, planes, axis=1)[:, :, None]
    direction, height = cap(dual, target)
    ends = np.concatenate([units[which], -units[which]], axis=1)
    most = _maxima(ends, C, direction, height)
    n = which.shape[1]
    top = np.where(there, most[:, :n], np.inf)
    bottom = np.where(there, -most[:, n:], -np.inf)
    high, low = high.copy(), low.copy()
    rows = np.arange(len(low))[:, None]
    high[rows, which] = np.minimum(high[rows, which], top)
    low[rows, which] = np.maximum(low[rows, which], bottom)
    return low, high


def _maxima(
    ends: Float[np.ndarray, "B E r"],
    C: Float[np.ndarray, "B K r"],
    direction: Float[np.ndarray, "B r"],
    height: PerNode,
) -> Float[np.ndarray, "B E"]:
    """At least the maximum of ends.w, where C w >= 0 and direction.w >= height, |w| <= 1."""
    # A cap of half a ball or more is left out; a very narrow one is taken a little wider.
    used = np.minimum(np.maximum(height, 0.0), _NARROWEST)
    # In few dimensions rounds are cheap, and cones narrow.
    sweeps = 2 * _SWEEPS if C.shape[2] <= _FEW else _SWEEPS
    mu, kappa = _multipliers(ends, C, direction, used / np.sqrt(1 - used**2), sweeps)
    # Put together anew, so that only one sum is rounded.
    g = ends + np.matmul(mu.transpose(1, 2, 0), C) + kappa[:, :, None] * direction[:, None, :]
    size = 2 + mu.sum(axis=0) + 2 * kappa
    rounding = 8 * (len(mu) + C.shape[2] + 10) * UNIT * size
    return np.sqrt(np.einsum("ber,ber->be", g, g)) - kappa * used[:, None] + rounding


def _multipliers(
    ends: Float[np.ndarray, "B E r"],
    C: Float[np.ndarray, "B K r"],
    direction: Float[np.ndarray, "B r"],
    slope: PerNode,
    sweeps: int,
) -> tuple[Float[np.ndarray, "K B E"], Float[np.ndarray, "B E"]]:
    """Numbers, not negative, that make |g| - kappa height small: the best one after the other.

    Of g only products with the planes and the direction are kept, and its square. Any numbers will
    do, so that these are found in single precision: with steps of size one they stay far from its
    ends.
    """
    K, planes = C.shape[1], np.concatenate([C, direction[:, None]], axis=1, dtype=np.float32)
    ends, slope = ends.astype(np.float32), slope.astype(np.float32)
    grams = np.matmul(planes, planes.transpose(0, 2, 1)).transpose(1, 2, 0)[..., None]
    products = np.ascontiguousarray(np.matmul(planes, ends.transpose(0, 2, 1)).transpose(1, 0, 2))
    square, weights = np.einsum("ber,ber->be", ends, ends), np.zeros_like(products)
    change = np.empty_like(products)
    for sweep in range(sweeps):
        for k in (*reversed(range(K)), K):
            along = products[k] - weights[k]
            new = -along
            if k == K:
                across = np.sqrt(np.maximum(square - products[k] ** 2, 0.0))
                new = np.where(slope[:, None] > 0, slope[:, None] * across - along, 0.0)
            new = np.maximum(new, 0.0)
            step = new - weights[k]
            square += step * (2 * products[k] + step * grams[k, k])
            weights[k] = new
            # In the last round nobody asks again for what has been.
            coming = K + 1 if sweep < sweeps - 1 else min(k, K - 1)
            products[:coming] += np.multiply(grams[k, :coming], step, out=change[:coming])
            if coming <= K:
                products[K] += grams[k, K] * step
    return weights[:K].astype(float), weights[K].astype(float)


def _first(wanted: Bool[np.ndarray, "B N"]) -> tuple[Int[np.ndarray, "B k"], np.ndarray]:
    """The places of all that is true, as many in each row as in the fullest; and which are."""
    most = int(wanted.sum(axis=1).max(initial=0))
    places = np.argsort(~wanted, axis=1, kind="stable")[:, :most]
    return places, np.take_along_axis(wanted, places, axis=1)


@dataclass(frozen=True, eq=False)
class Sides:
    """What is left of each range: [low, below] where z is not positive, [above, high] where it is.

    A side that is left empty has its ends the wrong way round.
    """

    low: PerPoint
    below: PerPoint
    above: PerPoint
    high: PerPoint

    @property
    def ends(self) -> tuple[PerPoint, PerPoint]:
        """The least range with both sides; the wrong way round where both are empty."""
        low = np.where(self.low <= self.below, self.low, self.above)
        high = np.where(self.above <= self.high, self.high, self.below)
        return low, high

    def only(self, which: np.ndarray) -> "Sides":
        """Those of the nodes with these indices."""
        return Sides(self.low[which], self.below[which], self.above[which], self.high[which])


def by_terms(
    v: PerPoint, theta: PerPoint, dual: WeakDual, target: PerNode, low: PerPoint, high: PerPoint
) -> Sides:
    """Each term v relu(z) - theta z is within bound - target of its maximum, or f is too low.

    Where the maximum is large this cuts the range from zero on both sides, which is what makes
    branching there pay.
    """
    spare = np.maximum(dual.bound - target, 0.0) + dual.allowance
    least = dual.terms - spare[:, None]
    positive, negative = v - theta, -theta
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        over, under = least / positive, least / negative
    inner = least > 0
    # On a side where the term rises away from zero it must have risen enough; where it falls, it
    # must not have fallen too far, and it has nothing where it should have risen.
    above = np.where(inner, np.where(positive > 0, over, np.inf), 0.0)
    below = np.where(inner, np.where(negative < 0, under, -np.inf), 0.0)
    highest = np.where(~inner & (positive < 0), over, np.inf)
    lowest = np.where(~inner & (negative > 0), under, -np.inf)
    return Sides(
        np.maximum(low, lowest - _WIDER),
        np.minimum(high, np.where(inner, below + _WIDER, 0.0)),
        np.maximum(low, np.where(inner, above - _WIDER, 0.0)),
        np.minimum(high, highest + _WIDER),
    )
