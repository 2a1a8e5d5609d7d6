"""Batch normalisation in evaluation: a scale and a shift of each channel.

It is folded into the layer below, where that layer is used for nothing else, as its weights are
those of the function: the stored scale and shift are no cost of it by themselves. Elsewhere it
stays a layer of its own, a diagonal one.
"""

from dataclasses import replace
from typing import Any

from repcost.report.graphs import Constant, Graph, Ref, Step, Tensor
from repcost.report.kinds import CONVOLUTIONS, DIAGONAL, groups_of, is_transposed

NORMALISED = "_native_batch_norm_legit_no_training"


def channelwise(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """A diagonal layer: every channel times its scale, plus its shift."""
    shape = (1, -1, *[1] * (x.ndim - 2))
    return x * scale.view(shape) + shift.view(shape)


def folded(graph: Graph) -> Graph:
    """The same function with every batch normalisation in a layer, or as a diagonal one."""
    # One by one, as each changes what the next one stands on.
    while step := next((each for each in graph.steps if each.kind == NORMALISED), None):
        graph = _without(graph, step)
    return graph


def _without(graph: Graph, step: Step) -> Graph:
    below = next((each for each in graph.steps if each.name == step.args[0].name), None)
    scale, shift = _scale_and_shift(graph, step)
    # It gives three results, of which a model takes the first.
    results = {each.name for each in graph.users.get(step.name, ()) if each.args[1] == 0}
    if below is not None and _may_take(graph, below):
        inside = _inside(graph, below, scale, shift)
        return _renamed(inside, results, step.name, below.name)
    # The same for two calls of one module, whose parameters are shared.
    stored = "+".join(ref.name for ref in step.args[1:5] if ref is not None)
    names = f"{stored}.scale", f"{stored}.shift"
    constants = dict(zip(names, (scale, shift), strict=True))
    diagonal = Step(
        step.name,
        DIAGONAL,
        channelwise,
        (step.args[0], *map(Ref, names)),
        {},
        step.layer,
        step.ndim,
    )
    steps = tuple(diagonal if each is step else each for each in graph.steps)
    whole = replace(graph, steps=steps, constants={**graph.constants, **constants})
    return _renamed(whole, results, "", step.name)


def _scale_and_shift(graph: Graph, step: Step) -> tuple[Constant, Constant]:
    """Of x -> (x - mean) / root(variance + eps) * weight + bias; with their parameters' names."""
    weight, bias = (ref and graph.constants[ref.name] for ref in step.args[1:3])
    mean, variance = (graph.constants[ref.name].tensor for ref in step.args[3:5])
    scale = (variance + step.args[6]).rsqrt()
    scale = scale if weight is None else weight.tensor * scale
    shift = -mean * scale if bias is None else bias.tensor - mean * scale
    names = [each.parameters if each else frozenset[str]() for each in (weight, bias)]
    return Constant(scale, names[0]), Constant(shift, names[1])


def _may_take(graph: Graph, below: Step) -> bool:
    """Whether nothing but the normalisation sees this layer's values, and no other its weights."""
    # Channels are the second axis, which is the one that a linear layer makes of rows only.
    fits = below.kind in CONVOLUTIONS or (below.kind == "linear" and below.ndim == 2)
    if not fits or len(graph.users[below.name]) > 1:
        return False
    constants = [ref for ref in (below.argument(1, "weight"), below.argument(2, "bias")) if ref]
    return all(
        ref.name in graph.constants
        and not graph.constants[ref.name].base
        and len(_users_of_base(graph, ref.name)) == 1
        for ref in constants
    )


def _users_of_base(graph: Graph, name: str) -> list[Step]:
    """The steps that take a constant, or one that shares parameters with it."""
    parameters = graph.constants[name].parameters
    same = [
        other
        for other, each in graph.constants.items()
        if other == name or each.parameters & parameters
    ]
    return [step for other in same for step in graph.users.get(other, ())]


def _inside(graph: Graph, below: Step, scale: Constant, shift: Constant) -> Graph:
    """The layer below with the scale and the shift in its weights."""
    weight = graph.constants[below.argument(1, "weight").name]
    bias: Any = below.argument(2, "bias")
    old = graph.constants[bias.name].tensor if bias is not None else 0.0
    names = f"{below.name}.weight", f"{below.name}.bias"
    made = (
        Constant(_scaled(below, weight.tensor, scale.tensor), weight.parameters),
        Constant(shift.tensor + old * scale.tensor, shift.parameters),
    )
    others = {key: part for key, part in below.kwargs.items() if key not in ("weight", "bias")}
    taking = replace(below, kwargs=others).put(1, Ref(names[0])).put(2, Ref(names[1]))
    steps = tuple(taking if each is below else each for each in graph.steps)
    constants = {**graph.constants, **dict(zip(names, made, strict=True))}
    return replace(graph, steps=steps, constants=constants)


def _scaled(below: Step, weight: Tensor, scale: Tensor) -> Tensor:
    """The weight with its outputs scaled: its first axis, or of groups of its second one."""
    if not is_transposed(below):
        return weight * scale.view(-1, *[1] * (weight.ndim - 1))
    parts = weight.unflatten(0, (groups_of(below), -1))
    by_group = scale.view(len(parts), 1, -1, *[1] * (weight.ndim - 2))
    return (parts * by_group).flatten(0, 1)


def _renamed(graph: Graph, gone: set[str], also: str, now: str) -> Graph:
    """Without some steps, whose values are those of another."""
    out = gone | {also}
    steps = tuple(
        replace(step, **_rerouted(step, out, now)) for step in graph.steps if step.name not in out
    )
    output = now if graph.output in out else graph.output
    return replace(graph, steps=steps, output=output)


def _rerouted(step: Step, gone: set[str], now: str) -> dict[str, Any]:
    args, kwargs = step.filled(
        lambda ref: Ref(now) if isinstance(ref, Ref) and ref.name in gone else ref
    )
    return {"args": args, "kwargs": kwargs}
