"""What a report costs: of a wide network on many points, and the least norm of a residual one."""

import pytest
import torch
from torch import nn

from repcost import measure
from repcost.report.reading import read
from repcost.report.rescalings import Rescalings


class Bottleneck(nn.Module):
    """Three convolutions with batch normalisation beside a shortcut."""

    def __init__(self, into: int, width: int, stride: int):
        super().__init__()
        out = 4 * width
        sizes = [(into, width, 1, 1), (width, width, 3, stride), (width, out, 1, 1)]
        self.inner = nn.Sequential(*(part for size in sizes for part in _normed(*size)))[:-1]
        same = stride == 1 and into == out
        self.short = nn.Identity() if same else nn.Sequential(*_normed(into, out, 1, stride)[:-1])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.inner(x) + self.short(x))


def _normed(into: int, out: int, kernel: int, stride: int) -> list[nn.Module]:
    layer = nn.Conv2d(into, out, kernel, stride, kernel // 2, bias=False)
    return [layer, nn.BatchNorm2d(out), nn.ReLU()]


def fifty_layers() -> nn.Module:
    """As many channels and layers as ResNet-50, for ten classes."""
    parts, into = [*_normed(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for stage, (width, blocks) in enumerate(zip((64, 128, 256, 512), (3, 4, 6, 3), strict=True)):
        for block in range(blocks):
            parts.append(Bottleneck(into, width, 2 if stage and not block else 1))
            into = 4 * width
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(into, 10))


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
