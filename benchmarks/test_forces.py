"""Forces on a hidden layer: ours, in closed form, against automatic differentiation."""

import numpy as np
import pytest
from benchmarks.duels import Rival, duel

from repcost import forces

SIZES = [(42, 50), (300, 100)]


def layer(N, units):
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, units)), rng.normal(size=(N, N + 1)), rng.normal(size=(N, 3))


def by_autograd(Z, S_previous, Z_next, t):
    # Imported here, so that the other benchmarks start without it.
    import torch

    Z, S_previous, Z_next = (torch.tensor(A) for A in (Z, S_previous, Z_next))
    Z.requires_grad_()
    one, identity = torch.ones((len(Z), 1), dtype=Z.dtype), torch.eye(len(Z), dtype=Z.dtype)
    S = torch.hstack([torch.relu(Z), one])
    costs = [
        (B * torch.linalg.solve(A @ A.T + t * identity, B)).sum()
        for A, B in ((S_previous, Z), (S, Z_next))
    ]
    return [torch.autograd.grad(cost, Z, retain_graph=True)[0].numpy() for cost in costs]


@pytest.mark.parametrize("N, units", SIZES)
def test_ours(benchmark, N, units):
    benchmark.group = f"forces, {N} points, {units} units"
    Z, before, after = layer(N, units)
    rival = Rival("PyTorch's autograd", lambda: by_autograd(Z, before, after, 0.01))
    ours, found = duel(
        benchmark, lambda: forces(Z, before, after, 1.0, tikhonov=0.01), rival, proved=False
    )
    for here, there in zip(ours, found, strict=True):
        assert here == pytest.approx(there, abs=1e-8 * np.abs(there).max())
