"""Singular values of a graph's derivative, at many points at once.

A batch of points goes through the graph once, and back once for each output: rows of all their
Jacobians. Where there are many outputs and many inputs, a sketch takes their place: a few random
directions of outputs are sent back, and the span of what comes out is sent forward again. Singular
values of a part of a matrix are never larger than its own.
"""

import warnings
from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from repcost.report.graphs import Graph, Tensor

Points = Float[np.ndarray, "_ ..."]
Spectra = Float[np.ndarray, "_ _"]

# Up to so many outputs, or inputs, Jacobians are had in full; beyond, in so many directions.
FULL, SKETCHED = 64, 16


def is_sketched(inputs: int, outputs: int) -> bool:
    return min(inputs, outputs) > FULL


def derivative_spectra(graph: Graph, batches: Iterator[Tensor]) -> Spectra:
    """Singular values at all points of the batches, largest first; of sketches, lower bounds."""
    return np.concatenate([_of_batch(graph, x) for x in batches])


def _of_batch(graph: Graph, x: Tensor) -> Spectra:
    import torch

    with torch.enable_grad():
        x = x.clone().requires_grad_(True)
        y = graph(x).flatten(1)
        if is_sketched(x[0].numel(), y.shape[1]):
            return _sketched(graph, x, y)
        if y.shape[1] <= FULL:
            J = _sent_back(x, y, torch.eye(y.shape[1], dtype=y.dtype))
        else:
            J = _sent_forward(graph, x.detach(), torch.eye(x[0].numel(), dtype=x.dtype))
    return _singular_values(J)


def _sent_back(x: Tensor, y: Tensor, directions: Tensor) -> Tensor:
    """Rows of each point's Jacobian, or sums of rows: (n, directions, inputs)."""
    import torch

    if not y.requires_grad:
        # Whatever the points are, the outputs are the same.
        return y.new_zeros(len(x), len(directions), x[0].numel())
    rows = []
    for place, direction in enumerate(directions):
        again = place < len(directions) - 1
        row = torch.autograd.grad((y @ direction).sum(), x, retain_graph=again, allow_unused=True)[
            0
        ]
        rows.append(torch.zeros_like(x).flatten(1) if row is None else row.flatten(1))
    return torch.stack(rows, 1)


def _sent_forward(graph: Graph, x: Tensor, directions: Tensor) -> Tensor:
    """Columns of each point's Jacobian; directions: (k, inputs), or (n, k, inputs)."""
    import torch

    columns = []
    with warnings.catch_warnings():
        # torch warns of what it uses itself, the first time.
        warnings.simplefilter("ignore", DeprecationWarning)
        for place in range(directions.shape[-2]):
            direction = directions[..., place, :].expand(len(x), -1).reshape(x.shape)
            columns.append(torch.func.jvp(graph, (x,), (direction,))[1].flatten(1))
    return torch.stack(columns, 1)


def _sketched(graph: Graph, x: Tensor, y: Tensor) -> Spectra:
    import torch

    chance = torch.Generator().manual_seed(0)
    probes = torch.randn(SKETCHED, y.shape[1], generator=chance, dtype=y.dtype)
    spans = torch.linalg.qr(_sent_back(x, y, probes).mT)[0].mT
    return _singular_values(_sent_forward(graph, x.detach(), spans))


def _singular_values(J: Tensor) -> Spectra:
    """Of each matrix, in float64."""
    import torch

    return torch.linalg.svdvals(J.detach().double()).numpy()
