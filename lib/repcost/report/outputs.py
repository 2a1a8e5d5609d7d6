"""Whether a model of torch says what was read of it: its own outputs beside those of the graph.

The model computes in its own precision and the graph in float64, so the two differ by the model's
rounding. How much that explains is found by trying: the graph is run with every constant and every
value moved by a unit of the model's precision, at random. A sum of n products is off by about the
root of n such units, so a generous factor stands before.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.devices import computing
from repcost.report.graphs import Graph, Tensor
from repcost.report.unchanged import evaluating
from repcost.rounding import UNIT
from repcost.scales import exponents_of_rows

Points = Float[np.ndarray, "_ ..."]
Outputs = Float[np.ndarray, "_ ..."]

# As many rows as are compared; one pass through the model.
_COMPARED = 16
# How often rounding is tried, and how much more of it is put down to chance.
_TRIALS, _GENEROUS = 3, 40
# In float64, rows must not depend on each other by more than this part.
_ALONE = 1e-9


@dataclass(frozen=True)
class Precision:
    """unit: the rounding of a number near one; least: the smallest number that is told from 0."""

    dtype: Any
    unit: float
    least: float

    @classmethod
    def of(cls, dtype: Any) -> "Precision":
        import torch

        kind = torch.finfo(dtype)
        # Ours comes on top, which counts where the model has as many digits.
        return cls(dtype, kind.eps + 2 * UNIT, kind.tiny * (kind.eps if kind.bits < 32 else 1))


def some_rows(X: Points) -> Points:
    """Evenly spread rows, as many as are compared, and two at least."""
    rows = np.unique(np.linspace(0, len(X) - 1, _COMPARED).astype(int))
    return np.concatenate([X, X]) if len(X) == 1 else X[rows]


def answers(model: Any, X: Points, like: Tensor) -> tuple[Tensor, Tensor]:
    """The rows as a model of this precision sees them, in float64, and what it says there.

    Rows that leave its range are taken at size one.
    """
    given, said = _said(model, X, like)
    lost = ~(given.isfinite().flatten(1).all(1) & said.isfinite().flatten(1).all(1))
    if lost.any():
        flat = X.reshape(len(X), -1)
        small = np.ldexp(flat, -exponents_of_rows(flat)[:, None]).reshape(X.shape)
        mixed = np.where(lost.numpy().reshape(-1, *[1] * (X.ndim - 1)), small, X)
        given, said = _said(model, mixed, like)
    if said.isinf().any():
        raise ValueError(f"model leaves the range of {like.dtype} at X; call model.double() first")
    return given, said


def _said(model: Any, X: Points, like: Tensor) -> tuple[Tensor, Tensor]:
    import torch

    # Not `torch.tensor`, which asks for the default device.
    seen = torch.from_numpy(np.array(X)).to(like.dtype)
    # With fewer digits, as is asked for in some trainings, rounding could not be told from faults.
    with evaluating(model), computing(str(like.device), "measure", "move the model to cpu"):
        # What draws random numbers shall draw others than it did when the model was read.
        torch.rand((), device=like.device)
        try:
            # Layers may work in place, so what they get is theirs.
            said = model(seen.clone().to(like.device))
        except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
            told = " ".join(str(error).split())
            raise ValueError(f"model cannot be called on rows of X: {told}") from None
    if not (torch.is_tensor(said) and said.is_floating_point() and len(said) == len(seen)):
        raise ValueError(
            f"model gives {_described(said)}; give a module that takes one tensor of points and "
            "gives one tensor of real numbers, a row for each"
        )
    return seen.double(), said.detach().cpu().double()


def _described(said: Any) -> str:
    shape = getattr(said, "shape", None)
    return type(said).__name__ if shape is None else f"{said.dtype} of shape {tuple(shape)}"


def must_agree(graph: Graph, given: Tensor, theirs: Tensor, precision: Precision) -> float:
    """By which part of the largest output the graph differs from the model; ValueError if by more
    than rounding explains.
    """
    ours = graph(given)
    if theirs.shape != ours.shape:
        raise ValueError(
            f"model gives outputs of shape {tuple(theirs.shape)}, but what was read of it "
            f"{tuple(ours.shape)}; it is not measured"
        )
    _rows_must_be_alone(graph, given, ours)
    apart = (ours - theirs).abs().flatten(1).amax(1).numpy()
    allowed = _rounding(graph, given, ours, precision)
    # An output that is no number agrees with nothing.
    worst = int(np.argmax(np.nan_to_num(apart - allowed, nan=np.inf)))
    if not apart[worst] <= allowed[worst]:
        raise ValueError(
            "model does not compute what was read of it: at a row of X its outputs differ by "
            f"{apart[worst]:.3g} from that, where rounding in {precision.dtype} explains "
            f"{allowed[worst]:.2g}; it is not measured"
        )
    return float(apart.max() / max(float(ours.abs().max()), 1e-300))


def _rows_must_be_alone(graph: Graph, given: Tensor, ours: Tensor) -> None:
    """A point's output must not depend on the other points, nor on chance."""
    import torch

    beside = graph(torch.cat([given, given.flip(0) / 2]))[: len(given)]
    apart = float((beside - ours).abs().max())
    if not apart <= _ALONE * float(ours.abs().max()):
        raise ValueError(
            "model gives a row of X other outputs beside other rows, or by chance; "
            "call .eval() on what mixes rows, or leave it out"
        )


def _rounding(
    graph: Graph, given: Tensor, ours: Tensor, precision: Precision
) -> Float[np.ndarray, " n"]:
    """By how much the outputs of each row may differ from ours."""
    import torch

    chance = torch.Generator().manual_seed(0)

    def moved(value: Any) -> Any:
        if not (torch.is_tensor(value) and value.is_floating_point()):
            return value
        signs = (
            torch.randint(0, 2, value.shape, generator=chance, dtype=torch.int8).double() * 2 - 1
        )
        return value + signs * (precision.unit * value.abs() + precision.least)

    trials = []
    for _ in range(_TRIALS):
        steps = tuple(replace(step, call=_then(step.call, moved)) for step in graph.steps)
        tensors = {name: moved(each.tensor) for name, each in graph.constants.items()}
        rounded = replace(graph.with_tensors(tensors), steps=steps)
        trials.append((rounded(moved(given)) - ours).abs().flatten(1).amax(1))
    spread = torch.stack(trials).amax(0) + precision.unit * ours.abs().flatten(1).amax(1)
    return _GENEROUS * spread.numpy() + precision.least


def _then(call: Callable[..., Any], moved: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: moved(call(*args, **kwargs))
