"""Layers among the operations of a graph: what has weights, and how these stand in them."""

from dataclasses import dataclass

from repcost.report.graphs import Graph, Ref, Step, Tensor

CONVOLUTIONS = tuple(
    f"conv{transposed}{axes}d" for axes in (1, 2, 3) for transposed in ("_transpose", "")
)
# Batch normalisation that is no part of the layer below it.
DIAGONAL = "channelwise"
PRODUCTS = ("matmul", "mm")
# Of both kinds of convolutions: input, weight, bias and three numbers stand before the groups.
_GROUPS = 6


@dataclass(frozen=True)
class Weights:
    """The constants of a layer by name. axis: that of the units in its value, from the end."""

    weight: str
    bias: str | None
    axis: int


def is_transposed(step: Step) -> bool:
    return "transpose" in step.kind


def groups_of(step: Step) -> int:
    return step.argument(_GROUPS, "groups", 1) if step.kind in CONVOLUTIONS else 1


def weights_of(graph: Graph, step: Step) -> Weights | None:
    """The weights of a layer; None if the operation is none, or has none of its own."""
    if step.kind in ("linear", DIAGONAL, *CONVOLUTIONS):
        places, axis = (1, 2), -1
        if step.kind in CONVOLUTIONS:
            axis = -1 - int(step.kind[-2])
        elif step.kind == DIAGONAL:
            axis = 1 - step.ndim
    elif step.kind in PRODUCTS:
        on_the_right = _known(graph, step.args[1])
        places, axis = (1 if on_the_right else 0, 2), -1 if on_the_right else -2
    elif step.kind == "addmm":
        places, axis = (2, 0), -1
    else:
        return None
    weight, bias = (step.argument(place, name) for place, name in zip(places, _NAMES, strict=True))
    if not _known(graph, weight) or (bias is not None and not _known(graph, bias)):
        return None
    return Weights(weight.name, None if bias is None else bias.name, axis)


_NAMES = ("weight", "bias")


def matrices(step: Step, weight: Tensor) -> Tensor:
    """The weight as matrices from inputs to outputs, one for each group: (groups, out, in)."""
    if step.kind == DIAGONAL:
        return weight.diag()[None]
    if step.kind in CONVOLUTIONS:
        groups = groups_of(step)
        parts = weight.unflatten(0, (groups, -1))
        parts = parts.transpose(1, 2) if is_transposed(step) else parts
        return parts.flatten(2)
    on_the_right = step.kind in ("mm", "addmm") or (
        step.kind == "matmul" and isinstance(step.args[1], Ref) and weight.ndim == 2
    )
    return (weight.T if on_the_right else weight)[None]


def _known(graph: Graph, argument: object) -> bool:
    return isinstance(argument, Ref) and argument.name in graph.constants
