"""Other ways to train many networks at once, as one would write them in PyTorch."""

import os
import tempfile
import time
import warnings
from collections.abc import Callable

import numpy as np
import torch

from repcost import Architecture

# What was compiled in another run would be found again, and its time is to be shown.
_EMPTY = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = _EMPTY.name

Steps = Callable[[int], None]
STRENGTH, RATE = 1e-5, 1e-3


def one_by_one(architecture: Architecture, X: np.ndarray, Y: np.ndarray, dtype: str) -> Steps:
    """What one writes first, for one network."""
    kind = getattr(torch, dtype)
    layers: list[torch.nn.Module] = []
    for layer, (into, out) in enumerate(architecture.shapes):
        layers.append(torch.nn.Linear(into, out, bias=architecture.has_bias(layer), dtype=kind))
        if not architecture.is_linear(layer):
            layers.append(torch.nn.ReLU())
    net = torch.nn.Sequential(*layers)
    # Matrices are weights, vectors are biases, which are free.
    weights = [p for p in net.parameters() if p.ndim == 2]
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE)
    inputs, targets = torch.tensor(X, dtype=kind), torch.tensor(Y, dtype=kind)

    def steps(count: int) -> None:
        for _ in range(count):
            optimiser.zero_grad()
            penalty = sum((W**2).sum() for W in weights)
            loss = ((net(inputs) - targets) ** 2).sum(1).mean()
            (loss + STRENGTH / architecture.depth * penalty).backward()
            optimiser.step()

    return steps


def in_stacks(
    architecture: Architecture, members: int, X: np.ndarray, Y: np.ndarray, dtype: str
) -> tuple[list[torch.nn.Parameter], Callable[..., torch.Tensor]]:
    """The weights of many networks, and the sum of their objectives, all by one baddbmm a layer."""
    kind = getattr(torch, dtype)
    parameters = []
    for layer, (into, out) in enumerate(architecture.shapes):
        first = torch.randn(members, into, out, dtype=kind) / into**0.5
        parameters.append(torch.nn.Parameter(first))
        if architecture.has_bias(layer):
            parameters.append(torch.nn.Parameter(torch.zeros(members, 1, out, dtype=kind)))
    inputs = torch.tensor(X, dtype=kind).expand(members, -1, -1)
    targets = torch.tensor(Y, dtype=kind)
    has_bias = [architecture.has_bias(layer) for layer in range(architecture.depth)]
    is_linear = [architecture.is_linear(layer) for layer in range(architecture.depth)]

    def objective(*given: torch.Tensor) -> torch.Tensor:
        left, H, penalty = iter(given), inputs, torch.zeros((), dtype=kind)
        for biased, linear in zip(has_bias, is_linear, strict=True):
            W = next(left)
            H = torch.baddbmm(next(left), H, W) if biased else torch.bmm(H, W)
            penalty = penalty + (W * W).sum()
            H = H if linear else torch.relu(H)
        loss = ((H - targets) ** 2).sum() / len(targets)
        return loss + STRENGTH / architecture.depth * penalty

    return parameters, objective


def by_autograd(
    parameters: list[torch.nn.Parameter], objective: Callable[..., torch.Tensor]
) -> Steps:
    """Automatic differentiation, and one fused step of Adam."""
    optimiser = torch.optim.Adam(parameters, lr=RATE, fused=True)

    def steps(count: int) -> None:
        for _ in range(count):
            optimiser.zero_grad()
            objective(*parameters).backward()
            optimiser.step()

    return steps


def compiled(
    parameters: list[torch.nn.Parameter], objective: Callable[..., torch.Tensor]
) -> tuple[Steps, float] | None:
    """The same by torch.compile, and the seconds it took; None where there is no C++ compiler."""
    start = time.monotonic()
    # Some versions warn of what they are made of.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            steps = by_autograd(parameters, torch.compile(objective))
            steps(2)
        except (RuntimeError, OSError) as error:
            print(f"without torch.compile: {error}")
            return None
    return steps, time.monotonic() - start
