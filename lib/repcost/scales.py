"""Numbers with an exponent of their own, so that no square of one is lost or overflows.

Powers of two do not round. So an array is brought to size one, whatever is done to it there has
the digits that it has elsewhere, and the exponent is put back at the end: outward, as there, and
only there, digits may be lost.
"""

import math

import numpy as np
from jaxtyping import Float, Int

from repcost.rounding import TINY

__all__ = ["exponent_of", "exponents_of_rows", "lengths", "rounded_down", "rounded_up"]

Floats = Float[np.ndarray, "..."]


def exponent_of(*arrays: Floats | float) -> int:
    """The least e with all entries below 2^e in size; 0 if there is nothing but zeros."""
    largest = max((float(np.abs(array).max(initial=0.0)) for array in arrays), default=0.0)
    return math.frexp(largest)[1]


def exponents_of_rows(rows: Float[np.ndarray, "k r"]) -> Int[np.ndarray, " k"]:
    """The same for each row."""
    return np.frexp(np.abs(rows).max(axis=1, initial=0.0))[1]


def lengths(rows: Float[np.ndarray, "k r"]) -> Float[np.ndarray, " k"]:
    """Their Euclidean lengths: zero for rows of zeros only; infinite beyond floats."""
    exponents = exponents_of_rows(rows)
    with np.errstate(over="ignore", under="ignore"):
        sizes = np.linalg.norm(np.ldexp(rows, -exponents[:, None]), axis=1)
        return np.ldexp(sizes, exponents)


def rounded_down(number: float, exponent: int = 0) -> float:
    """At most number 2^exponent, for a number that is not negative."""
    exact = _scaled(number, exponent)
    if math.isinf(exact):
        return math.nextafter(math.inf, 0.0)
    return exact if exact >= TINY else math.nextafter(exact, 0.0)


def rounded_up(number: float, exponent: int = 0) -> float:
    """At least number 2^exponent, for a number that is not negative."""
    exact = _scaled(number, exponent)
    return exact if not number or exact >= TINY else math.nextafter(exact, math.inf)


def _scaled(number: float, exponent: int) -> float:
    try:
        return math.ldexp(number, exponent)
    except OverflowError:
        return math.inf
