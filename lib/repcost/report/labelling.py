"""The operations of a graph, run on labels instead of numbers.

`rules` says for each kind of operation what it does to labels. What has no rule is not known to be
positively homogeneous, so whatever goes into it is fixed, with its reason. Then nothing that can
be said of the network is wrong; only some slack may be missed, and the report says where.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Int

from repcost.report.graphs import Graph, Ref, Step, Tensor
from repcost.report.labels import FIXED, Equation, LabelArray, Labels, Term

# Of one result, or of several.
Labelled = LabelArray | list[LabelArray]
Rule = Callable[["Labelling", Step, Any], Labelled]


@dataclass(frozen=True)
class Fixed:
    """Why some channels may not be rescaled: an operation, and the layer it is called in."""

    step: str
    layer: str
    kind: str
    reason: str

    def __str__(self) -> str:
        return f"{self.layer or 'the model itself'} ({self.kind}): {self.reason}"


@dataclass
class Labelling:
    """Labels of all values of a graph, terms of its constants, and what had to be fixed.

    terms: by the constant they are the squares of, its base if it is a transposition.
    """

    graph: Graph
    rules: Mapping[str, Rule]
    labels: Labels = field(default_factory=Labels)
    of: dict[str, Labelled] = field(default_factory=dict)
    numbers: dict[str, Any] = field(default_factory=dict)
    terms: dict[str, Term] = field(default_factory=dict)
    fixed: list[Fixed] = field(default_factory=list)

    @classmethod
    def run(cls, graph: Graph, rows: Tensor, rules: Mapping[str, Rule]) -> "Labelling":
        """Labels of everything on the way from these points, whose values are not used."""
        found = cls(graph, rules)
        found.of[graph.input] = np.full(tuple(rows.shape), FIXED)
        graph(rows, found._follow)
        found.labels.fix(found.one(graph.output))
        return found

    def _follow(self, step: Step, value: Any) -> None:
        if not (hasattr(value, "shape") or isinstance(value, tuple | list)):
            # Lengths of axes, that others take.
            self.numbers[step.name] = value
            return
        # Made of nothing, as zeros are: no rescaling reaches it.
        rule = self.rules.get(step.kind, unknown) if self.values_of(step) else fixed
        self.of[step.name] = rule(self, step, value)

    # What rules ask

    def one(self, name: str) -> LabelArray:
        """The labels of a value, of all results if there are several."""
        found = self.of[name]
        return found if isinstance(found, np.ndarray) else np.concatenate([*map(np.ravel, found)])

    def values_of(self, step: Step) -> list[str]:
        """The names of those arguments that are values with labels."""
        return [name for name in step.inputs if name in self.of]

    def value(self, argument: Any) -> LabelArray | None:
        """The labels of an argument, if it is a value."""
        known = isinstance(argument, Ref) and argument.name in self.of
        return self.one(argument.name) if known else None

    def constant(self, argument: Any) -> Tensor | None:
        known = isinstance(argument, Ref) and argument.name in self.graph.constants
        return self.graph.constants[argument.name].tensor if known else None

    def is_parameter(self, argument: Ref) -> bool:
        return bool(self.graph.constants[argument.name].parameters)

    def along(self, labels: LabelArray, axis: int) -> Int[np.ndarray, " n"]:
        """One label for each place on this axis, as the operation mixes all others."""
        first = np.moveaxis(labels, axis, 0)
        # Not by -1, which is ambiguous where there are no units.
        rows = first.reshape(len(first), int(np.prod(first.shape[1:])))
        self.labels.tie(rows, rows[:, :1])
        return rows[:, 0]

    def fix(self, step: Step, reason: str) -> None:
        """Whatever goes into this operation stays as it is."""
        given = np.concatenate([self.one(name).ravel() for name in self.values_of(step)])
        if not self.labels.are_fixed(given):
            self.labels.fix(given)
            self.fixed.append(Fixed(step.name, step.layer, step.kind, reason))

    # What rules say of constants

    def use(self, argument: Ref, plus: LabelArray, minus: LabelArray) -> None:
        """A constant is multiplied by these labels here; where else, it must be by the same."""
        constant = self.graph.constants[argument.name]
        name = argument.name
        if constant.base:
            # Axis k of the transposition is axis axes[k] of the base.
            order = np.argsort(constant.axes)
            plus, minus = (_full_axes(each, len(order)).transpose(order) for each in (plus, minus))
            name = constant.base
        ndim = self.graph.constants[name].tensor.ndim
        term = Term(name, _full_axes(plus, ndim), _full_axes(minus, ndim))
        related = self._related(name)
        if name in self.terms:
            self.labels.equations.extend(_equations(self.terms[name], term))
            return
        self.terms[name] = term
        for other in related:
            # Parts of one parameter in a way that is no transposition.
            for each in (term, self.terms[other]):
                self.labels.fix(each.plus)
                self.labels.fix(each.minus)

    def _related(self, name: str) -> list[str]:
        """Other constants in terms that are made of the same parameters."""
        parameters = self.graph.constants[name].parameters
        return [
            other
            for other in self.terms
            if other != name and self.graph.constants[other].parameters & parameters
        ]


def unknown(here: Labelling, step: Step, value: Any) -> Labelled:
    """Nothing is known of this operation."""
    here.fix(step, "not positively homogeneous, or not known to be")
    return fixed(here, step, value)


def fixed(here: Labelling, step: Step, value: Any) -> Labelled:
    """Results that no rescaling changes."""
    if isinstance(value, tuple | list):
        return [np.full(tuple(each.shape), FIXED) for each in value]
    return np.full(tuple(value.shape), FIXED)


def _full_axes(labels: LabelArray, ndim: int) -> LabelArray:
    """With axes of length one in front, as broadcasting would add."""
    return labels.reshape((1,) * (ndim - labels.ndim) + labels.shape)


def _equations(first: Term, again: Term) -> list[Equation]:
    """That a constant is multiplied by the same in both of its places, entry by entry.

    Each label depends on one axis as a rule, so that the entries of one row and one column say it
    for all: what depends on the row equals what depends on the column.
    """
    parts = np.broadcast_arrays(again.plus, again.minus, first.plus, first.minus)
    varying = [
        [axis for axis, n in enumerate(each.shape) if n != 1] for each in _parts(first, again)
    ]
    rows = np.stack([each.ravel() for each in parts])
    axes = sorted({axis for each in varying for axis in each})
    if len(axes) == 2 and all(len(each) < 2 for each in varying):
        whole = np.stack([each.transpose(*axes, *_others(axes, each.ndim)) for each in parts])
        table = whole.reshape(*whole.shape[:3], -1)[..., 0]
        rows = np.concatenate([table[:, 0], table[:, :, 0]], axis=1)
    rows = np.unique(rows, axis=1)
    return [_summed(zip(map(int, row), (1, -1, -1, 1), strict=True)) for row in rows.T]


def _parts(first: Term, again: Term) -> tuple[LabelArray, ...]:
    return again.plus, again.minus, first.plus, first.minus


def _others(axes: list[int], ndim: int) -> list[int]:
    return [axis for axis in range(ndim) if axis not in axes]


def _summed(pairs: Any) -> Equation:
    found: dict[int, int] = {}
    for label, factor in pairs:
        found[label] = found.get(label, 0) + factor
    return found
