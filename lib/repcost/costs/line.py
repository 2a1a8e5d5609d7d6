"""The cheapest functions of one variable through given points: their cost and its proof.

A function that interpolates has at least the total variation T of the slopes between
neighbours, and the sum of its two end slopes is free to be less than theirs, S, only if it
bends more. Theorem 3.3 of Savarese et al. (2019) says how much more. Which case holds hangs on
the signs of sums of slopes, so `slopes` decides those exactly, and the cost is an exact sum
that is rounded outward once.
"""

import math
from typing import Literal, overload

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, points_on_line, same_length
from repcost.bounds import Bracket
from repcost.conventions import WEIGHTS_OVER_DEPTH
from repcost.costs.line_interpolant import LineInterpolant
from repcost.costs.paid_biases.arguments import Biases, Output, output_of
from repcost.costs.paid_biases.interpolation import PaidInterpolant, interpolate_paid
from repcost.costs.slopes import Slopes, Total
from repcost.rounding import rounded_outward
from repcost.scalars import whole_depth

__all__ = ["LineInterpolant", "PaidInterpolant", "interpolate_line"]

Points = Float[np.ndarray, " n"]
Merged = Float[np.ndarray, " m"]


@overload
def interpolate_line(
    x: ArrayLike, y: ArrayLike, depth: int = 2, *, biases: Literal["free"] = "free"
) -> LineInterpolant: ...
@overload
def interpolate_line(
    x: ArrayLike,
    y: ArrayLike,
    depth: int = 2,
    *,
    biases: Literal["paid"],
    output: Output = "free",
) -> PaidInterpolant: ...
def interpolate_line(
    x: ArrayLike,
    y: ArrayLike,
    depth: int = 2,
    *,
    biases: Biases = "free",
    output: Output = "free",
) -> LineInterpolant | PaidInterpolant:
    """The least cost of a ReLU network through the points (x_n, y_n), and what attains it.

    R_L = R_2^{2/L} for `depth` L, with R_2 = max(T, (T + S)/2): T = sum |l_n - l_{n-1}|, S =
    |l_1 + l_{N-1}|, l_n the slopes between neighbours; Theorem 3.3 of Savarese et al. (2019).
    R_2 is half the sum of squared weights, biases free. x: (n,) or (n, 1) in any order; y:
    (n,). Certified: the bracket holds for the floats given, however close. Refused are neighbours
    closer than 1e-307, and slopes beyond 1e300.

    biases="paid", at depth 2: half the squares of weights and hidden biases, with the output bias
    free; it pays too with output="paid", as in PyTorch's weight_decay, and a linear term is free
    beside it with output="linear" (Boursier & Flammarion 2023). Then the answer has the cost, one
    function that attains it, and its proof. Certified as well, its ends 1e-9 of the cost apart
    where a shortest path is the answer (output "linear", and "free" if the points are not
    monotone), else about 1e-7; the Bracket has a reason where they are wider than 1e-6.

    >>> fit = interpolate_line([0, 1, 2], [0, 1, 3])
    >>> fit.cost.value, fit.is_unique
    (2.0, False)
    >>> low, high = fit.band([-1, 0.5, 1.5, 3])
    >>> low.tolist(), high.tolist()
    ([-1.0, 0.0, 2.0, 4.0], [0.0, 0.5, 2.0, 5.0])
    >>> paid = interpolate_line([2, 3, 4], [1, 0, 1], biases="paid")
    >>> paid.function.knots.round(9).tolist(), round(paid.cost.value ** 2, 9)
    ([3.0], 40.0)
    """
    x, y = _sorted_and_merged(points_on_line(x), points_on_line(y, "y"))
    depth, paid = whole_depth(depth), output_of(biases, output)
    if paid:
        _must_be_shallow(depth)
        return interpolate_paid(x, y, paid)
    if len(x) == 1:
        free = Bracket(0.0, 0.0, "certified", counts=WEIGHTS_OVER_DEPTH)
        return LineInterpolant(x, y, free, np.zeros(2), np.zeros(1, dtype=int), np.zeros(1))
    slopes = Slopes.between(x, y)
    # +1 and -1 of each bend: the cost is linear in the slopes once these are known.
    signs, turns = slopes.turns()
    # With one piece both ends are the same slope, which then counts twice.
    ends = np.zeros(len(x) - 1)
    ends[0] += 1
    ends[-1] += 1
    S = slopes.signed_total(ends, slopes.ends)
    e = (S > 0) - (S < 0)
    # T as a sum of slopes.
    weights = (signs[:-1] - signs[1:]).astype(np.float64)
    T = slopes.total(weights)
    # S - T, with l_1 + l_{N-1} and the bends as sums of slopes; its sign, case A or B, is exact.
    excess = (
        slopes.signed_total(e * ends - weights, slopes.ends.times(e), T.times(-1)) if e else 0.0
    )
    if excess > 0:
        signs[[0, -1]], turns[[0, -1]] = (e, -e), excess / 2
        T = slopes.total((weights + e * ends) / 2)
    cost = _bracket(T, depth)
    # The end pieces go on as straight lines.
    straight = np.empty(len(x) + 1)
    straight[1:-1] = slopes.high + slopes.low
    straight[0], straight[-1] = straight[1], straight[-2]
    return LineInterpolant(x, y, cost, straight, signs, turns)


def _must_be_shallow(depth: int) -> None:
    if depth != 2:
        raise ValueError(
            f'depth must be 2 where biases="paid", not {depth}: what linear layers in front do to '
            "the price of hidden biases is not known here"
        )


def _sorted_and_merged(x: Points, y: Points) -> tuple[Merged, Merged]:
    """The points by increasing x, each once."""
    same_length(x=x, y=y)
    if not len(x):
        raise ValueError("x is empty; give at least one point")
    if (x[1:] > x[:-1]).all():
        return x, y
    # Stable, so that equal points stay in the order in which the message names them.
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    again = x[1:] == x[:-1]
    clash = np.flatnonzero(again & (y[1:] != y[:-1]))
    if len(clash):
        n = clash[0]
        raise ValueError(
            f"x holds {x[n]} twice, with y = {y[n]} and {y[n + 1]}, and no function takes "
            "both values; remove one of the points, or fit them with regularised_fit"
        )
    first = np.append(True, ~again)
    x, y = x[first], y[first]
    x.setflags(write=False)
    y.setflags(write=False)
    return x, y


def _bracket(R_2: Total, depth: int) -> Bracket:
    """R_2^{2/L}."""
    low = max(0.0, rounded_outward(np.array([*R_2.parts, -R_2.error]))[0])
    high = rounded_outward(np.array([*R_2.parts, R_2.error]))[1]
    if depth > 2:
        low, high = low ** (2 / depth), high ** (2 / depth)
        low, high = low - _power_error(low), high + _power_error(high)
    # Products that underflow are all that keeps the ends apart.
    reason = "slopes are too small for floats" if high - low > 1e-12 * high else ""
    return Bracket(low, high, "certified", counts=WEIGHTS_OVER_DEPTH, reason=reason)


def _power_error(power: float) -> float:
    """pow is good to two units, and the rounding of 2 / L moves it by |log| more of them."""
    return 2.0**-52 * (4 + abs(math.log(power or 1.0))) * power
