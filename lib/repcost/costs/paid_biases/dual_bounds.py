"""A proof that no function through the points costs less, of any numbers that are proposed.

What is proposed is g at the points (g = 0 from the last one on) and S. Left of the points g is
the line G - S t, with G = g(x_1) + S x_1. In terms of these the dual of the first page is

    S y_1 - S^2 / 2 + g(x_1) l_1 + sum g(x_n) (l_n - l_{n-1}),  |g| <= rho and |g - G + S t| <= rho.

Where a line passes between two points, as a multiple of rho it is a sinusoid A cos(psi - phi) of
the angle psi = atan t. Let r and s be its values at the ends and delta the angle between these, so
that sin(delta) = (b - a) / (rho(a) rho(b)). It has its top in between where r > s cos(delta) and
s > r cos(delta), and there

    A^2 = r s / cos(delta/2)^2 + (r - s)^2 / sin(delta)^2.

Nothing in this cancels but r - s, by two roundings. And no top is above max(r, s) / cos(delta),
which is better for points that are very close.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.costs.paid_biases.arguments import Output
from repcost.costs.paid_biases.points import Gaps, Points, Values
from repcost.rounding import TINY, UNIT, gamma

__all__ = ["Dual", "feasible", "tops"]

# A few roundings of a number near one.
_FEW = 8 * UNIT


@dataclass(frozen=True, eq=False)
class Dual:
    """g at the points and S, feasible, and the lower end that they prove."""

    g: Values
    S: float
    lower: float


def feasible(points: Points, g: Values, S: float, output: Output) -> Dual:
    """The proof nearest to the proposal: what sticks out is pulled in, then all is scaled."""
    g = g.copy()
    g[-1], S = 0.0, S if output == "paid" else 0.0
    if output == "linear":
        g[0] = 0.0
    for _ in range(3):
        peaks = tops(points, g, S, output)
        # At most a little: where a solver was wrong by more, scaling is safer.
        pull = np.clip(np.maximum(peaks[:-1], peaks[1:]), 1.0, 1 + 1e-6)
        g = g / (pull if output == "linear" else 1.0)
    steepest = max(1.0, float(tops(points, g, S, output).max()) * (1 + _FEW))
    value, size = _linear_part(points, g, S)
    share = 1 / steepest
    if S and value < share * S * S:
        # A smaller multiple proves more, as S pays by its square.
        share = max(0.0, value / (S * S))
    lower = share * value - (share * S) ** 2 / 2
    rounding = gamma(len(g) + 20) * 2 * (share * size + (share * S) ** 2) + TINY
    return Dual(share * g, share * S, max(0.0, lower - rounding))


def _linear_part(points: Points, g: Values, S: float) -> tuple[float, float]:
    """S y_1 + g(x_1) l_1 + sum of g (bends); and what its terms add up to without signs."""
    terms = np.concatenate([[S * points.y[0], g[0] * points.slopes[0]], g * points.turns])
    return float(terms.sum()), float(np.abs(terms).sum())


def tops(points: Points, g: Values, S: float, output: Output) -> Float[np.ndarray, " gaps2"]:
    """At least the largest |g| / rho and |g - G + S t| / rho: left of, between, right of points."""
    inside, ends = _between(points, g / points.rho), np.zeros(2)
    if output != "linear":
        other = (g - g[0] + S * points.widths_from_first) / points.rho
        inside = np.maximum(inside, _between(points, other))
        ends = _outside(points, g[0] + S * points.x[0], S)
    return np.concatenate([ends[:1], inside, ends[1:]])


def _between(points: Points, ratios: Values) -> Gaps:
    upward = _sinusoid(points, ratios[:-1], ratios[1:])
    return np.maximum(upward, _sinusoid(points, -ratios[:-1], -ratios[1:]))


def _sinusoid(points: Points, r: Gaps, s: Gaps) -> Gaps:
    """At least the largest value between two points of the sinusoid with these values there."""
    sine, cosine, half = points.angles
    at_ends = np.maximum(r, s)
    turns = (r - s * cosine > -_FEW) & (s - r * cosine > -_FEW) & (at_ends > 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        step = (np.abs(r - s) + 2 * _FEW) / sine
        # The first term from above, whichever sign it has.
        first = r * s / np.where(r * s > 0, half, half + 4 * _FEW)
        top = np.sqrt(np.maximum(first + step**2, 0.0)) * (1 + 2 * _FEW)
        near = np.where(cosine > 0.5, at_ends / np.minimum(cosine - _FEW, 1.0), np.inf)
    # A difference that is nothing but rounding makes no top.
    return np.where(turns, np.minimum(top, near), at_ends * (1 + np.copysign(_FEW, at_ends)))


def _outside(points: Points, G: float, S: float) -> Float[np.ndarray, "2"]:
    """Of |G - S t| / rho left of the first point and right of the last one."""
    first, last = float(points.x[0]), float(points.x[-1])
    # The top of the one with a positive G, its sign turned where G is negative.
    place = -S / G if G else np.copysign(np.inf, S)
    whole = np.hypot(G, S) * (1 + _FEW)
    left = whole if place <= first else max(abs(S), abs(G - S * first) / np.hypot(1, first))
    right = whole if place >= last else max(abs(S), abs(G - S * last) / np.hypot(1, last))
    return np.array([left, right]) * (1 + 4 * _FEW)
