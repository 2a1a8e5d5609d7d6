"""The cost of a given function: how small the weights of a two-layer network that equals it can be."""

import math

import numpy as np
from jaxtyping import Float, Int

from repcost.bounds import Bracket
from repcost.costs.hyperplanes import shared_hyperplanes
from repcost.costs.zonotopes import distance_to_zonotope
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear
from repcost.rounding import (
    LARGEST_PRODUCT,
    SMALLEST_PRODUCT,
    UNIT,
    exact_product,
    expansion,
    rounded_outward,
)

Rows = Float[np.ndarray, "K d"]
Column = Float[np.ndarray, " K"]
Groups = list[Int[np.ndarray, "..."]]
Terms = Float[np.ndarray, "..."]


def function_cost(f: PiecewiseLinear | TwoLayer) -> Bracket:
    """R-bar(f): half the sum of squared weights, biases free, of the cheapest two-layer ReLU
    network that equals f.

    In one variable max(total variation of f', |f'(-inf) + f'(+inf)|), Theorem 3.1 of Savarese et
    al. (2019). For a TwoLayer of any dimension sum |c_j| + min over |t_j| <= |c_j| of |g - sum t_j
    u_j|, which is the same on a line: c_j is the sum of a_k |w_k| over the units that bend at
    hyperplane j, u_j its unit normal, g = sum a_k w_k. For the units of any network of f that point
    to the two sides of hyperplane j have sums p_j and q_j with p_j + q_j = c_j (0 where f does not
    bend), cost |p_j| + |q_j| = max(|c_j|, |t_j|) for t_j = p_j - q_j, and sum t_j u_j = g. So if no
    two units share a hyperplane, no network is cheaper than the `path_norm` of this one.

    A network is taken as the function that its floats define: units share a hyperplane exactly when
    (w, b) are multiples of each other as rationals, and units with w = 0 are free constants. Units
    that only almost share one
    cancel nothing: between their hyperplanes f has a steep step, and that costs. Certified: on a
    line sums are exact, and rounded outward once; else the ends move outward by (d + 20) 2^-53 of
    themselves, after what `distance_to_zonotope` allows for a minimum that is not known to be 0.

    >>> function_cost(PiecewiseLinear([0.0], [-1.0, 1.0])).value
    2.0
    >>> linear = TwoLayer([[3.0, 4.0], [-3.0, -4.0]], [1.0, -1.0], [0.0, 0.0])
    >>> round(function_cost(linear).value, 12)
    10.0
    """
    if isinstance(f, PiecewiseLinear):
        return _cost_of_slopes(f.slopes)
    if not isinstance(f, TwoLayer):
        raise ValueError(f"f must be a PiecewiseLinear or a TwoLayer, not {type(f).__name__}")
    return _cost_of_units(f.W, f.a, f.b)


def _cost_of_slopes(slopes: Float[np.ndarray, " pieces"]) -> Bracket:
    before, after = slopes[:-1], slopes[1:]
    # |after - before| is sign * after - sign * before, and comparing floats gives the exact sign.
    sign = (after > before) * 1.0 - (after < before)
    return _larger(np.concatenate([sign * after, -sign * before]), slopes[[0, -1]])


def _cost_of_units(W: Rows, a: Column, b: Column) -> Bracket:
    with np.errstate(over="ignore", under="ignore"):
        sizes = np.abs(a[:, None] * W)
    largest = sizes.max(axis=1, initial=0.0)
    if largest.max(initial=0.0) > LARGEST_PRODUCT:
        raise ValueError(
            f"some |a_k w_k| exceeds {LARGEST_PRODUCT:g}; divide a by a power of two first"
        )
    bends = largest >= SMALLEST_PRODUCT
    cost = (_cost_on_line if W.shape[1] == 1 else _cost_in_space)(W[bends], a[bends], b[bends])
    tiny = (sizes < SMALLEST_PRODUCT) & (a[:, None] != 0) & (W != 0)
    if not tiny.any():
        return cost
    # A unit changes the cost by at most |a w| (it is a seminorm): tiny ones widen the bracket
    # instead of being summed.
    allowance = tiny.sum() * SMALLEST_PRODUCT
    lower, upper = (
        math.nextafter(cost.lower - allowance, -math.inf),
        math.nextafter(cost.upper + allowance, math.inf),
    )
    return Bracket(max(0.0, lower), upper, "certified")


