"""What can be said of a module whose graph cannot be had: its layers' weights and values, by hooks.

There is no graph to rescale, to differentiate in parts, or to know what follows on what; the
report says so.
"""

from typing import Any

import numpy as np

from repcost.report.graphs import Tensor
from repcost.report.kinds import CONVOLUTIONS
from repcost.report.layers import Layer
from repcost.report.measurements import spectral_norm, stable_rank
from repcost.report.reports import Report
from repcost.report.unchanged import evaluating
from repcost.report.values import Variation

_MISSING = "slack, path norm, Jacobians, dead units, which layers are hidden"
# Points that go through the model at once.
_BATCH = 256


def report_by_hooks(model: Any, X: Any, like: Tensor, tolerance: float, why: str) -> Report:
    """The weights of Linear and convolutional modules, and the ranks of what they give."""
    modules = {name: each for name, each in model.named_modules() if _kind(each)}
    if not modules:
        raise ValueError(f"{why}; and it has no Linear or convolutional modules to look at")
    seen = _seen(model, modules, X, like)
    layers = tuple(_layer(name, modules[name], each) for name, each in seen.items())
    parameters = [each for each in model.parameters() if not each.is_meta]
    stored = sum(float(each.detach().double().square().sum()) for each in parameters)
    inside = sum(layer.squared_norm for layer in layers)
    return Report(
        layers=layers,
        widths=(X[0].size, *(layer.units for layer in layers)),
        points=len(X),
        tolerance=tolerance,
        ignored=(),
        other_norm=max(0.0, stored - inside),
        stored_norm=stored,
        rebalanced_norm=np.nan,
        groups=0,
        reasons=(),
        layerwise_norm=np.nan,
        path_norm=np.nan,
        jacobian_spectra=np.zeros((0, 0)),
        missing=(f"{_MISSING}: {why}",),
    )


def _kind(module: Any) -> str:
    """The operation that a module is a layer of; empty for others."""
    from torch import nn

    if isinstance(module, nn.Linear):
        return "linear"
    name = type(module).__name__.replace("ConvTranspose", "conv_transpose").lower()
    return name if name in CONVOLUTIONS else ""


def _seen(model: Any, modules: dict[str, Any], X: Any, like: Tensor) -> dict[str, Variation]:
    """The values of each module, in the order in which they are called."""
    import torch

    found: dict[str, Variation] = {}

    def see(name: str, value: Tensor) -> None:
        axis = -1 if _kind(modules[name]) == "linear" else -value.ndim + 1
        rows = value.detach().movedim(axis, -1).flatten(0, -2).double().cpu().numpy()
        found.setdefault(name, Variation(rows.shape[1])).add(rows)

    with evaluating(model):
        handles = [
            each.register_forward_hook(lambda _, given, value, name=name: see(name, value))
            for name, each in modules.items()
        ]
        try:
            for start in range(0, len(X), _BATCH):
                batch = torch.from_numpy(np.array(X[start : start + _BATCH]))
                model(batch.to(like.dtype).to(like.device))
        finally:
            for handle in handles:
                handle.remove()
    return found


def _layer(name: str, module: Any, seen: Variation) -> Layer:
    weight = module.weight.detach().double().cpu()
    weight = weight.transpose(0, 1) if "transpose" in _kind(module) else weight
    squares, largest = float(weight.square().sum()), spectral_norm(weight.flatten(1).numpy())
    bias = 0.0 if module.bias is None else float(module.bias.detach().double().square().sum())
    return Layer(
        name=name,
        kind=_kind(module),
        shape=tuple(module.weight.shape),
        parameters=sum(each.numel() for each in module.parameters()),
        weight_norm=squares,
        bias_norm=bias,
        least=np.nan,
        spectral_norm=largest,
        stable_rank=stable_rank(weight.numpy(), largest),
        units=seen.units,
        spectrum=seen.spectrum(),
        dead=0,
        mergeable=0,
        # As nothing is known of what follows.
        hidden=True,
    )
