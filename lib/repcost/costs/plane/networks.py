"""Networks through points of the plane, and what they cost in truth: rounding included, at any
depth.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import minimize_scalar

from repcost.costs.attained import cheapest_network
from repcost.costs.line import interpolate_line
from repcost.costs.linear_layers.phi import linear_layers_cost
from repcost.costs.plane.arcs import Points, Values, unit_vectors
from repcost.costs.plane.programme import Units, fitted, spread_direction
from repcost.networks import TwoLayer
from repcost.rounding import UNIT

Direction = Float[np.ndarray, " 2"]

# For so little fewer units are better.
_AS_CHEAP = 1e-10
_ANGLES = 720
_BEST_ANGLES = 4


@dataclass(frozen=True, eq=False)
class PlaneData:
    """Distinct points and values moved and scaled, by powers of two, until the largest entries are
    in [1/2, 1].

    points and y are 2^(-scale) (given - centre) and 2^(-height) (values - middle), each entry
    rounded once.
    """

    given: Points
    values: Values
    points: Points
    y: Values
    centre: Direction
    middle: float
    scale: int
    height: int

    @classmethod
    def normalised(cls, X: Points, y: Values) -> "PlaneData":
        centre, middle = _middle(X), float(_middle(y))
        points, heights = X - centre, y - middle
        scale, height = (
            int(np.frexp(np.abs(points).max())[1]),
            int(np.frexp(np.abs(heights).max())[1]),
        )
        points, heights = np.ldexp(points, -scale), np.ldexp(heights, -height)
        if len(np.unique(points, axis=0)) < len(points):
            raise ValueError(
                "two points of X are too close for their distance to the others; merge them"
            )
        return cls(X, y, points, heights, centre, middle, scale, height)

    def restored(self, net: TwoLayer) -> TwoLayer:
        """The network of the points as they were given, its weights and biases rounded."""
        b = np.ldexp(net.b, self.scale) - net.W @ self.centre
        c = float(np.ldexp(net.c, self.height)) + self.middle
        return TwoLayer(net.W, np.ldexp(net.a, self.height - self.scale), b, c)

    def missing(self, net: TwoLayer) -> Values:
        """What the network, taken exactly, falls short of the values, taken exactly, rounded once."""
        one, factor = Fraction(2) ** -self.scale, Fraction(2) ** -self.height
        units = [
            [Fraction(z) for z in row] for row in np.column_stack([net.W, net.b, net.a]).tolist()
        ]
        middle, p, q = Fraction(self.middle), *map(Fraction, self.centre.tolist())
        left = []
        for (x, z), value in zip(self.given.tolist(), self.values.tolist(), strict=True):
            x, z = (Fraction(x) - p) * one, (Fraction(z) - q) * one
            total = sum(
                (a * height for u, v, b, a in units if (height := u * x + v * z + b) > 0),
                Fraction(net.c),
            )
            left.append(float((Fraction(value) - middle) * factor - total))
        return np.array(left)

    def levels(self, along: Direction) -> tuple[Int[np.ndarray, " levels"], Int[np.ndarray, " n"]]:
        """A point of each level of <along, x>, and the level of each point: exactly, for the points
        as given.
        """
        u, v = map(Fraction, along.tolist())
        values = [u * Fraction(x) + v * Fraction(z) for x, z in self.given.tolist()]
        number = {value: k for k, value in enumerate(dict.fromkeys(values))}
        level = np.array([number[value] for value in values])
        return np.unique(level, return_index=True)[1], level


@dataclass(frozen=True, eq=False)
class Fit:
    """A network, and an upper end of R_L that an exact interpolant next to it has."""

    network: TwoLayer
    cost: float

    @classmethod
    def repaired(cls, data: PlaneData, net: TwoLayer, along: Direction, depth: int) -> "Fit":
        """Units along one direction make up for what the network misses, and hats for what even
        these miss.

        A hat of height r between neighbours at least `gap` away has path norm 4 r / gap. Hats along
        one direction cost what one unit with their path norms in sum costs, so that unit joins the
        network.
        """
        missing = data.missing(net)
        if np.abs(missing).max() > 2.0**-45 and (patch := aligned_network(data, missing, along)):
            net = _side_by_side(net, patch)
            missing = data.missing(net)
        first, level = data.levels(along)
        t = np.sort(data.points[first] @ along)
        gap = float(np.diff(t).min(initial=np.inf)) - 8 * UNIT * float(np.abs(along).sum())
        if gap <= 0 or (data.values[first][level] != data.values).any():
            return cls(net, np.inf)
        W, a = np.vstack([net.W, along]), np.append(net.a, 4.01 * np.abs(missing).sum() / gap)
        return cls(net, linear_layers_cost(W, a, depth).upper)


def _side_by_side(one: TwoLayer, other: TwoLayer) -> TwoLayer:
    W, a, b = (
        np.concatenate(pair) for pair in ((one.W, other.W), (one.a, other.a), (one.b, other.b))
    )
    return TwoLayer(W, a, b, one.c + other.c)


def best_fit(data: PlaneData, proposals: list[Units], depth: int) -> Fit:
    """The network of fewest units among the cheapest that come of the proposals once each fits the
    data.
    """
    along = spread_direction(data.points)
    fits = []
    for proposal in proposals:
        units = fitted(data.points, data.y, proposal)
        bias = -np.einsum("gd,gd->g", units.directions, data.points[units.at])
        fits.append(
            Fit.repaired(
                data, TwoLayer(units.directions, units.masses, bias, units.constant), along, depth
            )
        )
    limit = min(fit.cost for fit in fits) * (1 + _AS_CHEAP)
    return min((fit for fit in fits if fit.cost <= limit), key=lambda fit: fit.network.width)


def best_aligned(data: PlaneData, depth: int) -> Fit | None:
    """The cheapest network found among those whose units are all parallel, each direction a problem
    of one variable.

    With all units along u, R_L^(L/2) is the cost of the data in <u, x>: Corollary 3.6 of Ongie &
    Willett (2022). It drops where points of equal value meet in one, so those directions are tried
    as well.
    """
    angles = np.pi * np.arange(_ANGLES) / _ANGLES
    costs = line_costs(data.points @ unit_vectors(angles).T, data.y)
    lowest = np.flatnonzero((costs <= np.roll(costs, 1)) & (costs <= np.roll(costs, -1)))
    directions = []
    for k in lowest[np.argsort(costs[lowest])][:_BEST_ANGLES]:
        nearby = (angles[k] - np.pi / _ANGLES, angles[k] + np.pi / _ANGLES)
        found: Any = minimize_scalar(
            _cost_at, bounds=nearby, args=(data,), method="bounded", options={"xatol": 1e-9}
        )
        directions.append(unit_vectors(np.array(found.x)))
    i, j = np.triu_indices(len(data.y), 1)
    alike = data.y[i] == data.y[j]
    directions += list((data.points[i] - data.points[j])[alike][:, ::-1] * [-1, 1])
    nets = [(net, along) for along in directions if (net := aligned_network(data, data.y, along))]
    if not nets:
        return None
    net, along = min(nets, key=lambda pair: pair[0].path_norm)
    return Fit.repaired(data, net, along, depth)


def aligned_network(data: PlaneData, y: Values, along: Direction) -> TwoLayer | None:
    """The cheapest network with all units along one direction, or None if y is no function of
    <along, x>.
    """
    first, level = data.levels(along)
    t, values = data.points[first] @ along, y[first]
    if (values[level] != y).any() or not np.diff(np.sort(t)).all():
        return None
    net = cheapest_network(interpolate_line(t, values).function)
    return TwoLayer(net.W * along, net.a, net.b, net.c)


def line_price(data: PlaneData, along: Direction) -> Values:
    """The certificate of the data in <along, x>; zero if points meet there."""
    t = data.points @ along
    order = np.argsort(t)
    price = np.zeros(len(t))
    if (np.diff(t[order]) > 0).all():
        price[order] = interpolate_line(t[order], data.y[order]).certificate
    return price


def _cost_at(angle: float, data: PlaneData) -> float:
    return float(line_costs(data.points @ unit_vectors(np.array([angle])).T, data.y)[0])


def line_costs(t: Float[np.ndarray, "n m"], y: Values) -> Float[np.ndarray, " m"]:
    """R_2 of the points (t_i, y_i) of each column, Theorem 3.3 of Savarese et al. (2019); infinite
    if two t meet.
    """
    order = np.argsort(t, axis=0)
    runs, rises = np.diff(np.take_along_axis(t, order, axis=0), axis=0), np.diff(y[order], axis=0)
    apart = (runs > 0).all(axis=0)
    slopes = rises / np.where(apart, runs, 1.0)
    variation = np.abs(np.diff(slopes, axis=0)).sum(axis=0)
    return np.where(
        apart, np.maximum(variation, (variation + np.abs(slopes[0] + slopes[-1])) / 2), np.inf
    )


def _middle(values: Any) -> Any:
    """Of the range of a vector, or of each column."""
    low, high = values.min(axis=0), values.max(axis=0)
    return low + (high - low) / 2
