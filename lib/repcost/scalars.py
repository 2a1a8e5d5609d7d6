"""Numbers at the door: one rule for each kind of option, so that errors read alike everywhere.

True is refused where a number is asked for: whoever writes depth=True means something else.
"""

import math
from typing import Any

from repcost.conversions import as_floats

__all__ = ["positive_number", "real_number", "relative_tolerance", "whole_depth", "whole_number"]


def real_number(value: Any, name: str, remedy: str = "") -> float:
    """A finite real number as a float; ValueError that names the argument."""
    array = as_floats(value, name, "a real number")
    if array.ndim:
        raise ValueError(f"{name} must be a real number, not an array of shape {array.shape}")
    if not math.isfinite(array):
        raise ValueError(f"{name} must be finite, not {float(array)}{_then(remedy)}")
    return float(array)


def positive_number(value: Any, name: str, remedy: str = "") -> float:
    """A finite real number above zero."""
    number = real_number(value, name, remedy)
    if number <= 0:
        raise ValueError(f"{name} must be positive, not {number:g}{_then(remedy)}")
    return number


def relative_tolerance(rtol: Any, usual: str) -> float:
    """`rtol`, a relative gap, strictly between 0 and 1; `usual` is the default, for the message."""
    number = real_number(rtol, "rtol")
    if not 0 < number < 1:
        raise ValueError(f"rtol must be between 0 and 1, not {number:g}; {usual} is the default")
    return number


def whole_number(
    value: Any, name: str, at_least: int, at_most: int | None = None, *, of: str = ""
) -> int:
    """A whole number in a range, as an int; 3.0 is one, 3.5 and True are none."""
    number = real_number(value, name)
    if number != int(number) or number < at_least or (at_most is not None and number > at_most):
        reach = f"at least {at_least}" if at_most is None else f"from {at_least} to {at_most}"
        counted = f" of {of}" if of else ""
        raise ValueError(f"{name} must be a whole number{counted}, {reach}, not {value!r}")
    return int(number)


def whole_depth(depth: Any, least: int = 2) -> int:
    """`depth`, the number of layers, as an int."""
    return whole_number(depth, "depth", least, of="layers of weights")


def _then(remedy: str) -> str:
    return f"; {remedy}" if remedy else ""
