"""Networks for points on two rays: the setting of Section 5.2 of Ongie & Willett (2022).

Two rays w_1, w_2 are pi - theta apart, so w_1 and -w_2 are theta apart. Units along the rays
have outer weights with |a_k| adding up to A on the first ray and to B on the second.
`turned_to` turns all of them into one direction; the angle beta of that direction is counted
from w_1 towards -w_2.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.optimize import root_scalar

from repcost.arrays import finite_array
from repcost.networks import TwoLayer
from repcost.scalars import generator, nonnegative_number, real_number


class Direction(NamedTuple):
    """A direction between w_1 and -w_2: its angle from w_1, and what units along it cost."""

    angle: float
    cost: float


def ray_directions(angle: float) -> Float[np.ndarray, "2 2"]:
    """Two unit vectors, `angle` apart; the first towards (2, 1), as in `datasets.two_rays`.

    >>> w = ray_directions(np.pi / 2)
    >>> abs(float(w[0] @ w[1])) < 1e-15, bool(np.allclose(w[0] * 5**0.5, [2, 1]))
    (True, True)
    """
    angles = np.arctan2(1, 2) + np.array([0, real_number(angle, "angle")])
    return np.c_[np.cos(angles), np.sin(angles)]


def direction_between(beta: float) -> Float[np.ndarray, " 2"]:
    """The unit vector at the angle beta from the first ray, towards the opposite of the second.

    beta = theta / 2 is w_0 of Proposition 5.2 of Ongie & Willett (2022).

    >>> bool(np.allclose(direction_between(0.0), ray_directions(2.0)[0]))
    True
    """
    angle = np.arctan2(1, 2) - real_number(beta, "beta")
    return np.array([np.cos(angle), np.sin(angle)])


def cheapest_direction(theta: float, A: float, B: float) -> Direction:
    """The direction between the rays in which aligned units have the least outer weights.

    min over beta of A / cos(beta) + B / cos(theta - beta), which is R_L^(L/2) for every L:
    the book's addition to Proposition 5.2 of Ongie & Willett (2022). The angle is good to 1e-15.

    >>> import math
    >>> found = cheapest_direction(1.0, 1.0, 1.0)
    >>> round(found.angle, 12), round(found.cost * math.cos(0.5), 12)
    (0.5, 2.0)
    """
    theta, A, B = _acute_angle_and_sums(theta, A, B)
    # The angle depends on the ratio of the two alone, whose larger is one here.
    first, second = A / max(A, B), B / max(A, B)

    def rises(beta: float) -> float:
        # The derivative of a convex sum: a minimum of values would lose half of the digits.
        pulls = np.sin(beta) / np.cos(beta) ** 2, np.sin(theta - beta) / np.cos(theta - beta) ** 2
        return first * pulls[0] - second * pulls[1]

    beta = float(root_scalar(rises, bracket=(0.0, theta), method="brentq", xtol=1e-15).root)
    return Direction(beta, float(A / np.cos(beta) + B / np.cos(theta - beta)))


def cost_along_rays(theta: float, A: float, B: float) -> float:
    """Phi_3 of the units along both rays: what the network pays with three layers, without turning.

    max over x of (A cos x)^(2/3) + (B sin(theta + x))^(2/3) for 0 <= x <= pi/2 - theta: the
    book's addition to equation (39) of Ongie & Willett (2022), which it equals for A = B.

    >>> round(cost_along_rays(np.pi / 2, 8.0, 1.0), 12)
    5.0
    """
    theta, A, B = _acute_angle_and_sums(theta, A, B)
    last = np.pi / 2 - theta

    def rises(x: float) -> float:
        # The slope, up to 2/3. Concave powers of concave terms: one zero at most.
        first = A ** (2 / 3) * np.sin(x) / np.cos(x) ** (1 / 3)
        second = B ** (2 / 3) * np.cos(theta + x) / np.sin(theta + x) ** (1 / 3)
        return second - first

    x = np.array([0.0, last])
    if rises(0.0) > 0 > rises(last):
        x = np.array([root_scalar(rises, bracket=(0.0, last), method="brentq", xtol=1e-15).root])
    sums = (A * np.cos(x)) ** (2 / 3) + (B * np.sin(theta + x)) ** (2 / 3)
    return float(sums.max())


def alignment_condition(theta: float, A: float, B: float, power: float = 2) -> float:
    """1 / cos(theta/2)^power - 1 - 4 A B sin(theta) / (A + B)^2: it holds at or below 0.

    Proposition 5.2 of Ongie & Willett (2022), with power 2: then three layers make the
    network along w_0 cheaper than the one along the rays.

    >>> alignment_condition(np.pi / 3, 1.0, 1.0) < 0 < alignment_condition(np.pi / 3, 1.0, 0.01)
    True
    """
    theta, A, B = _angle_and_sums(theta, A, B)
    power = real_number(power, "power")
    right = 1 + 4 * A * B / (A + B) ** 2 * np.sin(theta)
    return float(np.cos(theta / 2) ** -power - right)


def random_network_on_rays(
    theta: float,
    sums: tuple[float, float] | Float[np.ndarray, " 2"],
    *,
    rng: np.random.Generator,
    units: range = range(1, 5),
    limit: float = 0.0,
    spread: float = 1.0,
) -> TwoLayer:
    """Units along both rays, at least one on each, |a_k| adding up to `sums`, signs at random.

    The networks that Proposition 5.2 of Ongie & Willett (2022) is about. units: how many
    there may be on a ray; biases are uniform between limit - spread and limit.

    >>> net = random_network_on_rays(1.0, (3.0, 1.0), rng=np.random.default_rng(0))
    >>> round(float(np.abs(net.a).sum()), 12), bool((net.b <= 0).all())
    (4.0, True)
    """
    theta, rng = _angle(theta), generator(rng)
    both = finite_array(sums, "sums", 1)
    if len(both) != 2 or (both < 0).any():
        raise ValueError(f"sums must be two numbers, none negative, not {both.tolist()}")
    limit, spread = real_number(limit, "limit"), nonnegative_number(spread, "spread")
    if not isinstance(units, range) or len(units) < 1 or units.start < 1:
        raise ValueError(f"units must be a range of numbers from 1 on, not {units}")
    # The draws come in this order: numbers of units, shares, signs, biases.
    counts = rng.integers(units.start, units.stop, 2)
    W = np.repeat(ray_directions(np.pi - theta), counts, axis=0)
    shares = [
        total * rng.dirichlet(np.ones(count)) for total, count in zip(both, counts, strict=True)
    ]
    signs = rng.choice([-1.0, 1.0], len(W))
    return TwoLayer(W, signs * np.concatenate(shares), limit - rng.uniform(0, spread, len(W)))


def _angle(theta: float) -> float:
    """Two rays may be anything but one, or one another's continuation."""
    angle = real_number(theta, "theta")
    if not 0 < angle < np.pi:
        raise ValueError(f"theta must be between 0 and pi, not {angle:g}")
    return angle


def _angle_and_sums(theta: float, A: float, B: float) -> tuple[float, float, float]:
    sums = nonnegative_number(A, "A"), nonnegative_number(B, "B")
    if not any(sums):
        raise ValueError("A and B must not both be zero; give outer weights to one ray at least")
    return _angle(theta), *sums


def _acute_angle_and_sums(theta: float, A: float, B: float) -> tuple[float, float, float]:
    theta, A, B = _angle_and_sums(theta, A, B)
    if theta > np.pi / 2:
        raise ValueError(f"theta must lie between 0 and pi/2, not {theta:g}")
    return theta, A, B
