"""Simpler arguments of which the same comes: fewer rows and columns, rounder numbers."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

Values = dict[str, Any]


def shrunk(
    same: Callable[[Values], bool], arguments: Mapping[str, Any], *, tries=400, seconds=20.0
) -> Values:
    """The simplest arguments that were found for which `same` holds."""
    best, stop = dict(arguments), time.monotonic() + seconds
    candidates = simpler(best)
    for _ in range(tries):
        candidate = next(candidates, None)
        if candidate is None or time.monotonic() > stop:
            break
        if same(candidate):
            # From the largest steps on again: some may be possible only now.
            best, candidates = candidate, simpler(candidate)
    return best


def simpler(arguments: Values) -> Iterator[Values]:
    """One step simpler, the largest steps first."""
    yield from _fewer_rows(arguments)
    yield from _fewer_columns(arguments)
    for name, value in arguments.items():
        for other in _simpler_value(value):
            yield {**arguments, name: other}


def _fewer_rows(arguments: Values) -> Iterator[Values]:
    """Rows that several arguments have are dropped together."""
    arrays = _arrays(arguments)
    for length in sorted({len(value) for value in arrays.values()}):
        alike = {name: value for name, value in arrays.items() if len(value) == length}
        for row in range(length if length > 1 else 0):
            yield {**arguments, **{name: np.delete(v, row, 0) for name, v in alike.items()}}


def _fewer_columns(arguments: Values) -> Iterator[Values]:
    for name, value in _arrays(arguments).items():
        for axis in range(1, value.ndim):
            for column in range(value.shape[axis] if value.shape[axis] > 1 else 0):
                yield {**arguments, name: np.delete(value, column, axis)}


def _arrays(arguments: Values) -> dict[str, np.ndarray]:
    """Those that have rows."""
    return {n: v for n, v in arguments.items() if isinstance(v, np.ndarray) and v.ndim}


def _simpler_value(value: Any) -> Iterator[Any]:
    """The same value with one number rounder."""
    # To Python these are whole numbers, but there is nothing rounder than True.
    if isinstance(value, bool | np.bool_):
        return
    if isinstance(value, int | float | np.number):
        kind: type = type(value)
        yield from (kind(number) for number in _rounder(value))
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            for other in _simpler_value(item):
                yield type(value)([*value[:place], other, *value[place + 1 :]])
    elif isinstance(value, np.ndarray) and value.dtype.kind in "fi":
        for place in np.ndindex(value.shape):
            for number in _rounder(value[place]):
                other = value.copy()
                other[place] = number
                yield other


def _rounder(number: Any) -> list[float] | list[int]:
    """Numbers that are simpler than this one, the simplest first."""
    if isinstance(number, int | np.integer):
        return [whole for whole in (0, 1, 2) if whole < abs(number)]
    number = float(number)
    # Zero, one, a power of two, two digits. The power is the next towards zero: of a power of two
    # it is the number itself, so that shrinking ends.
    sign, exponent = float(np.copysign(1.0, number)), int(np.frexp(number)[1]) - 1
    power = sign * float(np.ldexp(1.0, exponent)) if np.isfinite(number) else sign
    simple = [0.0, 1.0, sign, power, float(f"{number:.1e}")]
    before = simple.index(number) if number in simple else len(simple)
    return [value for value in dict.fromkeys(simple[:before]) if np.isfinite(value)]
