"""The least weights with which given units make given values: linear programmes in outer weights.

A cost is the least weight over all units there are. Here the units are given, so the least
weight is at least that cost, and equal to it where the right units are among them. In one
variable we know which they are: units that bend at the knots of a function (Theorem 3.1 of
Savarese et al. 2019), or at the points to be interpolated (Theorem 3.3). HiGHS finds a
vertex, so that few units have weights. These are plain floats, good to about 1e-8 and without
a certificate: an independent method to compare the certified costs with.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import linprog

from repcost.arrays import ArrayLike, finite_array, points_on_line, same_length
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear, as_piecewise
from repcost.scalars import nonnegative_number, real_number

# Weights below this are what the simplex method leaves of zero.
_IDLE = 1e-9


@dataclass(frozen=True, eq=False)
class LeastWeights:
    """What `least_weights` returns.

    cost: the least sum of prices_k |a_k|. weights: (K,), the a_k. multipliers: (n,), by how
    much the cost rises with each of the values.
    """

    cost: float
    weights: Float[np.ndarray, " K"]
    multipliers: Float[np.ndarray, " n"]


def least_weights(
    units: ArrayLike,
    values: ArrayLike,
    *,
    free: ArrayLike | None = None,
    prices: ArrayLike | None = None,
) -> LeastWeights:
    """min over a, f of sum_k prices_k |a_k| with units a + free f = values.

    Equation (5) of Savarese et al. (2019) for finitely many units. units: (n, K), a column of
    values at the n points for each unit; values: (n,); free: (n, m), columns that cost
    nothing, such as the constant 1; prices: (K,), one each unless given.

    >>> found = least_weights([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [2.0, 3.0])
    >>> found.cost, found.weights.tolist()
    (3.0, [0.0, 1.0, 2.0])
    """
    units, values = finite_array(units, "units", 2), finite_array(values, "values", 1)
    free = np.zeros((len(values), 0)) if free is None else finite_array(free, "free", 2)
    same_length(units=units, values=values, free=free)
    each = np.ones(units.shape[1]) if prices is None else finite_array(prices, "prices", 1)
    if len(each) != units.shape[1] or (each < 0).any():
        raise ValueError(f"prices must be {units.shape[1]} numbers, one per unit, none negative")
    if not len(values) or not units.size + free.size:
        return _nothing_to_solve(values, each)
    # Both signs of every column, each with a weight that is not negative.
    columns = np.hstack([units, -units, free, -free])
    costs = np.concatenate([each, each, np.zeros(2 * free.shape[1])])
    found = linprog(costs, A_eq=columns, b_eq=values, method="highs-ds")
    if found.x is None:
        raise ValueError("no weights make these values; give more units or free columns")
    up, down = found.x[: len(each)], found.x[len(each) : 2 * len(each)]
    return LeastWeights(float(found.fun), up - down, found.eqlin.marginals)


def _nothing_to_solve(
    values: Float[np.ndarray, " n"], each: Float[np.ndarray, " K"]
) -> LeastWeights:
    """Without points, or without units: compiled solvers are not asked about empty matrices."""
    if values.any():
        raise ValueError("no weights make these values; give more units or free columns")
    return LeastWeights(0.0, 0 * each, 0 * values)


def least_mass(bends: ArrayLike, end_slopes: float) -> LeastWeights:
    """The least weight of ramps that bend so at the knots and have this sum of slopes at the ends.

    Equations (8) and (9) of Savarese et al. (2019), whose value is Theorem 3.1. bends: (k,),
    of the function at its knots; end_slopes: f'(-inf) + f'(+inf). The first k + 1 weights are
    of ramps that face right, the others of those that face left; the last of either kind
    stands at a spare place where the function does not bend. The last multiplier is the price
    of the end slopes.

    >>> least_mass([1.0, -2.0, 1.0], 0.0).cost, least_mass([1.0], 3.0).cost
    (4.0, 3.0)
    """
    bends = np.append(finite_array(bends, "bends", 1), 0.0)
    facing, each = np.ones(len(bends)), np.eye(len(bends))
    # Bends are sums of both kinds; the slopes at the ends add up to their difference.
    ramps = np.vstack([np.hstack([each, each]), np.concatenate([facing, -facing])])
    return least_weights(ramps, np.append(bends, real_number(end_slopes, "end_slopes")))


def ramps_at(x: ArrayLike) -> Float[np.ndarray, "n n2"]:
    """Columns [x - t]_+ and then [t - x]_+ for t = x_1, ..., x_n: unit directions, both ways.

    The units that Theorem 3.3 of Savarese et al. (2019) needs. x: (n,) or (n, 1).

    >>> ramps_at([0.0, 2.0]).tolist()
    [[0.0, 0.0, 0.0, 2.0], [2.0, 0.0, 0.0, 0.0]]
    """
    x = points_on_line(x)
    over = np.subtract.outer(x, x)
    return np.maximum(np.hstack([over, -over]), 0)


def cheapest_of_ramps(x: ArrayLike, y: ArrayLike) -> TwoLayer:
    """A network of least path norm through the points, of units that bend at them; no idle ones.

    Theorem 3.3 of Savarese et al. (2019) by a linear programme; `interpolate_line` has the
    cost in closed form, with a proof. x: (n,) or (n, 1), in any order, all different; y:
    (n,).

    >>> net = cheapest_of_ramps([0, 1, 2], [0, 1, 0])
    >>> net.path_norm, net([0, 1, 2]).tolist()
    (2.0, [0.0, 1.0, 0.0])
    """
    x, y = points_on_line(x), points_on_line(y, "y")
    same_length(x=x, y=y)
    if not len(x):
        raise ValueError("x is empty; give at least one point")
    units = ramps_at(x)
    # Differences to the first point: the output bias is free.
    a = least_weights(units[1:] - units[0], y[1:] - y[0]).weights
    return _of_ramps(x, a, float(y[0] - units[0] @ a))


def cheapest_within(
    f: PiecewiseLinear, distance: float, places: ArrayLike | None = None
) -> TwoLayer:
    """A network of least path norm within `distance` of f on the whole line, bending at `places`.

    Equation (6) of Savarese et al. (2019) before its limit, for finitely many thresholds. places:
    (m,) or (m, 1), in any order, the knots of f among them; unless given these, the middles
    between them, and a place beyond at each end. As f is straight between neighbours, the values
    at the places tell how far a network goes away from it; and beyond the last ones it stays
    near only with the same slopes. Nothing is used of what a function costs.

    >>> hat = PiecewiseLinear([-1.0, 0.0, 1.0], [0.0, 1.0, -1.0, 0.0], (0.0, 1.0))
    >>> cheapest_within(hat, 0.25).path_norm, cheapest_within(hat, 0.0).path_norm
    (2.0, 4.0)
    """
    f = as_piecewise(f)
    places = _around_the_knots(f) if places is None else np.unique(points_on_line(places, "places"))
    distance = nonnegative_number(distance, "distance")
    if not len(places) or not np.isin(f.knots, places).all():
        raise ValueError("places must hold at least one threshold, and all knots of f")
    near = np.hstack([ramps_at(places), np.ones((len(places), 1))])
    far = _slopes_at_the_ends(len(places))
    # Both signs of every weight, and of the output bias, which is free.
    both, ends = np.hstack([near, -near]), np.hstack([far, -far])
    found = linprog(
        np.tile(np.append(np.ones(2 * len(places)), 0.0), 2),
        A_ub=np.vstack([both, -both]),
        b_ub=np.concatenate([f(places) + distance, distance - f(places)]),
        A_eq=ends,
        b_eq=f.slopes[[0, -1]],
        method="highs-ds",
    )
    if found.x is None:
        raise ValueError("the programme was not solved; scale f and distance to sizes near one")
    up, down = np.split(found.x, 2)
    return _of_ramps(places, (up - down)[:-1], float(up[-1] - down[-1]))


def _around_the_knots(f: PiecewiseLinear) -> Float[np.ndarray, " m"]:
    knots = f.knots if len(f.knots) else np.array(f.anchor[:1])
    return np.sort([knots[0] - 1, *knots, *(knots[1:] + knots[:-1]) / 2, knots[-1] + 1])


def _slopes_at_the_ends(thresholds: int) -> Float[np.ndarray, "2 K"]:
    """Those of each ramp, and of a constant: only ramps that face there have one."""
    faces_right = np.repeat([1.0, 0.0, 0.0], [thresholds, thresholds, 1])
    faces_left = np.repeat([0.0, 1.0, 0.0], [thresholds, thresholds, 1])
    return np.stack([-faces_left, faces_right])


def _of_ramps(places: Float[np.ndarray, " n"], a: Float[np.ndarray, " K"], c: float) -> TwoLayer:
    """The network with the weights of `ramps_at`, without idle units."""
    sides = np.repeat([1.0, -1.0], len(places))
    used = np.abs(a) > _IDLE
    return TwoLayer(sides[used, None], a[used], -(sides * np.tile(places, 2))[used], c)
