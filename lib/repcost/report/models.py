"""Networks of others as a DeepNet: what `measure` understands, and how it refuses the rest.

A module of torch can compute anything: through its class, through its instance, through hooks and
through parametrisations of its weights. So every layer must be of a known kind that nothing was
changed in; what parametrisations, weight norms and pruning make of a weight is read as it is in
evaluation. `outputs` then compares what was read with what the model says.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from repcost.activations import TORCH_MODULES, Activation
from repcost.arrays import finite_array
from repcost.deep_networks import DeepNet, as_deep
from repcost.networks import TwoLayer
from repcost.report.unchanged import all_are_hooked, evaluating, what_was_changed

if TYPE_CHECKING:
    from torch import Tensor, nn

    Model = DeepNet | TwoLayer | nn.Sequential
else:  # torch is only there for those who have a model of theirs
    Model = Any

# What changes no value at evaluation, or only the shape of the input.
IGNORED = ("Flatten", "Identity", "Dropout", "AlphaDropout")
# What holds a model, or was made of one, and how to get at it.
_WRAPPED = {
    "DataParallel": "give its .module",
    "DistributedDataParallel": "give its .module",
    "OptimizedModule": "give what torch.compile was called on, its ._orig_mod",
    "RecursiveScriptModule": "give the Sequential that it was made of",
    "TopLevelTracedModule": "give the Sequential that it was made of",
    "GraphModule": "give the Sequential that it was made of",
    "LazyLinear": "call the model once, so that it takes its size",
    "BatchNorm1d": "call .eval() and torch.nn.utils.fusion.fuse_linear_bn_eval(linear, norm) first",
}


@dataclass(frozen=True)
class ReadModel:
    """A model as a network of float64 arrays of its own.

    ignored: the names of the layers that were left out.
    flattens: whether points of any shape become rows first.
    like: a weight of the model, with the precision and the device of all; None if it is no torch's.
    """

    net: DeepNet
    ignored: tuple[str, ...] = ()
    flattens: bool = False
    like: "Tensor | None" = None

    @property
    def device(self) -> str:
        """Where derivatives are best computed: where the model lies, if float64 is known there."""
        place = None if self.like is None else self.like.device
        return str(place) if place is not None and place.type == "cuda" else "cpu"


def read_model(model: Model) -> ReadModel:
    """What the layers of a model are; ValueError that names what is not understood."""
    if isinstance(model, DeepNet | TwoLayer):
        return ReadModel(as_deep(model))
    nn = _torch_nn()
    if nn is None or not isinstance(model, nn.Sequential):
        raise ValueError(
            "model must be a torch.nn.Sequential, a DeepNet or a TwoLayer, "
            f"not {type(model).__name__}; {_remedy(model)}"
        )
    if all_are_hooked():
        raise ValueError(
            "model is run with hooks on all modules, which may change what it computes; "
            "call .remove() of their handles"
        )
    with evaluating(model):
        return _read_layers(model, nn)


@dataclass
class _Reading:
    """A model as far as it has been read: weights and activations take turns."""

    weights: list[np.ndarray] = field(default_factory=list)
    biases: list[np.ndarray] = field(default_factory=list)
    activations: list[Activation] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    flattens: bool = False
    like: "Tensor | None" = None

    def linear(self, name: str, layer: "nn.Linear") -> None:
        if len(self.weights) > len(self.activations):
            raise ValueError(
                f"layer {name}: two Linear layers in a row; multiply them into one first"
            )
        for hook in layer._forward_pre_hooks.values():
            # These make the weight anew for each call, from what they keep beside it.
            hook(layer, ())
        self.weights.append(self._array(name, "weight", layer.weight, 2))
        # Without a bias is with a bias of zero, which has no norm.
        no_bias = np.zeros(len(self.weights[-1]))
        bias = layer.bias
        self.biases.append(no_bias if bias is None else self._array(name, "bias", bias, 1))

    def activation(self, name: str, activation: Activation) -> None:
        if len(self.activations) == len(self.weights):
            raise ValueError(
                f"layer {name}: an activation must follow a Linear layer; take it out or move it"
            )
        self.activations.append(activation)

    def leave_out(self, name: str, layer: "nn.Module", kind: str) -> None:
        if kind == "Flatten":
            ends = getattr(layer, "start_dim", 1), getattr(layer, "end_dim", -1)
            if ends != (1, -1):
                raise ValueError(
                    f"layer {name} is a Flatten of the axes {ends[0]} to {ends[1]}; "
                    "only Flatten() is known, which makes one row of each point"
                )
            # Behind a layer there are rows already.
            self.flattens = self.flattens or not self.weights
        self.ignored.append(f"{name} ({kind})")

    def network(self) -> DeepNet:
        if not self.weights:
            raise ValueError("model has no Linear layer; give one at least")
        if len(self.activations) == len(self.weights):
            raise ValueError(
                "the model must end with a Linear layer; leave out the last activation"
            )
        # All arithmetic of regions and costs is for one activation throughout.
        kinds = list(dict.fromkeys(self.activations))
        if len(kinds) > 1:
            raise ValueError(
                f"all activations must be alike, but these are {', '.join(map(str, kinds))}; "
                "measure networks of one kind"
            )
        return DeepNet(self.weights, self.biases, *kinds)

    def _array(self, layer: str, part: str, tensor: Any, axes: int) -> Float[np.ndarray, "..."]:
        import torch

        whose = f"layer {layer}: its {part}"
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            raise ValueError(
                f"{whose} is a {type(tensor).__name__}, which may compute otherwise; "
                "give a plain torch.nn.Parameter"
            )
        if tensor.is_meta:
            raise ValueError(f"{whose} is on the meta device and has no numbers; load them first")
        if not tensor.is_floating_point():
            raise ValueError(f"{whose} is of {tensor.dtype}; give a Parameter of real floats")
        self.like = tensor if self.like is None else self.like
        for what in ("dtype", "device"):
            found = sorted({str(getattr(each, what)) for each in (self.like, tensor)})
            if len(found) > 1:
                raise ValueError(f"{whose} is of {found}, mixed; call model.to({what}) first")
        return finite_array(tensor, whose, axes)


def _read_layers(model: "nn.Sequential", nn: Any) -> ReadModel:
    reading = _Reading()
    for name, layer, kind in _flat(model, nn):
        if kind in IGNORED:
            reading.leave_out(name, layer, kind)
        elif kind == "Linear":
            reading.linear(name, layer)
        else:
            reading.activation(name, _activation(name, layer, kind))
    return ReadModel(reading.network(), tuple(reading.ignored), reading.flattens, reading.like)


def _activation(name: str, layer: "nn.Module", kind: str) -> Activation:
    try:
        return TORCH_MODULES[kind](layer)
    except ValueError as error:
        raise ValueError(f"layer {name}: {error}") from None


def _flat(
    model: Any, nn: Any, prefix: str = "", above: tuple[Any, ...] = ()
) -> Iterator[tuple[str, Any, str]]:
    """The layers as they are called, with dotted names and kinds, through every Sequential."""
    _must_be_unchanged(prefix.rstrip("."), model, nn)
    # In `_modules` a module that is called twice stands twice; `named_children` has it once.
    for part, layer in model._modules.items():
        name = f"{prefix}{part}"
        if layer is model or layer in above:
            raise ValueError(f"layer {name} holds itself; take it out")
        kind = _must_be_unchanged(name, layer, nn)
        if kind == "Sequential":
            yield from _flat(layer, nn, f"{name}.", (*above, model))
        else:
            yield name, layer, kind


def _must_be_unchanged(name: str, layer: Any, nn: Any) -> str:
    """What is known of torch.nn that this computes as; ValueError if it may compute anything else.

    A class of one's own that only sets up its layers is as good as what it inherits from.
    """
    whose = f"layer {name}" if name else "model"
    known = ["Sequential", "Linear", *TORCH_MODULES, *IGNORED]
    kind = next((each for each in known if isinstance(layer, getattr(nn, each))), None)
    given = type(layer).__name__
    if kind is None or given in _WRAPPED:
        # Others have classes of these names, too.
        full = f"{type(layer).__module__}.{given}" if given in known else given
        only = f"only {', '.join(known)} of torch.nn are known"
        raise ValueError(f"{whose} is a {full}; {only}: {_remedy(layer)}")
    if changed := what_was_changed(layer, getattr(nn, kind)):
        raise ValueError(f"{whose} is a {given} with {changed}")
    return kind


def _remedy(given: Any) -> str:
    otherwise = "give its layers in order as torch.nn.Sequential(*layers)"
    return _WRAPPED.get(type(given).__name__, otherwise)


def _torch_nn() -> Any:
    try:
        from torch import nn
    except ModuleNotFoundError:
        return None
    return nn
