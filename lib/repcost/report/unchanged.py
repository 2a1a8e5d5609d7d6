"""Modules of torch: whether hooks change what they compute, and how to ask without a trace."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

_HOOKS = ("_forward_pre_hooks", "_forward_hooks")


def hooks_of(module: Any) -> str:
    """Why a module may not compute what its forward says, and the remedy; empty if it does."""
    for hooks in _HOOKS:
        if not all(map(only_makes_weights, getattr(module, hooks).values())):
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
