"""One number, to be compared exactly: what a check takes for a measurement, and what it refuses."""

from fractions import Fraction
from math import inf, isfinite
from numbers import Rational
from typing import Any

Number = float | int | Fraction

# A sum of a few terms may be off by this many units in the last place of its largest operand.
ROUNDING = 16 * 2.0**-52


def one_number(value: Any, what: str) -> Number:
    """`value` as an int, a Fraction or a float; ValueError, which names `what`, for all else."""
    shape = getattr(value, "shape", ())
    if len(shape):
        remedy = "reduce it to one number first, by its largest entry, say"
        raise ValueError(f"{what} is an array of shape {tuple(shape)}; {remedy}")
    # Scalars of numpy and torch; the largest of nothing but masked entries is masked itself.
    if hasattr(value, "item") and not getattr(value, "mask", False):
        value = value.item()
    if isinstance(value, bool):
        raise ValueError(f"{what} is {value}; measure how far off it is, not whether it holds")
    if isinstance(value, int | float | Fraction):
        return value
    if isinstance(value, Rational):
        return Fraction(value)
    raise ValueError(f"{what} is {_named(value)}; give one real number: a float, int or Fraction")


def finite_number(value: Any, what: str) -> Number:
    """As `one_number`, but neither NaN nor infinite."""
    number = one_number(value, what)
    if not is_finite(number):
        raise ValueError(f"{what} is {number}; give a finite number")
    return number


def is_exact(*numbers: Number) -> bool:
    """Whether none of them has been rounded."""
    return not any(isinstance(number, float) for number in numbers)


def is_finite(number: Number) -> bool:
    """Neither NaN nor infinite; a Fraction may be larger than any float."""
    return is_exact(number) or isfinite(number)


def above(number: Number, bound: Number) -> Number:
    """number - bound without any rounding; NaN or infinite where `number` is."""
    return Fraction(number) - Fraction(bound) if is_finite(number) else number


def as_float(number: Number) -> float:
    """The nearest float, infinite where there is none."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def in_words(number: Number) -> str:
    """All its digits, unless they are too many to read."""
    text = str(number)
    return text if len(text) <= 40 else f"{as_float(number):g}"


def _named(value: Any) -> str:
    if value is None or isinstance(value, str | complex):
        return f"{value!r:.40}"
    return f"a {type(value).__name__}"
