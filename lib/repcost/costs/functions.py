"""The cost of a given function: how small the weights of a network that equals it can be.

At hyperplane j the function has a kink of size c_j along the unit normal u_j: c_j is the sum
of a_k |w_k| over the units that bend there. Units of any other network of f may point to
either side of it; with the sums p_j and q_j of the two sides, p_j + q_j = c_j. They cost |p_j|
+ |q_j|, which is max(|c_j|, |t_j|) for t_j = p_j - q_j, and what they do far away is fixed by
f alone: sum t_j u_j = g, where g = sum a_k w_k. So R-bar(f) = sum |c_j| + min over |t_j| <=
|c_j| of |g - sum t_j u_j|: what no kink can carry needs pairs of units that bend against each
other.

On a line u_j = 1 and the minimum has a closed form; in space it is the distance of g to a
zonotope.
"""

import math
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from repcost.bounds import Bracket
from repcost.conventions import HALF_OF_WEIGHTS
from repcost.costs.functions_in_space import cost_in_space
from repcost.costs.hyperplanes import Column, Groups, shared_hyperplanes
from repcost.costs.paid_biases.arguments import Biases, Output, output_of
from repcost.costs.paid_biases.functions import paid_cost_of
from repcost.costs.variation import cost_of_slopes, larger_of
from repcost.deep_networks import DeepNet, as_two_layer
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear
from repcost.rounding import (
    LARGEST_PRODUCT,
    SMALLEST_PRODUCT,
    exact_product,
    expansion,
    gamma,
)

__all__ = ["function_cost"]

Rows = Float[np.ndarray, "K d"]
Terms = Float[np.ndarray, "..."]


def function_cost(
    f: PiecewiseLinear | TwoLayer | DeepNet, *, biases: Biases = "free", output: Output = "free"
) -> Bracket:
    """R-bar(f): half the sum of squared weights of the cheapest two-layer network that equals f.

    f: a network must have one hidden layer of ReLU units and one output. Biases are free. In one
    variable max(total variation of f', |f'(-inf) + f'(+inf)|), Theorem 3.1 of Savarese et al.
    (2019). For a TwoLayer of any dimension sum |c_j| + min over |t_j| <= |c_j| of
    |g - sum t_j u_j|, which is the same on a line: c_j is the sum of a_k |w_k| over the units that
    bend at hyperplane j, u_j its unit normal, g = sum a_k w_k. So if no two units share a
    hyperplane, no network is cheaper than the `path_norm` of this one.

    A network is taken as the function that its floats define: units share a hyperplane exactly
    when (w, b) are multiples of each other as rationals, and units with w = 0 are free
    constants. Units that only almost share one cancel nothing: between their hyperplanes f has
    a steep step, and that costs. Certified: on a line sums are exact, and rounded outward once,
    of units whose |a_k w_k| is above 1e-270; else the ends move outward by (d + 20) 2^-53 of
    themselves, after what `distance_to_zonotope` allows for a minimum that is not known to be 0.

    biases="paid", in one variable: half the squares of weights and hidden biases. A bend m at t
    costs sqrt(1 + t^2) |m| instead of |m|, and nothing else changes. output="paid": the output
    bias pays too, as in PyTorch's weight_decay. output="linear": not even a linear term does, so
    that these bends are all that is paid for (Boursier & Flammarion 2023).

    >>> function_cost(PiecewiseLinear([0.0], [-1.0, 1.0])).value
    2.0
    >>> linear = TwoLayer([[3.0, 4.0], [-3.0, -4.0]], [1.0, -1.0], [0.0, 0.0])
    >>> round(function_cost(linear).value, 12)
    10.0
    >>> moved = PiecewiseLinear([1.0], [-1.0, 1.0])
    >>> round(function_cost(moved, biases="paid").value ** 2, 12)
    8.0
    """
    paid = output_of(biases, output)
    if isinstance(f, PiecewiseLinear):
        cost = cost_of_slopes(f.slopes)
    elif isinstance(f, TwoLayer | DeepNet):
        f = as_two_layer(f, "f")
        cost = _cost_of_units(f.W, f.a, f.b)
    else:
        raise ValueError(f"f must be a PiecewiseLinear or a TwoLayer, not {type(f).__name__}")
    return paid_cost_of(f, cost, paid) if paid else replace(cost, counts=HALF_OF_WEIGHTS)


def _cost_of_units(W: Rows, a: Column, b: Column) -> Bracket:
    with np.errstate(over="ignore", under="ignore"):
        sizes = np.abs(a[:, None] * W)
    largest = sizes.max(axis=1, initial=0.0)
    if largest.max(initial=0.0) > LARGEST_PRODUCT:
        raise ValueError(
            f"some |a_k w_k| exceeds {LARGEST_PRODUCT:g}; divide a by a power of two first"
        )
    bends = largest >= SMALLEST_PRODUCT
    cost_of = _cost_on_line if W.shape[1] == 1 else cost_in_space
    cost = cost_of(W[bends], a[bends], b[bends])
    # Entries this small, but not 0, have products whose last digits may be lost.
    tiny = (sizes < SMALLEST_PRODUCT) & (a[:, None] != 0) & (W != 0)
    return _widened(cost, float(tiny.sum() * SMALLEST_PRODUCT)) if tiny.any() else cost


def _widened(cost: Bracket, allowance: float) -> Bracket:
    """Room for units that were not summed: each changes the cost, a seminorm, by at most |a w|."""
    lower = math.nextafter(cost.lower - allowance, -math.inf)
    upper = math.nextafter(cost.upper + allowance, math.inf)
    reason = "units too small for floats" if upper - lower > 1e-12 * upper else ""
    return Bracket(max(0.0, lower), upper, "certified", reason=reason)


def _cost_on_line(W: Rows, a: Column, b: Column) -> Bracket:
    w = W[:, 0]
    # a |w| = high + low exactly: the jump of the slope, whichever side the unit faces.
    high, low = exact_product(a, np.abs(w))
    sign = np.sign(w)
    jumps = _masses(shared_hyperplanes([b], w), high, low)
    return larger_of(jumps, np.concatenate([sign * high, sign * low]))


def _masses(shared: Groups, high: Column, low: Column) -> Terms:
    """Terms whose exact sum is that of |jump| over all kinks."""
    # high is a rounded sum, so it has the sign of high + low.
    sign = np.sign(high)
    sign[shared.units] = np.repeat(_signs_of_sums(shared, high, low), shared.sizes)
    return np.concatenate([sign * high, sign * low])


def _signs_of_sums(shared: Groups, high: Column, low: Column) -> Float[np.ndarray, " groups"]:
    """The sign of the exact sum of high + low over each group."""
    if not len(shared.starts):
        return np.zeros(0)
    high, low = high[shared.units], low[shared.units]
    total, size = (np.add.reduceat(terms, shared.starts) for terms in (high, np.abs(high)))
    found = np.sign(total)
    # Floats decide unless the sum is within its rounding, or `low`, one rounding of each.
    largest = int(shared.sizes.max())
    for group in np.flatnonzero(~(np.abs(total) > 2 * gamma(2 * largest + 2) * size)):
        start = shared.starts[group]
        own = slice(start, start + shared.sizes[group])
        exact = expansion(np.stack([high[own], low[own]]))
        found[group] = np.sign(exact[0]) if exact else 0.0
    return found
