"""A module read as a graph, and compared with its own outputs at some of the points."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from repcost.report.admission import Module
from repcost.report.graphs import Graph, Tensor
from repcost.report.outputs import Precision, answers, must_agree, some_rows
from repcost.report.reading import read

Points = Float[np.ndarray, "_ ..."]


@dataclass(frozen=True, eq=False)
class Checked:
    """A graph that computes what the module does.

    rows: where both were compared; mismatch: by which part of the largest output they differ.
    like: a tensor of the precision and on the device of most of the module's numbers.
    """

    graph: Graph
    rows: Tensor
    like: Tensor
    mismatch: float


def checked_graph(model: Module, X: Points) -> Checked:
    """NotTraced if there is no graph, ValueError if it computes something else."""
    import torch

    like = most_of(model)
    # Whatever the default device is, the model is called where it lies, and its graph here.
    with by_default(like.device):
        given, theirs = answers(model, some_rows(X), like)
        graph = read(model, given[:2].to(like))
    with by_default(torch.device("cpu")):
        mismatch = must_agree(graph, given, theirs, Precision.of(like.dtype))
    return Checked(graph, given, like, mismatch)


def by_default(device: Any) -> AbstractContextManager[Any]:
    """This default device; nothing where it is that already, as to set one slows every call."""
    import torch

    # Older versions, asked for it, do not see the one of a `with`.
    return nullcontext() if torch.empty(0).device == device else device


def most_of(model: Module) -> Tensor:
    """A tensor of the precision and on the device that most numbers of the model have."""
    import torch

    everywhere = [part for module in model.modules() for part in vars(module).values()]
    own = [each for each in everywhere if torch.is_tensor(each)]
    tensors = [*model.parameters(), *model.buffers(), *own]
    real = [each for each in tensors if each.is_floating_point() and not each.is_meta]
    return max(real, key=lambda each: each.numel(), default=torch.zeros(0))
