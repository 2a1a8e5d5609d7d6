"""Any module of torch as a `Graph`, read by torch.export.

It runs the model's own Python once on tensors without numbers. What comes out is free of aliases
and of operations in place, and has functions, shared modules, parametrisations and a forward of
one's own as the same few ATen operations. What this cannot see is refused by name: hooks, which
may do anything with what they are given, tensors of classes of their own, numbers that are none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from repcost.report.admission import Module
from repcost.report.exporting import exported, must_take_any_number
from repcost.report.folding import folded
from repcost.report.graphs import PRECISION, Constant, Graph, Ref, Step, Tensor, mapped
from repcost.report.unchanged import evaluating

# Layers that do nothing in evaluation but change the shape, for the report.
_IGNORED = ("Flatten", "Unflatten", "Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d")
_NO_VALUES = ("sym_constrain_range_for_size", "sym_constrain_range", "_assert_scalar")
_TRANSPOSITIONS = ("t", "transpose", "permute", "numpy_T", "swapaxes", "mT", "adjoint")


def read(model: Module, rows: Tensor) -> Graph:
    """The graph of a module in evaluation, in float64 on the CPU; rows: two points or more.

    Batch normalisation is folded. NotTraced where torch.export does not know what to do.
    """
    # Parametrisations are computed here, and may draw random numbers.
    with evaluating(model):
        graph = _Reader(exported(model, rows)).graph()
    must_take_any_number(graph, rows)
    ignored = tuple(
        f"{name} ({type(each).__name__})"
        for name, each in model.named_modules(remove_duplicate=False)
        if type(each).__name__ in _IGNORED
    )
    return folded(replace(graph, ignored=ignored))


@dataclass
class _Reader:
    """An exported programme as far as it has been read."""

    exported: Any
    steps: list[Step] = field(default_factory=list)
    constants: dict[str, Constant] = field(default_factory=dict)
    # Names under which another name's constant is known: the same storage, the same computation.
    same: dict[str, str] = field(default_factory=dict)
    seen: dict[Any, str] = field(default_factory=dict)

    def graph(self) -> Graph:
        signature = self.exported.graph_signature
        if signature.buffers_to_mutate or signature.user_inputs_to_mutate:
            changed = ", ".join(signature.buffers_to_mutate.values()) or "its input"
            raise ValueError(f"model changes {changed} while it evaluates; take that out")
        inputs, outputs = (
            [name for name in names if isinstance(name, str)]
            for names in (signature.user_inputs, signature.user_outputs)
        )
        if len(inputs) != 1 or len(outputs) != 1:
            raise ValueError(
                f"model takes {len(inputs)} tensors and gives {len(outputs)}; "
                "give a module that takes one and gives one"
            )
        for node in self.exported.graph.nodes:
            if node.op == "placeholder" and node.name != inputs[0]:
                self._constant(node)
            elif node.op == "call_function" and _kind(node.target) not in _NO_VALUES:
                self._operation(node)
        named = self.same.get(outputs[0], outputs[0])
        if named == inputs[0]:
            raise ValueError("model gives back the points; there is nothing to measure")
        if named in self.constants:
            raise ValueError("model gives the same whatever it takes; there is nothing to measure")
        return _only_used(Graph(tuple(self.steps), self.constants, inputs[0], named))

    def _constant(self, node: Any) -> None:
        signature = self.exported.graph_signature
        parameter = signature.inputs_to_parameters.get(node.name)
        others: Mapping[str, str] = {
            **signature.inputs_to_buffers,
            **signature.inputs_to_lifted_tensor_constants,
        }
        stored = {**self.exported.state_dict, **self.exported.constants}
        found = stored[parameter or others[node.name]].detach()
        # Tied parameters have one storage, which is none of its own where it is empty.
        place = (found.data_ptr() or node.name, tuple(found.shape), found.stride())
        if self._known(place, node.name):
            return
        names: frozenset[str] = frozenset([parameter]) if parameter else frozenset()
        self.constants[node.name] = Constant(_in_double(found), names)

    def _operation(self, node: Any) -> None:
        args, kwargs = (
            _translated(part, lambda node: Ref(str(self.same.get(node.name, node.name))))
            for part in (node.args, node.kwargs)
        )
        value = node.meta.get("val")
        ndim = value.ndim if hasattr(value, "ndim") else 0
        kind = _kind(node.target)
        step = Step(node.name, kind, node.target, args, kwargs, _layer(node), ndim)
        if step.inputs and all(name in self.constants for name in step.inputs):
            self._computed(step)
        else:
            self.steps.append(step)

    def _computed(self, step: Step) -> None:
        """A constant made of others: once, however often the model asks for it."""
        import torch

        if self._known((step.kind, str(step.args), str(step.kwargs)), step.name):
            return
        given = [self.constants[name] for name in step.inputs]
        args, kwargs = step.filled(
            lambda ref: self.constants[ref.name].tensor if isinstance(ref, Ref) else torch.float64
        )
        made = step.call(*args, **kwargs)
        parameters = frozenset().union(*(each.parameters for each in given))
        base, axes = _transposed(step, given[0], args, kwargs)
        self.constants[step.name] = Constant(made, parameters, base, axes)

    def _known(self, key: Any, name: str) -> bool:
        first = self.seen.setdefault(key, name)
        self.same[name] = first
        return first != name


def _transposed(step: Step, given: Constant, args: Any, kwargs: Any) -> tuple[str, tuple[int, ...]]:
    """Of which constant a transposition is one, and in which order its axes stand there."""
    import torch

    if step.kind not in _TRANSPOSITIONS:
        return "", ()
    # Axes of lengths 2, 3, 4, ... are told apart by their lengths.
    probe = torch.empty(*range(2, 2 + given.tensor.ndim), device="meta")
    order = tuple(length - 2 for length in step.call(probe, *args[1:], **kwargs).shape)
    if not given.base:
        return step.inputs[0], order
    return given.base, tuple(given.axes[axis] for axis in order)


def _translated(part: Any, find: Any) -> Any:
    """Arguments of an fx node with names for nodes, and for types and devices what is meant."""
    import torch
    from torch.fx.node import Node, map_aggregate

    def leaf(each: Any) -> Any:
        if isinstance(each, Node):
            return find(each)
        if isinstance(each, torch.dtype) and each.is_floating_point:
            return PRECISION
        return torch.device("cpu") if isinstance(each, torch.device) else each

    # torch's own lists and dictionaries are left behind.
    return mapped(map_aggregate(part, leaf), lambda ref: ref)


def _kind(target: Any) -> str:
    packet = getattr(target, "overloadpacket", target)
    return getattr(packet, "__name__", str(packet)).removeprefix("operator.")


def _layer(node: Any) -> str:
    stack = node.meta.get("nn_module_stack") or {"": ("",)}
    # "L['self'].blocks[0]" or "blocks.0", as torch names what it was called in.
    path = list(stack.values())[-1][0].removeprefix("L['self']").lstrip(".")
    # Operations that were taken apart may have lost their module.
    return "" if path.startswith("_empty_nn_module_stack") else path


def _in_double(tensor: Tensor) -> Tensor:
    tensor = tensor if tensor.is_meta else tensor.cpu()
    return tensor.double() if tensor.is_floating_point() else tensor


def _only_used(graph: Graph) -> Graph:
    """Without steps and constants that the output does not depend on."""
    needed = {graph.output}
    for step in reversed(graph.steps):
        if step.name in needed:
            needed.update(step.inputs)
    steps = tuple(step for step in graph.steps if step.name in needed)
    # Constants that are transpositions of others are read beside them.
    bases = {each.base for name, each in graph.constants.items() if name in needed}
    kept = {name: each for name, each in graph.constants.items() if name in needed | bases}
    for each in kept.values():
        if each.tensor.is_meta:
            whose = ", ".join(each.parameters) or "a buffer of model"
            raise ValueError(f"{whose} is on the meta device and has no numbers; load them first")
    return replace(graph, steps=steps, constants=kept)
