"""The path norm of a graph: the sum over outputs and paths of products of weights without signs.

Units of a first layer count by their Euclidean length, as in Savarese et al. (2019). It exists
where values are only weighted, added, moved and passed through activations: so the graph is run
on ones, with weights without signs and no biases.
"""

import math
from dataclasses import replace
from typing import Any

from repcost.report.graphs import Graph, Step, Tensor
from repcost.report.kinds import matrices, weights_of
from repcost.report.rules import RULES, moved, one_result, same

_SUMS = {"add", "avg_pool1d", "avg_pool2d", "avg_pool3d", "mean", "sum"}
_SUMS |= {f"adaptive_avg_pool{axes}d" for axes in (1, 2, 3)}


def path_norm_of(graph: Graph, rows: Tensor) -> float:
    """The path norm at points of this shape; not a number where there is none."""
    layers = [step for step in graph.steps if weights_of(graph, step)]
    later = _after(graph, layers)
    first = [step for step in layers if step.name not in later]
    before = graph.feeding(first) - {step.name for step in graph.steps if step.name in later}
    # Points must meet layers only, and layers must be all that has weights.
    others = [step for step in graph.steps if step not in layers]
    alone = all(step.name in before or not before & set(step.inputs) for step in others)
    if not (layers and alone and all(_passes_on(graph, step) for step in others)):
        return math.nan
    changed = {step.name: _first_lengths(graph, step) for step in first}
    steps = tuple(changed.get(step.name, step) for step in graph.steps)
    unsigned = {name: each.tensor.abs() for name, each in graph.constants.items()}
    for step in layers:
        if bias := weights_of(graph, step).bias:  # pyright: ignore[reportOptionalMemberAccess]
            unsigned[bias] = unsigned[bias] * 0
    return float(replace(graph.with_tensors(unsigned), steps=steps)(rows[:1] * 0).sum())


def _after(graph: Graph, layers: list[Step]) -> set[str]:
    """The names of all values that a layer leads to."""
    found: set[str] = set()
    names = {step.name for step in layers}
    for step in graph.steps:
        if any(name in found or name in names for name in step.inputs):
            found.add(step.name)
    return found


def _passes_on(graph: Graph, step: Step) -> bool:
    """Whether paths go through this operation: it has no constants, and adds or moves numbers."""
    known = RULES.get(step.kind) in (same, moved, one_result) or step.kind in _SUMS
    plain = not any(name in graph.constants for name in step.inputs) or step.kind == "prelu"
    lengths_of_axes = step.kind.startswith("sym_") or step.ndim == 0
    return lengths_of_axes or (known and plain)


def _first_lengths(graph: Graph, step: Step) -> Step:
    """The layer with the lengths of its rows in place of its values."""
    weights = weights_of(graph, step)
    assert weights is not None
    lengths = matrices(step, graph.constants[weights.weight].tensor).flatten(0, 1).norm(dim=1)

    def call(*args: Any, **kwargs: Any) -> Tensor:
        shape = step.call(*args, **kwargs).shape
        return lengths.view(-1, *[1] * (-1 - weights.axis)).expand(shape).clone()

    return replace(step, call=call)
