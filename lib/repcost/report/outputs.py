"""Whether a model of torch says what was read of it: its own outputs beside those of the network.

The model computes in its own precision, so the two differ by its rounding. How much that explains
is carried through the layers: a sum of n products is off by about the root of n units of what its
terms add up to in size (Higham & Mary, 2019, with a generous factor), and the layers above weigh
what comes from below by the sizes of their weights.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.deep_networks import DeepNet
from repcost.devices import computing
from repcost.report.models import ReadModel
from repcost.report.unchanged import evaluating
from repcost.rounding import UNIT
from repcost.scales import exponents_of_rows

Points = Float[np.ndarray, "n d"]
Outputs = Float[np.ndarray, "n m"]

# As many rows as are compared; one pass through the model.
_COMPARED = 16
# How many standard deviations of a sum of roundings are put down to chance.
_GENEROUS = 5


@dataclass(frozen=True)
class _Precision:
    """unit: of a stored number; inner: of a sum, which may be kept more precisely; least, most."""

    unit: float
    inner: float
    least: float
    most: float

    @classmethod
    def of(cls, dtype: Any) -> "_Precision":
        import torch

        kind, single = torch.finfo(dtype), torch.finfo(torch.float32).eps
        inner = min(kind.eps, single)
        # Our own rounding comes on top, which counts where the model has as many digits.
        unit = kind.eps + 2 * UNIT
        return cls(unit, inner, kind.tiny * (kind.eps if kind.bits < 32 else 1), kind.max)


def must_agree(model: Any, read: ReadModel, X: Points, shape: tuple[int, ...]) -> None:
    """ValueError unless the model in evaluation mode gives what was read of it, at some rows of X.

    shape: of one point, as the model takes it.
    """
    like: Any = read.like
    precision = _Precision.of(like.dtype)
    rows = np.unique(np.linspace(0, len(X) - 1, _COMPARED).astype(int))
    given, net = _in_range(X[rows], read.net, precision), read.net
    # With fewer digits, as is asked for in some trainings, the two could not be told apart.
    with evaluating(model), computing(read.device, "measure", "move the model to cpu"):
        given, theirs = _answers(model, given, shape, like)
    ours = net(given)
    if theirs.shape != ours.shape:
        raise ValueError(
            f"model gives outputs of shape {theirs.shape}, but its layers as they were read "
            f"{ours.shape}; give a Sequential that takes and gives rows"
        )
    _compare(ours, theirs, _rounding(net, given, precision), like.dtype)


def _compare(ours: Outputs, theirs: Outputs, allowed: Outputs, dtype: Any) -> None:
    apart = np.abs(ours - theirs)
    if not np.isfinite(allowed).all() or np.isinf(theirs).any():
        raise ValueError(f"model leaves the range of {dtype} at X; call model.double() first")
    # An output that is no number agrees with nothing.
    worst = np.unravel_index(np.argmax(np.nan_to_num(apart - allowed, nan=np.inf)), apart.shape)
    if not apart[worst] <= allowed[worst]:
        raise ValueError(
            "model does not compute what its layers say: at a row of X its outputs differ by "
            f"{apart[worst]:.3g} from theirs, where rounding in {dtype} explains "
            f"{allowed[worst]:.2g}; give a Sequential of plain layers"
        )


def _in_range(X: Points, net: DeepNet, precision: _Precision) -> Points:
    """Points at which the model does not overflow: smaller ones, where these are too large."""
    with np.errstate(over="ignore", invalid="ignore"):
        reach = _sizes(net, X)
    large = ~(reach < precision.most / 4)
    small = np.ldexp(X, -exponents_of_rows(X)[:, None])
    return np.where(large[:, None], small, X)


def _sizes(net: DeepNet, X: Points) -> Float[np.ndarray, " n"]:
    """At each point, a number that no term of any layer exceeds."""
    size, largest = np.abs(X), np.abs(X).max(axis=1, initial=0.0)
    for weight, bias in zip(net.weights, net.biases, strict=True):
        size = size @ np.abs(weight).T + np.abs(bias)
        largest = np.maximum(largest, size.max(axis=1, initial=0.0))
    return largest


def _answers(
    model: Any, X: Points, shape: tuple[int, ...], like: Any
) -> tuple[Points, Float[np.ndarray, "..."]]:
    """The points as the model sees them, and what it says there."""
    import torch

    # Not `torch.tensor`, which asks for the default device.
    tensor = torch.from_numpy(np.array(X)).to(like.dtype)
    # Layers may work in place, so what they get is theirs.
    seen = tensor.clone().reshape(len(X), *shape).to(like.device)
    # What draws random numbers shall draw others than it did when the weights were read.
    torch.rand((), device=like.device)
    try:
        said = model(seen)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise ValueError(f"model cannot be called on rows of X: {error}") from None
    return tensor.double().numpy(), said.detach().cpu().double().numpy()


def _rounding(net: DeepNet, X: Points, precision: _Precision) -> Outputs:
    """By how much outputs in this precision may differ from ours."""
    off, values = np.zeros_like(X), X
    with np.errstate(over="ignore", invalid="ignore"):
        for layer, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
            values = net.activation(values) if layer else values
            sizes = (np.abs(values) + off) @ np.abs(weight).T + np.abs(bias)
            terms = weight.shape[1] + 1
            part = 4 * precision.unit + _GENEROUS * np.sqrt(terms) * precision.inner
            # The activation moves no two numbers further apart, and rounds once.
            off = off @ np.abs(weight).T + part * sizes + terms * precision.least
            values = values @ weight.T + bias
    return off
