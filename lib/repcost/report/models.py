"""Networks of others as a DeepNet: what `measure` understands, and how it refuses the rest."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from repcost.activations import TORCH_MODULES, Activation
from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer

if TYPE_CHECKING:
    from torch import nn

    Model = DeepNet | TwoLayer | nn.Sequential
else:  # torch is only there for those who have a model of theirs
    Model = Any

# What changes no value at evaluation, or only the shape of the input.
IGNORED = ("Flatten", "Identity", "Dropout", "AlphaDropout")


def read_model(model: Model) -> tuple[DeepNet, tuple[str, ...]]:
    """The network as float64 arrays of its own, and the names of the layers that were left out."""
    return (as_deep(model), ()) if isinstance(model, DeepNet | TwoLayer) else _from_torch(model)


def device_of(model: Model) -> str:
    """Where the parameters of a model lie; "cpu" for networks that are plain arrays."""
    parameters = getattr(model, "parameters", None)
    return str(next(parameters()).device) if parameters else "cpu"


@dataclass
class _Reading:
    """A model as far as it has been read: weights and activations take turns."""

    weights: list[np.ndarray] = field(default_factory=list)
    biases: list[np.ndarray] = field(default_factory=list)
    activations: list[Activation] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def linear(self, name: str, layer: "nn.Linear") -> None:
        if len(self.weights) > len(self.activations):
            raise ValueError(
                f"layer {name}: two Linear layers in a row; multiply them into one first"
            )
        # Without a bias is with a bias of zero, which has no norm.
        self.weights.append(_array(layer.weight))
        no_bias = np.zeros(len(self.weights[-1]))
        self.biases.append(no_bias if layer.bias is None else _array(layer.bias))

    def activation(self, name: str, activation: Activation) -> None:
        if len(self.activations) == len(self.weights):
            raise ValueError(f"layer {name}: an activation must follow a Linear layer")
        self.activations.append(activation)

    def network(self) -> DeepNet:
        if len(self.activations) == len(self.weights):
            raise ValueError(
                "the model must end with a Linear layer; leave out the last activation"
            )
        # All arithmetic of regions and costs is for one activation throughout.
        kinds = list(dict.fromkeys(self.activations))
        if len(kinds) > 1:
            raise ValueError(
                f"all activations must be alike, but these are {', '.join(map(str, kinds))}"
            )
        return DeepNet(self.weights, self.biases, *kinds)


def _from_torch(model: "nn.Sequential") -> tuple[DeepNet, tuple[str, ...]]:
    try:
        from torch import nn
    except ModuleNotFoundError:
        nn = None
    if nn is None or not isinstance(model, nn.Sequential):
        kind = type(model).__name__
        raise ValueError(
            f"model must be a torch.nn.Sequential, a DeepNet or a TwoLayer, not {kind}"
        )
    reading = _Reading()
    for name, layer in _flat(model):
        kind = type(layer).__name__
        if kind in IGNORED:
            reading.ignored.append(f"{name} ({kind})")
        elif isinstance(layer, nn.Linear):
            reading.linear(name, layer)
        else:
            reading.activation(name, _activation(name, layer, nn))
    return reading.network(), tuple(reading.ignored)


def _activation(name: str, layer: "nn.Module", nn: Any) -> Activation:
    """What a module of torch.nn passes on; ValueError if it is no activation that is known."""
    for known, activation in TORCH_MODULES.items():
        if isinstance(layer, getattr(nn, known)):
            return activation(layer)
    all_known = ", ".join(["Linear", *TORCH_MODULES, *IGNORED])
    raise ValueError(f"layer {name} is a {type(layer).__name__}; only {all_known} are known")


def _flat(model: "nn.Module", prefix: str = "") -> "Iterator[tuple[str, nn.Module]]":
    """The layers in order with their dotted names, through every Sequential in a Sequential."""
    for name, layer in model.named_children():
        # By its name, as torch need not be there when this module is read.
        if type(layer).__name__ == "Sequential":
            yield from _flat(layer, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", layer


def _array(parameter: Any) -> Float[np.ndarray, "..."]:
    return parameter.detach().to("cpu").double().numpy().copy()
