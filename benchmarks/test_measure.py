"""What a report costs: of a wide network on many points, and the least norm of a residual one."""

import pytest
import torch
from benchmarks.residual import fifty_layers
from torch import nn

from repcost import measure
from repcost.report.reading import read
from repcost.report.rescalings import Rescalings


@pytest.mark.benchmark(group="measure, 784-1024-1024-10 at 10,000 points, 1,000 Jacobians")
def test_measuring(benchmark):
    torch.manual_seed(0)
    sizes = [(784, 1024), (1024, 1024), (1024, 10)]
    layers = [part for size in sizes for part in (nn.Linear(*size), nn.ReLU())][:-1]
    X = torch.rand(10_000, 784)
    report = benchmark.pedantic(measure, (nn.Sequential(*layers), X), rounds=1, warmup_rounds=1)
    assert report.groups == 2048 and len(report.jacobian_spectra) == 1000


@pytest.mark.benchmark(group="the least norm of a residual network with 50 layers")
def test_the_least_norm(benchmark):
    torch.manual_seed(0)
    rows = torch.randn(2, 3, 64, 64)
    found = Rescalings.of(read(fifty_layers().eval(), rows), rows.double())
    assert found.trusted
    _, least = benchmark.pedantic(found.cheapest, rounds=1)
    assert sum(least.values()) < found.orbit.size()
