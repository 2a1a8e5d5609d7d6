"""Networks of others as a DeepNet: what `measure` understands, and by which name it refuses the
rest.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer

if TYPE_CHECKING:
    from torch import nn

    Model = DeepNet | TwoLayer | nn.Sequential
else:  # torch is only there for those who have a model of theirs
    Model = Any

# What changes no value at evaluation, or only the shape of the input.
IGNORED = ("Flatten", "Identity", "Dropout", "AlphaDropout")


def as_deep_net(model: Model) -> tuple[DeepNet, tuple[str, ...]]:
    """The network as float64 arrays of its own, and the names of the layers that were left out."""
    return (as_deep(model), ()) if isinstance(model, DeepNet | TwoLayer) else _from_torch(model)


def device_of(model: Model) -> str:
    """Where the parameters of a model lie; "cpu" for networks that are plain arrays."""
    parameters = getattr(model, "parameters", None)
    return str(next(parameters()).device) if parameters else "cpu"


def _from_torch(model: "nn.Sequential") -> tuple[DeepNet, tuple[str, ...]]:
    try:
        from torch import nn
    except ModuleNotFoundError:
        nn = None
    if nn is None or not isinstance(model, nn.Sequential):
        raise ValueError(
            f"model must be a torch.nn.Sequential, a DeepNet or a TwoLayer, not {type(model).__name__}"
        )
    weights, biases, slopes, ignored = [], [], [], []
    for name, layer in _flat(model):
        kind = type(layer).__name__
        if kind in IGNORED:
            ignored.append(f"{name} ({kind})")
        elif isinstance(layer, nn.Linear):
            if len(weights) > len(slopes):
                raise ValueError(
                    f"layer {name}: two Linear layers in a row; multiply them into one first"
                )
            weights.append(_array(layer.weight))
            biases.append(np.zeros(len(weights[-1])) if layer.bias is None else _array(layer.bias))
        elif isinstance(layer, nn.ReLU | nn.LeakyReLU):
            if len(slopes) == len(weights):
                raise ValueError(f"layer {name}: an activation must follow a Linear layer")
            slopes.append(layer.negative_slope if isinstance(layer, nn.LeakyReLU) else 0.0)
        else:
            raise ValueError(
                f"layer {name} is a {kind}; only Linear, ReLU, LeakyReLU, {', '.join(IGNORED)} are known"
            )
    if len(slopes) == len(weights):
        raise ValueError("the model must end with a Linear layer; leave out the last activation")
    if len(set(slopes)) > 1:
        raise ValueError(
            f"all activations must be alike, but their negative slopes are {sorted(set(slopes))}"
        )
    return DeepNet(weights, biases, slopes[0] if slopes else 0.0), tuple(ignored)


def _flat(model: "nn.Module", prefix: str = "") -> "Iterator[tuple[str, nn.Module]]":
    """The layers in order with their dotted names; a Sequential in a Sequential is walked through."""
    for name, layer in model.named_children():
        if type(layer).__name__ == "Sequential":
            yield from _flat(layer, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", layer


def _array(parameter) -> np.ndarray:
    return parameter.detach().to("cpu").double().numpy().copy()
