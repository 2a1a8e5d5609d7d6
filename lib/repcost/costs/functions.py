"""The cost of a given function: how small the weights of a two-layer network that equals it can be."""

import math

import numpy as np
from jaxtyping import Float, Int

from repcost.bounds import Bracket
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear
from repcost.rounding import (
    LARGEST_PRODUCT,
    SMALLEST_PRODUCT,
    exact_product,
    expansion,
    quotient_digits,
    rounded_outward,
)

Column = Float[np.ndarray, " K"]


def function_cost(f: PiecewiseLinear | TwoLayer) -> Bracket:
    """R-bar(f) = max(total variation of f', |f'(-inf) + f'(+inf)|), Theorem 3.1 of Savarese et al. (2019).

    Half the sum of squared weights, biases free, of the cheapest two-layer ReLU network of any width that equals f.
    A network is taken as the function that its floats define: thresholds -b/w are one kink exactly when they are
    equal as rationals, units with w = 0 are free constants. Certified: sums are exact, and rounded outward once.

    >>> function_cost(PiecewiseLinear([0.0], [-1.0, 1.0])).value
    2.0
    """
    if isinstance(f, PiecewiseLinear):
        return _cost_of_slopes(f.slopes)
    if not isinstance(f, TwoLayer):
        raise ValueError(f"f must be a PiecewiseLinear or a TwoLayer, not {type(f).__name__}")
    if f.dimension != 1:
        raise ValueError(f"f takes {f.dimension} variables; only functions of one variable are measured so far")
    return _cost_of_units(f.W[:, 0], f.a, f.b)


def _cost_of_slopes(slopes: Float[np.ndarray, " pieces"]) -> Bracket:
    before, after = slopes[:-1], slopes[1:]
    # |after - before| is sign * after - sign * before, and comparing floats gives the exact sign.
    sign = (after > before) * 1.0 - (after < before)
    return _larger(np.concatenate([sign * after, -sign * before]), slopes[[0, -1]])


def _cost_of_units(w: Column, a: Column, b: Column) -> Bracket:
    with np.errstate(over="ignore", under="ignore"):
        size = np.abs(a * w)
    if size.max(initial=0.0) > LARGEST_PRODUCT:
        raise ValueError(f"some |a_k w_k| exceeds {LARGEST_PRODUCT:g}; divide a by a power of two first")
    tiny = (size < SMALLEST_PRODUCT) & (a != 0) & (w != 0)
    w, a, b = w[size >= SMALLEST_PRODUCT], a[size >= SMALLEST_PRODUCT], b[size >= SMALLEST_PRODUCT]
    high, low = exact_product(a, np.abs(w))
    cost = _larger(_masses(w, b, high, low), np.concatenate([np.sign(w) * high, np.sign(w) * low]))
    if not tiny.any():
        return cost
    # A unit changes the cost by at most |a w| (it is a seminorm): tiny ones widen the bracket instead of being summed.
    allowance = len(tiny) * SMALLEST_PRODUCT
    return Bracket(max(0.0, cost.lower - allowance), math.nextafter(cost.upper + allowance, math.inf), "certified")


def _masses(w: Column, b: Column, high: Column, low: Column) -> Float[np.ndarray, " terms"]:
    """Terms whose exact sum is the sum over kinks of |sum of high + low of the units that bend there|."""
    shared = _shared_kinks(w, b)
    alone = np.ones(len(w), dtype=bool)
    alone[np.concatenate([*shared, np.zeros(0, dtype=np.int64)])] = False
    sign = np.sign(high[alone])
    together = (expansion(np.concatenate([high[units], low[units]])) for units in shared)
    return np.concatenate([sign * high[alone], sign * low[alone], *(np.sign(sum[:1]) * sum for sum in together)])


def _shared_kinks(w: Column, b: Column) -> list[Int[np.ndarray, " units"]]:
    """The groups of two or more units whose thresholds -b/w are the same rational."""
    with np.errstate(over="ignore", under="ignore"):
        quotient = b / w
    # Division rounds correctly, so equal rationals give equal floats: only ties need a closer look.
    order = np.argsort(quotient, kind="stable")
    tie = quotient[order][1:] == quotient[order][:-1]
    units = order[np.append(False, tie) | np.append(tie, False)[: len(order)]]
    digits = np.stack(quotient_digits(b[units], w[units]))
    by_digits = np.lexsort(digits)
    changes = np.any(np.diff(digits[:, by_digits], axis=1) != 0, axis=0)
    groups = np.split(units[by_digits], np.flatnonzero(changes) + 1)
    return [group for group in groups if len(group) > 1]


def _larger(variation: Float[np.ndarray, " terms"], slope_sum: Float[np.ndarray, " more"]) -> Bracket:
    """The larger of the sum of `variation` and the size of the sum of `slope_sum`."""
    try:
        low, high = rounded_outward(variation)
        ends = sorted(map(abs, rounded_outward(slope_sum)))
    except OverflowError:
        raise ValueError("the slopes are too large to add up; divide the function by a power of two first") from None
    return Bracket(max(low, ends[0]), max(high, ends[1]), "certified")
