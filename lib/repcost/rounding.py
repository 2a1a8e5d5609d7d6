"""Error-free transformations: what lets float64 results carry a proof.

A product of two floats is the sum of two floats, exactly (Dekker 1971), and `math.fsum` rounds
the exact sum of a list once. So a sum of products is known to its last bit, however badly it
cancels.
"""

import math

import numpy as np
from jaxtyping import Float, Int

__all__ = [
    "LARGEST_PRODUCT",
    "SMALLEST_PRODUCT",
    "TINY",
    "UNIT",
    "exact_product",
    "expansion",
    "gamma",
    "quotient_digits",
    "rounded_outward",
]

Floats = Float[np.ndarray, "..."]

# One rounding is at most this relative error.
UNIT = 2.0**-53
# More than what underflow takes from sums of products of numbers whose largest are near 1.
TINY = 1e-290

# Splits a 53-bit significand into two halves of at most 26 bits, whose products are exact.
_SPLITTER = 2.0**27 + 1
# Within these the product and its error term neither overflow nor lose bits.
SMALLEST_PRODUCT, LARGEST_PRODUCT = 1e-270, 1e300


def exact_product(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """(p, e) with p + e = x * y exactly and p = fl(x * y), for products between the two limits."""
    (x, x_exponent), (y, y_exponent) = np.frexp(x), np.frexp(y)
    p, e = _product_of_significands(x, y)
    return np.ldexp(p, x_exponent + y_exponent), np.ldexp(e, x_exponent + y_exponent)


def quotient_digits(x: Floats, y: Floats) -> tuple[Int[np.ndarray, "..."], Floats, Floats, Floats]:
    """Four arrays that agree in two places exactly when the rationals x / y do (y is never zero).

    An exponent and three float "digits": each digit is a function of the rational alone. Two
    different quotients of 53-bit significands differ by at least 2^-106 of their size, and three
    digits resolve 2^-159.
    """
    (x, x_exponent), (y, y_exponent) = np.frexp(x), np.frexp(y)
    digits = []
    for _ in range(3):
        digits.append(x / y)
        p, e = _product_of_significands(digits[-1], y)
        x = (x - p) - e  # exact: the remainder of a correctly rounded division is a float
    first, shift = np.frexp(digits[0])
    exponent = np.where(first == 0, 0, x_exponent - y_exponent + shift)
    return exponent, first, np.ldexp(digits[1], -shift), np.ldexp(digits[2], -shift)


def gamma(operations: int) -> float:
    """The relative error of a sum of so many products, in any order (Higham 2002, section 3.1)."""
    return operations * UNIT / (1 - operations * UNIT)


def expansion(terms: Floats, most: int | None = None) -> list[float]:
    """A few floats of falling size with exactly the sum of `terms`; none if the sum is zero.

    Where no more than `most` are wanted, what they miss is below an ulp of the last of these.
    OverflowError or FloatingPointError if the sum is larger than floats go.
    """
    rest, parts = _condensed(terms.ravel()).tolist(), []
    while len(parts) != most and (part := math.fsum(rest)):
        parts.append(part)
        rest.append(-part)
    return parts


def rounded_outward(terms: Floats) -> tuple[float, float]:
    """The sum of `terms` from below and above: one float twice, or the two around it."""
    parts = expansion(terms)
    if not parts:
        return 0.0, 0.0
    nearest, *errors = parts
    if not errors:
        return nearest, nearest
    if errors[0] > 0:
        return nearest, math.nextafter(nearest, math.inf)
    return math.nextafter(nearest, -math.inf), nearest


def _condensed(terms: Float[np.ndarray, " n"]) -> Float[np.ndarray, " fewer"]:
    """Many floats as at most 4200 with the same exact sum: per exponent, the added halves.

    Halves of significands are whole multiples of a unit with at most 27 digits, so sums of
    2^26 of them are exact.
    """
    # Below the first limit fsum alone is faster, above the second sums would need 54 digits.
    if not 5000 < terms.size <= 2**26:
        return terms
    significands, exponents = np.frexp(terms)
    lowest = int(exponents.min())
    exponents -= lowest
    significands *= 2.0**26
    upper = np.trunc(significands)
    sums = np.stack([np.bincount(exponents, upper), np.bincount(exponents, significands - upper)])
    with np.errstate(over="raise"):
        return np.ldexp(sums, np.arange(sums.shape[1]) + (lowest - 26)).ravel()


def _product_of_significands(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Dekker's product: the error is what four exact products of halves leave of p."""
    p = x * y
    x_high, x_low = _split(x)
    y_high, y_low = _split(y)
    return p, ((x_high * y_high - p) + x_high * y_low + x_low * y_high) + x_low * y_low


def _split(x: Floats) -> tuple[Floats, Floats]:
    """Veltkamp's halves; the order of these operations is the method, not a matter of taste."""
    high = _SPLITTER * x
    high = high - (high - x)
    return high, x - high
