"""Modules of torch: whether they compute what their class says, and how to ask without a trace."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

# What decides, in a class of modules, what a call does.
_COMPUTING = (
    "__call__",
    "__getattr__",
    "__getattribute__",
    "__iter__",
    "_call_impl",
    "_compiled_call_impl",
    "_slow_forward",
    "_wrapped_call_impl",
    "forward",
)
_HOOKS = ("_forward_pre_hooks", "_forward_hooks")


def what_was_changed(layer: Any, known: type) -> str:
    """Why a module may not compute what modules of this class of torch.nn do; empty if it does."""
    for name in _COMPUTING:
        if getattr(type(layer), name, None) is not getattr(known, name, None):
            return f"a {name} of its own; give a plain {known.__name__} that computes the same"
        # In place compilation stays the same function.
        if name in vars(layer) and name != "_compiled_call_impl":
            return f"a {name} of its own; call del layer.{name} first"
    for hooks in _HOOKS:
        if not all(map(only_makes_weights, getattr(layer, hooks).values())):
            kind = hooks.strip("_").replace("_", " ")
            return f"{kind}, which may change what it computes; call .remove() of their handles"
    return ""


def all_are_hooked() -> bool:
    """Whether torch has hooks that are called with every module of the process."""
    from torch.nn.modules import module

    return bool(module._global_forward_pre_hooks or module._global_forward_hooks)


def only_makes_weights(hook: Any) -> bool:
    """Weight norm, spectral norm and pruning of the kind that is older than parametrisations."""
    from torch.nn.utils.prune import BasePruningMethod
    from torch.nn.utils.spectral_norm import SpectralNorm
    from torch.nn.utils.weight_norm import WeightNorm

    if isinstance(hook, BasePruningMethod):
        return type(hook).__call__ is BasePruningMethod.__call__
    return type(hook) in (SpectralNorm, WeightNorm)


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """In evaluation mode, uncompiled, without gradients; all is as it was afterwards."""
    import torch

    # One by one: `model.train()` would set all of them alike, and may be overridden.
    modules = list(model.modules())
    attributes = [dict(vars(module)) for module in modules]
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    places = {tensor.device for tensor in (*model.parameters(), *model.buffers())}
    cards = [place for place in places if place.type == "cuda"]
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(cards))
        stack.enter_context(torch.no_grad())
        # A model whose weights are no parameters lies on the processor, as a rule.
        for kind in {"cpu", *(place.type for place in places)} - {"meta"}:
            stack.enter_context(torch.autocast(kind, enabled=False))
        try:
            for module in modules:
                vars(module).update(training=False, _compiled_call_impl=None)
            yield
        finally:
            for module, before in zip(modules, attributes, strict=True):
                vars(module).clear()
                vars(module).update(before)
            for buffer, before in buffers:
                if not buffer.is_meta and not torch.equal(buffer, before):
                    buffer.copy_(before)
