"""Whether two values are the same, and whether a number has changed by more than noise."""

import dataclasses
import functools
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

PLAIN = (int, float, complex, str, bytes, bool, type(None), Fraction, range, slice, np.generic)
# Deeper than this two values count as different, which costs time and nothing else.
DEEPEST = 8
# Relative; and below it what is compared is rounding, or how far a solver went.
NOISE = 1e-6
ROUNDING = 1e-12


def same(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether nobody can tell these apart; in doubt, no: then more is executed again."""
    if one is other:
        return True
    if type(one) is not type(other) or depth > DEEPEST:
        return False
    if isinstance(one, PLAIN):
        return bool(one == other) or bool(one != one and other != other)
    if isinstance(one, np.ndarray):
        return _same_arrays(one, other, depth)
    if isinstance(one, np.random.Generator):
        return one.bit_generator.state == other.bit_generator.state
    parts = _parts(one), _parts(other)
    return None not in parts and same_members(*parts, depth + 1)


def same_members(one: Any, other: Any, depth: int) -> bool:
    """Whether two mappings or sequences have the same members, in the same order."""
    if isinstance(one, Mapping):
        same_keys = list(one) == list(other)
        return same_keys and all(same(one[key], other[key], depth) for key in one)
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(same(a, b, depth) for a, b in pairs)


def has_changed(one: float, other: float) -> bool:
    """Whether a measured number is another one, beyond noise."""
    if one == other or (math.isnan(one) and math.isnan(other)):
        return False
    if not (math.isfinite(one) and math.isfinite(other)):
        return True
    low, high = sorted((abs(one), abs(other)))
    if high < NOISE:
        return high > 10 * max(low, ROUNDING)
    return abs(one - other) > NOISE * high


def digest(value: Any) -> int:
    """A number that two values share if they are alike to eight digits."""
    try:
        numbers = np.ravel(np.asarray(value, dtype=float))[:4000]
    except (TypeError, ValueError, OverflowError):
        parts = _parts(value)
        below = parts.values() if isinstance(parts, Mapping) else parts or ()
        # What is neither a number nor made of numbers is told apart by its kind alone.
        return hash((type(value).__name__, *map(digest, below)))
    small = np.abs(numbers) < 1e-11
    short = [0.0 if zero else float(f"{x:.8g}") for x, zero in zip(numbers, small, strict=True)]
    return hash((numbers.size, *map(str, short)))


def _same_arrays(one: np.ndarray, other: np.ndarray, depth: int) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype == object:
        return same_members(one.ravel().tolist(), other.ravel().tolist(), depth + 1)
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"))


def _parts(value: Any) -> Any:
    """What a value is made of, if that is all there is to it; None if that is not known."""
    if isinstance(value, list | tuple | Mapping):
        return value
    if isinstance(value, set | frozenset):
        return dict.fromkeys(sorted(value, key=repr))
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    # Functions, generators and the like are the same only if they are one.
    return None
