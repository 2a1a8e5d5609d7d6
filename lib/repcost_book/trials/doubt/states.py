"""The states of everything that draws: set before every statement, so that a fault moves no draw.

Without this, a fault that draws once more would change all data that come later.
"""

import copy
import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

# How deep in what a name holds generators are looked for.
DEEPEST = 2


class Draws:
    """All generators that names hold now, and the two old ones that belong to nobody."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        found = {id(each): each for value in names.values() for each in _generators(value)}
        self.generators = list(found.values())

    def noted(self) -> Callable[[], None]:
        """Note all states; what comes back sets them again."""
        noted = [(each, each.bit_generator.state) for each in self.generators]
        # Somebody may use the old generator of numpy, or that of torch.
        old, torch = np.random.get_state(), sys.modules.get("torch")  # noqa: NPY002
        drawn = torch.get_rng_state() if torch else None

        def back() -> None:
            for each, state in noted:
                each.bit_generator.state = state
            np.random.set_state(old)  # noqa: NPY002
            if torch:
                torch.set_rng_state(drawn)

        return back


def copied(value: Any) -> Any:
    """A copy that later changes in place do not reach, with the same generators in it."""
    kept = {id(each): each for each in _generators(value)}
    try:
        return copy.deepcopy(value, kept)
    # What cannot be copied is seldom changed; the null faults would tell.
    except (TypeError, ValueError, RecursionError):
        return value


def _generators(value: Any, depth: int = 0) -> Iterator[np.random.Generator]:
    if isinstance(value, np.random.Generator):
        yield value
    elif depth < DEEPEST:
        for part in _parts(value):
            yield from _generators(part, depth + 1)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, functools.partial):
        return [*value.args, *value.keywords.values()]
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) and len(value) < 50 else []
