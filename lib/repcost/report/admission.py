"""Which modules are read: such as hold plain tensors of numbers and are called without hooks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from repcost.report.unchanged import all_are_hooked, hooks_of

if TYPE_CHECKING:
    from torch import nn

    Module = nn.Module
else:  # torch is only there for those who have a model of theirs
    Module = Any

# What holds a model, and under which name.
_WRAPPERS = {"OptimizedModule": "_orig_mod", "DataParallel": "module"}
_REMEDIES = {
    "DistributedDataParallel": "give its .module",
    "RecursiveScriptModule": "give the module that it was made of",
    "TopLevelTracedModule": "give the module that it was made of",
}


def unwrapped(model: Any) -> Module:
    """The module itself; ValueError if it is none, or none whose Python can be run."""
    from torch import nn

    while type(model).__name__ in _WRAPPERS:
        model = getattr(model, _WRAPPERS[type(model).__name__])
    kind = type(model).__name__
    if not isinstance(model, nn.Module) or kind in _REMEDIES:
        remedy = _REMEDIES.get(kind, "give the module itself")
        raise ValueError(
            "model must be a torch.nn.Module, a DeepNet or a TwoLayer, "
            f"not {'the class ' + model.__name__ if isinstance(model, type) else kind}; {remedy}"
        )
    must_be_plain(model)
    return model


def must_be_plain(model: Module) -> None:
    """ValueError that names hooks, and tensors that are no plain ones of finite numbers."""
    if all_are_hooked():
        raise ValueError(
            "model is run with hooks on all modules, which may change what it computes; "
            "call .remove() of their handles"
        )
    for name, module in model.named_modules():
        whose = f"layer {name}" if name else "model"
        for part, tensor in _tensors(module):
            _must_be_numbers(f"{whose}: its {part}", tensor)
        if hooks := hooks_of(module):
            raise ValueError(f"{whose} is a {type(module).__name__} with {hooks}")


def _tensors(module: Module) -> Iterator[tuple[str, Any]]:
    yield from ((name, each) for name, each in module._parameters.items() if each is not None)
    yield from ((name, each) for name, each in module._buffers.items() if each is not None)


def _must_be_numbers(whose: str, tensor: Any) -> None:
    import torch
    from torch.nn.parameter import UninitializedBuffer, UninitializedParameter

    if isinstance(tensor, UninitializedParameter | UninitializedBuffer):
        raise ValueError(f"{whose} has no size yet; call the model once, so that it takes one")
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
        raise ValueError(
            f"{whose} is a {type(tensor).__name__}, which may compute otherwise; "
            "give a plain torch.nn.Parameter"
        )
    if not tensor.is_meta and tensor.is_floating_point() and not torch.isfinite(tensor).all():
        raise ValueError(f"{whose} holds NaN or infinity; remove those entries first")
