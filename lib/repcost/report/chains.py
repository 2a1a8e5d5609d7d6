"""A graph whose operations come one after the other, as a `torch.nn.Sequential`.

Batch normalisation has been folded into the layers. Whatever is no such chain is refused by the
name of the layer and of the operation.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from repcost.report.graphs import Graph, Ref, Step, Tensor
from repcost.report.kinds import groups_of, weights_of

if TYPE_CHECKING:
    from torch import nn

    Module = nn.Module
    Sequential = nn.Sequential
else:  # torch is only there for those who have a model of theirs
    Module = Sequential = Any

# Of one point, by the names of values.
Sizes = Mapping[str, tuple[int, ...]]

_NOTHING = ("clone", "alias", "detach", "dropout", "contiguous", "_to_copy", "to")
_RESHAPED = ("view", "reshape", "_unsafe_view", "flatten", "unflatten")
_CONVOLUTIONS = ("conv1d", "conv2d", "conv3d")
_POOLED = tuple(f"{kind}_pool{axes}d" for kind in ("max", "avg") for axes in (1, 2, 3))


def chain_of(graph: Graph, sizes: Sizes) -> Sequential:
    """The same function as modules in a row, in float64; ValueError where it is no chain."""
    from torch import nn

    value, parts = graph.input, []
    for step in graph.steps:
        if step.kind == "sym_size":
            continue
        if (problem := _no_link(graph, step, value)) is not None:
            raise ValueError(
                f"model has {problem}; prune takes chains of Linear, of convolutions without "
                "groups, ReLU, pooling and Flatten, and batch normalisation right behind a layer"
            )
        parts += _made(graph, step, sizes[value], sizes[step.name])
        value = step.name
    return nn.Sequential(*parts)


def _no_link(graph: Graph, step: Step, value: str) -> str | None:
    """Why a step does not just take the value before it; nothing if it does."""
    where = f" in layer {step.layer}" if step.layer else ""
    numbers = {each.name for each in graph.steps if each.kind == "sym_size"} | set(graph.constants)
    taken = [name for name in step.inputs if name not in numbers]
    if taken != [value]:
        return f"{step.kind}{where}, where values meet that are no chain"
    if step.kind in ("linear", *_CONVOLUTIONS):
        weights = weights_of(graph, step)
        if weights is None or groups_of(step) > 1:
            return f"{step.kind}{where} with groups, or with weights that are no constants"
        return _shared(graph, step, weights.weight, where)
    if step.kind not in (*_MAKERS, *_RESHAPED, *_NOTHING):
        return f"{step.kind}{where}"
    return None


def _shared(graph: Graph, step: Step, weight: str, where: str) -> str | None:
    base = graph.constants[weight].base or weight
    users = [each for name in {base, weight} for each in graph.users.get(name, ())]
    return f"{step.kind}{where}, whose weights are shared" if len(users) > 1 else None


def _made(
    graph: Graph, step: Step, before: tuple[int, ...], after: tuple[int, ...]
) -> list[Module]:
    from torch import nn

    if step.kind in _NOTHING or (step.kind in _RESHAPED and before == after):
        return []
    if step.kind in _RESHAPED:
        if len(after) == 2:
            return [nn.Flatten()]
        if len(before) == 2 and step is _first(graph):
            return [nn.Unflatten(1, after[1:])]
        raise ValueError(
            f"model has {step.kind} in layer {step.layer} from {before[1:]} to {after[1:]}; prune "
            "takes a Flatten, or an Unflatten of its input"
        )
    return [_MAKERS[step.kind](graph, step)]


def _first(graph: Graph) -> Step:
    return next(step for step in graph.steps if step.kind != "sym_size")


def has_weights(part: Module) -> bool:
    return next(part.parameters(), None) is not None


def layer(weight: Tensor, bias: Tensor | None, like: Module | None = None) -> Module:
    """A Linear with these weights; or a convolution, as `like` is one."""
    from torch import nn

    if like is None or isinstance(like, nn.Linear):
        # On no device, as initial weights would be drawn at random.
        with warnings.catch_warnings():
            # That there is nothing to initialise, which is so on that device anyway.
            warnings.filterwarnings("ignore", message="Initializing zero-element")
            made: Any = nn.Linear(*weight.shape[::-1], bias=bias is not None, device="meta")
    else:
        given: Any = like
        made = type(given)(
            weight.shape[1],
            weight.shape[0],
            given.kernel_size,
            given.stride,
            given.padding,
            given.dilation,
            bias=bias is not None,
            device="meta",
        )
    made.weight = nn.Parameter(weight.detach().clone())
    made.bias = None if bias is None else nn.Parameter(bias.detach().clone())
    return made


def _linear(graph: Graph, step: Step) -> Module:
    return layer(*_constants(graph, step))


def _convolution(graph: Graph, step: Step) -> Module:
    from torch import nn

    weight, bias = _constants(graph, step)
    kind: Any = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}[weight.ndim - 2]
    stride, padding, dilation = (
        step.argument(place, name, otherwise)
        for place, name, otherwise in (
            (3, "stride", 1),
            (4, "padding", 0),
            (5, "dilation", 1),
        )
    )
    sizes = tuple(weight.shape[2:])
    like = kind(
        1, 1, sizes, _as_sizes(stride), _as_sizes(padding), _as_sizes(dilation), device="meta"
    )
    return layer(weight, bias, like)


def _constants(graph: Graph, step: Step) -> tuple[Tensor, Tensor | None]:
    weight, bias = step.argument(1, "weight"), step.argument(2, "bias")
    return graph.constants[weight.name].tensor, (
        graph.constants[bias.name].tensor if isinstance(bias, Ref) else None
    )


def _as_sizes(given: Any) -> Any:
    return tuple(given) if isinstance(given, list | tuple) else given


def _pooling(graph: Graph, step: Step) -> Module:
    from torch import nn

    # Without a stride of its own a pooling takes its kernel's.
    given = [_as_sizes(each) or None for each in step.args[1:4]]
    rest = step.args[4:]
    if step.kind.startswith("max"):
        names = ("kernel_size", "stride", "padding"), ("dilation", "ceil_mode")
        rest = tuple(_as_sizes(each) for each in rest)
    else:
        names = ("kernel_size", "stride", "padding"), ("ceil_mode", "count_include_pad")
    options = {name: part for name, part in zip(names[0], given, strict=False) if part is not None}
    options |= dict(zip(names[1], rest, strict=False))
    kind = step.kind.replace("max_pool", "MaxPool").replace("avg_pool", "AvgPool")
    return getattr(nn, kind)(**options)


def _adaptive(graph: Graph, step: Step) -> Module:
    from torch import nn

    kind: Any = getattr(nn, f"AdaptiveAvgPool{step.kind[-2:]}")
    return kind(_as_sizes(step.args[1]))


def _relu(graph: Graph, step: Step) -> Module:
    from torch import nn

    return nn.ReLU()


def _leaky(graph: Graph, step: Step) -> Module:
    from torch import nn

    return nn.LeakyReLU(step.argument(1, "negative_slope", 0.01))


_MAKERS: Mapping[str, Callable[[Graph, Step], Module]] = {
    "relu": _relu,
    "leaky_relu": _leaky,
    "linear": _linear,
    **dict.fromkeys(_CONVOLUTIONS, _convolution),
    **dict.fromkeys(_POOLED, _pooling),
    **{f"adaptive_avg_pool{axes}d": _adaptive for axes in (1, 2, 3)},
}
