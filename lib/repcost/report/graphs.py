"""A module of torch as a list of operations: a small graph that can be run, cast and changed.

Everything that depends on parameters alone is a constant, so that what is left are the operations
on values. A `Graph` is a function of a batch of points; whoever wants to see the values on the way
passes `see`, and each is dropped after its last use.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from torch import Tensor
else:  # torch is only there for those who have a model of theirs
    Tensor = Any


@dataclass(frozen=True)
class Ref:
    """A value or a constant, by its name."""

    name: str


class Precision:
    """Stands for the type of the points, wherever a model asks for a type of real numbers."""


PRECISION = Precision()


@dataclass(frozen=True)
class Step:
    """One operation.

    kind: its name in ATen; layer: the path of the module it was called in; ndim: axes of its value.
    """

    name: str
    kind: str
    call: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    layer: str
    ndim: int = 0

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The values and constants that it takes, by name."""
        return tuple(ref.name for ref in refs((self.args, self.kwargs)))

    def argument(self, place: int, name: str, otherwise: Any = None) -> Any:
        """What stands in this place, or under this name."""
        return self.args[place] if place < len(self.args) else self.kwargs.get(name, otherwise)

    def put(self, place: int, what: Any) -> "Step":
        """The same with another argument in this place."""
        args = [*self.args, *[None] * (place + 1 - len(self.args))]
        args[place] = what
        return replace(self, args=tuple(args))

    def filled(self, find: Callable[[Ref], Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """Its arguments with what is found for each name."""
        return mapped(self.args, find), mapped(self.kwargs, find)


@dataclass(frozen=True, eq=False)
class Constant:
    """A tensor that the model brings along.

    parameters: those of the model that it is made of, by name; none for other constants.
    base, axes: the constant of which this is a transposition, and in which order its axes stand.
    """

    tensor: Tensor
    parameters: frozenset[str] = frozenset()
    base: str = ""
    axes: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Graph:
    """Steps from the value `input` to the value `output`."""

    steps: tuple[Step, ...]
    constants: Mapping[str, Constant]
    input: str
    output: str
    ignored: tuple[str, ...] = field(default=())

    def __call__(self, x: Tensor, see: Callable[[Step, Any], None] | None = None) -> Tensor:
        values = {self.input: x}

        def find(ref: Ref | Precision) -> Any:
            if not isinstance(ref, Ref):
                return x.dtype
            return values[ref.name] if ref.name in values else self.constants[ref.name].tensor

        for step, last in zip(self.steps, self._last_uses, strict=True):
            args, kwargs = step.filled(find)
            values[step.name] = step.call(*args, **kwargs)
            if see:
                see(step, values[step.name])
            for name in last:
                del values[name]
        return values[self.output]

    def to(self, dtype: Any) -> "Graph":
        """The same function of points of another precision."""
        return self.with_tensors(
            {
                name: each.tensor.to(dtype)
                for name, each in self.constants.items()
                if each.tensor.is_floating_point()
            }
        )

    def with_tensors(self, tensors: Mapping[str, Tensor]) -> "Graph":
        """The same operations with other constants of the same shapes."""
        changed = {name: replace(self.constants[name], tensor=t) for name, t in tensors.items()}
        return replace(self, constants={**self.constants, **changed})

    def squares(self, name: str) -> Float[np.ndarray, "..."]:
        """The squared entries of a constant."""
        return self.constants[name].tensor.double().numpy() ** 2

    @cached_property
    def users(self) -> Mapping[str, tuple[Step, ...]]:
        """The steps that take each value or constant."""
        found: dict[str, list[Step]] = {}
        for step in self.steps:
            for name in dict.fromkeys(step.inputs):
                found.setdefault(name, []).append(step)
        return {name: tuple(steps) for name, steps in found.items()}

    def feeding(self, ends: Sequence[Step]) -> set[str]:
        """The names of all values from which some of these steps can be reached, but for theirs."""
        found: set[str] = set().union(*(step.inputs for step in ends))
        for step in reversed(self.steps):
            if step.name in found:
                found.update(step.inputs)
        return found

    @cached_property
    def _last_uses(self) -> list[list[str]]:
        last = {name: steps[-1].name for name, steps in self.users.items()}
        kept = {self.output, *self.constants}
        return [
            [
                name
                for name in dict.fromkeys(step.inputs)
                if last[name] == step.name and name not in kept
            ]
            for step in self.steps
        ]


def refs(value: Any) -> Iterator[Ref]:
    """All names inside lists, tuples and dictionaries."""
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, Mapping):
        yield from refs(tuple(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from refs(part)


def mapped(value: Any, find: Callable[[Any], Any]) -> Any:
    """The same lists, tuples and dictionaries with something else for each name."""
    if isinstance(value, Ref | Precision):
        return find(value)
    if isinstance(value, Mapping):
        return {key: mapped(part, find) for key, part in value.items()}
    if isinstance(value, list | tuple):
        parts = [mapped(part, find) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    return value
