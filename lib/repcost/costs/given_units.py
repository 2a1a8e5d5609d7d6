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
from repcost.scalars import real_number

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
    units, sides = ramps_at(x), np.repeat([1.0, -1.0], len(x))
    # Differences to the first point: the output bias is free.
    a = least_weights(units[1:] - units[0], y[1:] - y[0]).weights
    used = np.abs(a) > _IDLE
    biases = -(sides * np.tile(x, 2))
    return TwoLayer(sides[used, None], a[used], biases[used], float(y[0] - units[0] @ a))