def _cost_on_line(W: Rows, a: Column, b: Column) -> Bracket:
    w = W[:, 0]
    high, low = exact_product(a, np.abs(w))
    sign = np.sign(w)
    return _larger(
        _masses(shared_hyperplanes([b], w), high, low), np.concatenate([sign * high, sign * low])
    )


def _masses(shared: Groups, high: Column, low: Column) -> Terms:
    """Terms whose exact sum is the sum over kinks of |sum of high + low of the units that bend
    there|.
    """
    alone = np.ones(len(high), dtype=bool)
    alone[np.concatenate([*shared, np.zeros(0, dtype=np.int64)])] = False
    sign = np.sign(high[alone])
    together = (expansion(np.concatenate([high[units], low[units]])) for units in shared)
    return np.concatenate(
        [sign * high[alone], sign * low[alone], *(np.sign(sum[:1]) * sum for sum in together)]
    )


def _larger(variation: Terms, slope_sum: Terms) -> Bracket:
    """The larger of the sum of `variation` and the size of the sum of `slope_sum`."""
    try:
        low, high = rounded_outward(variation)
        ends = sorted(map(abs, rounded_outward(slope_sum)))
    except ArithmeticError:  # an overflow, in numpy or in fsum
        raise ValueError(
            "the slopes are too large to add up; divide the function by a power of two first"
        ) from None
    return Bracket(max(low, ends[0]), max(high, ends[1]), "certified")


def _cost_in_space(W: Rows, a: Column, b: Column) -> Bracket:
    if not len(W):
        return Bracket(0.0, 0.0, "certified")
    pivots = np.take_along_axis(W, np.abs(W).argmax(axis=1)[:, None], axis=1)[:, 0]
    masses, leans = _net_masses(
        shared_hyperplanes([b, *W.T], pivots), pivots, *exact_product(a, np.abs(pivots))
    )
    normals = W / pivots[:, None]
    lower = upper = math.fsum(masses * np.linalg.norm(normals, axis=1))
    if leans:
        linear = np.array(
            [sum(expansion(np.stack(exact_product(a, column)))[:1]) for column in W.T], dtype=float
        )
        exponent = int(np.frexp(max(masses.max(), np.abs(linear).max()))[1])
        generators = np.ldexp(masses, -exponent)[:, None] * normals
        distance = distance_to_zonotope(np.ldexp(linear, -exponent), generators)
        lower, upper = (
            lower + math.ldexp(distance.lower, exponent),
            upper + math.ldexp(distance.upper, exponent),
        )
    # Lengths of normals are off by d / 2 + 3 roundings, all else by a few; and neither masses nor g
    # exceed the cost.
    rounding = (W.shape[1] + 20) * UNIT
    return Bracket(lower * (1 - rounding), upper * (1 + rounding), "certified")


def _net_masses(shared: Groups, pivots: Column, high: Column, low: Column) -> tuple[Column, bool]:
    """|c_j| in units of |w| / |pivot|, at the first unit of each hyperplane; and whether some |t_j|
    exceeds its |c_j|.

    Only then can the minimum differ from 0, since g is the sum of the t_j u_j of these units.
    """
    masses, leans = np.abs(high), False
    for units in shared:
        terms, side = np.stack([high[units], low[units]]), pivots[units] > 0
        p, q = math.fsum(terms[:, side].ravel()), math.fsum(terms[:, ~side].ravel())
        masses[units] = 0.0
        masses[units[0]] = abs(math.fsum(terms.ravel()))
        leans = leans or min(p, q) < 0 < max(p, q)
    return masses, leans
