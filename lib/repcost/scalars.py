"""Numbers at the door: one rule for each kind of option, so that errors read alike everywhere.

True is refused where a number is asked for, and 1 where True or False is: whoever writes depth=True
means something else.
"""

import math
from collections.abc import Collection
from reprlib import repr as short
from typing import Any

import numpy as np

from repcost.arrays import listed
from repcost.conversions import as_floats

__all__ = [
    "bias_constant",
    "flag",
    "generator",
    "nonnegative_number",
    "one_of",
    "positive_number",
    "real_number",
    "relative_tolerance",
    "whole_depth",
    "whole_number",
    "whole_numbers",
]


def real_number(value: Any, name: str, what: str = "a real number") -> float:
    """A finite real number as a float; ValueError that names the argument."""
    number = _number(value, name, what)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, not {number}")
    return number


def positive_number(value: Any, name: str, remedy: str = "") -> float:
    """A finite real number above zero; `remedy` is for who wants another."""
    number = _number(value, name, "a positive number")
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be positive and finite, not {number}{_then(remedy)}")
    return number


def nonnegative_number(value: Any, name: str, remedy: str = "") -> float:
    """A finite real number, zero or above."""
    number = _number(value, name, "a number")
    if not 0 <= number < math.inf:
        wanted = "zero or positive, and finite"
        raise ValueError(f"{name} must be {wanted}, not {number}{_then(remedy)}")
    return number


def bias_constant(bias: Any) -> float:
    """`bias`, the constant input beta that bias weights multiply; zero is a network without."""
    return nonnegative_number(bias, "bias", "0 means a network without biases")


def relative_tolerance(rtol: Any, usual: str, least: float = 0.0, most: float = 1.0) -> float:
    """`rtol`, a relative gap in a range, below 1; `usual` is the default, for the message."""
    number = real_number(rtol, "rtol")
    if not least <= number <= most or not 0 < number < 1:
        reach = f"between {least:g} and {most:g}"
        raise ValueError(f"rtol must be {reach}, not {number:g}; {usual} is the default")
    return number


def whole_number(
    value: Any, name: str, at_least: int, at_most: int | None = None, *, of: str = ""
) -> int:
    """A whole number in a range, as an int; 3.0 is one, 3.5 and True are none."""
    number = _exact_whole(value, name)
    if number != int(number) or number < at_least or (at_most is not None and number > at_most):
        reach = f"at least {at_least}" if at_most is None else f"from {at_least} to {at_most}"
        counted = f" of {of}" if of else ""
        raise ValueError(f"{name} must be a whole number{counted}, {reach}, not {short(value)}")
    return int(number)


def whole_numbers(values: Any, name: str, at_least: int, least_count: int = 1) -> tuple[int, ...]:
    """Several whole numbers, in a list, a range or an array of one axis."""
    parts = listed(values, name, "whole numbers")
    if len(parts) < least_count:
        few = f"at least {least_count} of them"
        raise ValueError(f"{name} must be a list of whole numbers, {few}, not {len(parts)}")
    return tuple(whole_number(part, f"{name}[{i}]", at_least) for i, part in enumerate(parts))


def whole_depth(depth: Any, least: int = 2, *, built: bool = False) -> int:
    """`depth`, the number of layers, as an int; `built`: whether a network of it is made."""
    number = whole_number(depth, "depth", least, of="layers of weights")
    # Beyond these a network would fill the memory, and 2/L would not tell depths apart.
    most = 10**6 if built else 2**53
    if number > most:
        raise ValueError(f"depth must be at most {most:,}, not {short(depth)}")
    return number


def flag(value: Any, name: str) -> bool:
    """True or False, as `progress` is."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, not {short(value)}")
    return bool(value)


def one_of(value: Any, name: str, choices: Collection[str]) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in choices:
        known = " or ".join(f'"{choice}"' for choice in choices)
        raise ValueError(f"{name} must be {known}, not {short(value)}")
    return value


def generator(rng: Any) -> np.random.Generator:
    """`rng`, what draws random numbers: whoever draws decides what is repeatable."""
    if not isinstance(rng, np.random.Generator):
        remedy = "numpy.random.default_rng(0) makes one"
        raise ValueError(f"rng must be a numpy Generator, not {short(rng)}; {remedy}")
    return rng


def _exact_whole(value: Any, name: str) -> float | int:
    """Whole numbers as they are, as seeds may have more digits than a float."""
    # numpy's times count as its whole numbers.
    plain = isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)
    if plain and int(value).bit_length() < 1000:
        return int(value)
    return real_number(value, name, "a whole number")


def _number(value: Any, name: str, what: str) -> float:
    # Most options are floats already, and need no array.
    if type(value) is float:
        return value
    array = as_floats(value, name, what)
    if array.ndim:
        raise ValueError(f"{name} must be {what}, not an array of shape {array.shape}")
    return float(array)


def _then(remedy: str) -> str:
    return f"; {remedy}" if remedy else ""
