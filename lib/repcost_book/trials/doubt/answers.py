"""Wrong answers of the library: of the right type, and plausible to whoever does not look."""

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from repcost.bounds import Bracket, Brackets

# How deep in tuples, lists and objects numbers are looked for.
DEEPEST = 3
# A training that is stopped early takes this part of its steps.
EARLY = 10

NUMBERS = (float, int, np.number, Fraction)
Wrong = Callable[[Any], Any]


def is_library(value: Any) -> bool:
    """Whether a function, a method or an object is the library's, and no class of it."""
    if isinstance(value, type):
        return False
    owner = getattr(value, "__self__", None)
    owners = (value, type(value), type(owner))
    return any(str(getattr(each, "__module__", "")).split(".")[0] == "repcost" for each in owners)


class Answers:
    """What stands in a faulty statement around a call of the library: `answer(way, f, *args)`."""

    def __init__(self) -> None:
        # For the answer to the question before.
        self.before: Any = None
        # How often it was asked, and how often there was nothing that could be wrong.
        self.calls = self.hopeless = 0

    def call(self, way: str, function: Any, *arguments: Any, **named: Any) -> Any:
        if not is_library(function):
            self.calls, self.hopeless = self.calls + 1, self.hopeless + 1
            return function(*arguments, **named)
        if way == "early":
            return function(*map(_early, arguments), **{k: _early(v) for k, v in named.items()})
        return self.wrong(way, function(*arguments, **named))

    def attribute(self, way: str, owner: Any, name: str) -> Any:
        value = getattr(owner, name)
        if is_library(owner):
            return self.wrong(way, value)
        self.calls, self.hopeless = self.calls + 1, self.hopeless + 1
        return value

    @property
    def is_hopeless(self) -> bool:
        """Whether no answer was of a kind that can be wrong in this way, at whatever seed."""
        return 0 < self.calls == self.hopeless

    def wrong(self, way: str, value: Any) -> Any:
        """A wrong answer in the place of `value`, which comes back if none is known."""
        if way == "before":
            value, self.before = self.before, value
            fits = type(value) is type(self.before) and np.shape(value) == np.shape(self.before)
            return value if fits else self.before
        wrong = WAYS[way](value)
        self.calls, self.hopeless = self.calls + 1, self.hopeless + (wrong is value)
        return wrong


def _early(argument: Any) -> Any:
    """A recipe with a tenth of its steps; everything else as it is."""
    if not dataclasses.is_dataclass(argument) or isinstance(argument, type):
        return argument
    steps = getattr(argument, "steps", 0)
    return dataclasses.replace(argument, steps=steps // EARLY) if steps >= EARLY else argument


def _everywhere(change: Callable[[np.ndarray], np.ndarray], only_arrays: bool = False) -> Wrong:
    """Change whatever numbers there are, wherever they stand in the answer."""

    def wrong(value: Any, depth: int = 0) -> Any:
        if only_arrays and np.ndim(value) == 0 and isinstance(value, NUMBERS):
            return value
        if isinstance(value, np.ndarray):
            return change(value) if value.dtype.kind in "fiu" and value.size else value
        if isinstance(value, Fraction):
            return value * Fraction(float(change(np.array([1.0]))[0]))
        if isinstance(value, NUMBERS) and not isinstance(value, bool):
            return type(value)(change(np.array([value]))[0])
        if depth < DEEPEST:
            return _in_parts(value, lambda part: wrong(part, depth + 1))
        return value

    return wrong


def _in_parts(value: Any, wrong: Wrong) -> Any:
    if isinstance(value, list | tuple):
        parts = [wrong(part) for part in value]
        if all(new is old for new, old in zip(parts, value, strict=True)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: wrong(part) for key, part in value.items()}
    if isinstance(value, Bracket | Brackets):
        lower, upper = wrong(value.lower), wrong(value.upper)
        if lower is value.lower and upper is value.upper:
            return value
        ends = np.minimum(lower, upper), np.maximum(lower, upper)
        return dataclasses.replace(value, lower=ends[0], upper=ends[1])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _in_fields(value, wrong)
    return value


def _in_fields(value: Any, wrong: Wrong) -> Any:
    """The object with its first field that can be wrong; what it refuses stays right."""
    for field in dataclasses.fields(value):
        old = getattr(value, field.name)
        # Numbers beside arrays are sizes and settings.
        if not field.init or isinstance(old, int | float | str):
            continue
        new = wrong(old)
        if new is not old:
            try:
                return dataclasses.replace(value, **{field.name: new})
            except (ValueError, TypeError):
                continue
    return value


def _scaled(factor: float) -> Wrong:
    def change(array: np.ndarray) -> np.ndarray:
        # Of a whole number one more or one less is what a factor near one is of a float.
        if array.dtype.kind in "iu":
            return array + (1 if factor > 1 else -1)
        return array * factor

    return _everywhere(change)


def _one_entry(array: np.ndarray) -> np.ndarray:
    """The largest one, if there are several."""
    if array.size < 2:
        return array
    changed = array.copy()
    place = np.unravel_index(np.argmax(np.abs(array)), array.shape)
    changed[place] = array[place] + 1 if array.dtype.kind in "iu" else array[place] * 1.1
    return changed


def _noise(array: np.ndarray) -> np.ndarray:
    """The same numbers in another order, without their signs, between a half and twice as large."""
    rng = np.random.default_rng(7)
    mixed = np.abs(rng.permutation(array.ravel())).reshape(array.shape)
    if array.dtype.kind in "iu":
        return (mixed + rng.integers(0, 2, array.shape)).astype(array.dtype)
    return mixed * rng.uniform(0.5, 2, array.shape)


def _shift(array: np.ndarray) -> np.ndarray:
    """A constant more: a tenth of the largest, or a tenth where all are zero."""
    size = np.max(np.abs(array))
    if array.dtype.kind in "iu":
        return array + 2
    return array + (0.1 * size if 0 < size < np.inf else 0.1)


WAYS: dict[str, Wrong] = {
    "more": _scaled(1.1),
    "less": _scaled(0.9),
    "a constant": _everywhere(_shift),
    "one entry": _everywhere(_one_entry, only_arrays=True),
    "noise": _everywhere(_noise),
    "zero": _everywhere(np.zeros_like),
}
# The answer to the question before comes to mind first when one thinks of a check that cannot fail.
EXTREME = ("zero", "noise", "before")
