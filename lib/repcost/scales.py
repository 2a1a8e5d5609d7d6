"""Sizes kept apart as powers of two, so that nothing over- or underflows at any size of input.

Powers of two do not round. So whatever is homogeneous is computed in three steps:

1. *To size one.* The input is divided by the power of two that its largest entry is just below:
   `exponent_of`, `exponents_of_rows` and `at_size_one` find it. Where floats near one must come
   out as they would without all this, `exponent_if_far` leaves alone what needs no help.
2. *There* squares and products keep the digits that they have elsewhere, and what they lose below
   all floats is less than `rounding.TINY`.
3. *Back, outward.* Only this step can round, beside the ends of the range of floats, so there both
   ends of a result are moved outward: `scaled_back` if its power of two is known, `rounded_down`
   and `rounded_up` for one end alone, `cost_scaled_back` for costs of L layers, whose power of two
   is the root of that of the function.

`far_networks` does the same to networks, unit by unit.
"""

import math

import numpy as np
from jaxtyping import Float, Int

from repcost.rounding import TINY, UNIT

__all__ = [
    "at_size_one",
    "cost_scaled_back",
    "exponent_if_far",
    "exponent_of",
    "exponents_of_rows",
    "lengths",
    "rounded_down",
    "rounded_up",
    "scaled_back",
    "times_power",
]

Floats = Float[np.ndarray, "..."]
Exponents = Int[np.ndarray, "..."]


def exponent_of(*arrays: Floats | float) -> int:
    """The least e with all entries below 2^e in size; 0 if there is nothing but zeros."""
    return math.frexp(max(map(_largest, arrays), default=0.0))[1]


def exponent_if_far(*arrays: Floats | float, room: int = 400) -> int:
    """The same if it is beyond `room` either way, and 0 otherwise."""
    exponent = exponent_of(*arrays)
    return exponent if abs(exponent) > room else 0


def exponents_of_rows(rows: Float[np.ndarray, "*rows r"]) -> Int[np.ndarray, "*rows"]:
    """The same as `exponent_of` for each row, along the last axis."""
    return np.frexp(np.abs(rows).max(axis=-1, initial=0.0))[1]


def times_power(array: Floats, exponent: int) -> Floats:
    """array 2^exponent as numpy.ldexp has it, to the last bit; by products, which are quicker."""
    # Within these the power is a float, and both ways round once.
    if abs(exponent) > 1000:
        return np.ldexp(array, exponent)
    return array * 2.0**exponent


def at_size_one(array: Floats) -> tuple[Floats, int]:
    """The array over 2^e, with its largest entry in [1/2, 1), and e."""
    exponent = exponent_of(array)
    return times_power(array, -exponent), exponent


def lengths(rows: Float[np.ndarray, "*rows r"]) -> Float[np.ndarray, "*rows"]:
    """Euclidean lengths along the last axis, whose squares need be no floats; infinite beyond them.

    >>> lengths(np.array([[3e-200, 4e-200], [0.0, 1e300]])).tolist()
    [5e-200, 1e+300]
    """
    exponents = exponents_of_rows(rows)
    with np.errstate(over="ignore", under="ignore"):
        sizes = np.linalg.norm(np.ldexp(rows, -exponents[..., None]), axis=-1)
        return np.ldexp(sizes, exponents)


def rounded_down(number: float, exponent: int) -> float:
    """At most number 2^exponent, for a number that is not negative."""
    exact = _scaled(number, exponent)
    if math.isinf(exact):
        return math.nextafter(math.inf, 0.0)
    return exact if exact >= TINY else math.nextafter(exact, 0.0)


def rounded_up(number: float, exponent: int) -> float:
    """At least number 2^exponent, for a number that is not negative."""
    exact = _scaled(number, exponent)
    return exact if not number or exact >= TINY else math.nextafter(exact, math.inf)


def scaled_back(lower: float, upper: float, exponent: int) -> tuple[float, float]:
    """Both ends of a number that is not negative, times 2^exponent and outward."""
    return rounded_down(lower, exponent), rounded_up(upper, exponent)


def cost_scaled_back(
    lower: Floats | float, upper: Floats | float, exponent: Exponents | int, depth: int
) -> tuple[Floats, Floats]:
    """Both ends of the cost of a function with `depth` layers, from those of it over 2^exponent.

    Costs are homogeneous of degree 2/L, so both are multiplied by 2^(2 exponent / L). A lower end
    larger than floats go comes back as infinity.
    """
    # The whole part of the power is exact, however large; only 2^(rest / L) is rounded.
    # In networks deeper than any exponent is long nothing is left of it but the rest.
    doubled = 2 * np.asarray(exponent)
    whole, rest = np.divmod(doubled, depth) if depth < 2**40 else (0, doubled)
    with np.errstate(over="ignore", under="ignore"):
        low, high = (np.ldexp(end * 2.0 ** (rest / depth), whole) for end in (lower, upper))
        low, high = low * (1 - 8 * UNIT), high * (1 + 8 * UNIT)
    nearer = np.where(np.isinf(low), low, np.nextafter(low, 0.0))
    return np.where(lower > 0, nearer, 0.0), np.where(upper > 0, np.nextafter(high, np.inf), 0.0)


def _largest(array: Floats | float) -> float:
    if isinstance(array, float | int):
        return abs(array)
    # Not by absolute values, which would be one more array.
    return max(float(array.max(initial=0.0)), -float(array.min(initial=0.0)))


def _scaled(number: float, exponent: int) -> float:
    try:
        return math.ldexp(number, exponent)
    except OverflowError:
        return math.inf
