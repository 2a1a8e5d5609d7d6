"""All that a module is, and torch's random state: to compare before and after."""

from typing import Any

import torch


def state_of(model: Any) -> dict[str, Any]:
    """Weights, buffers, gradients, flags, modes, hooks and attributes, as plain values."""
    found: dict[str, Any] = {"random": torch.random.get_rng_state().tolist()}
    for name, module in model.named_modules():
        tensors = {**module._parameters, **module._buffers}
        for key, part in tensors.items():
            if part is not None:
                found[f"{name}.{key}"] = (
                    id(part),
                    part.detach().tolist(),
                    part.requires_grad,
                    part.dtype,
                    part.grad,
                )
        kept = {k: v for k, v in vars(module).items() if not k.startswith("_")}
        hooks = [list(part) for key, part in vars(module).items() if key.endswith("_hooks")]
        found[f"{name}:"] = (module.training, repr(kept), hooks, type(module), list(vars(module)))
    return found
