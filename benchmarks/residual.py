"""Residual networks with the layers and channels of ResNet-18 and ResNet-50, for ten classes."""

import torch
from torch import nn


class Shortcut(nn.Module):
    """Some layers beside the identity, or beside a convolution where sizes differ."""

    def __init__(self, inner: nn.Module, into: int, out: int, stride: int):
        super().__init__()
        self.inner = inner
        same = stride == 1 and into == out
        self.short = nn.Identity() if same else nn.Sequential(*normed(into, out, 1, stride)[:-1])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.inner(x) + self.short(x))


def normed(into: int, out: int, kernel: int, stride: int) -> list[nn.Module]:
    layer = nn.Conv2d(into, out, kernel, stride, kernel // 2, bias=False)
    return [layer, nn.BatchNorm2d(out), nn.ReLU()]


def _block(sizes: list[tuple[int, int, int, int]]) -> nn.Module:
    inner = nn.Sequential(*(part for size in sizes for part in normed(*size)))[:-1]
    stride = max(size[3] for size in sizes)
    return Shortcut(inner, sizes[0][0], sizes[-1][1], stride)


def _whole(blocks: list[nn.Module], out: int) -> nn.Module:
    begin = [*normed(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    return nn.Sequential(*begin, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(out, 10))


def eighteen_layers() -> nn.Module:
    """Blocks of two convolutions, as in ResNet-18."""
    blocks, into = [], 64
    for width in (64, 128, 256, 512):
        for _ in range(2):
            stride = 1 if width == into else 2
            blocks.append(_block([(into, width, 3, stride), (width, width, 3, 1)]))
            into = width
    return _whole(blocks, into)


def fifty_layers() -> nn.Module:
    """Blocks of three convolutions, as in ResNet-50."""
    blocks, into = [], 64
    for stage, (width, many) in enumerate(zip((64, 128, 256, 512), (3, 4, 6, 3), strict=True)):
        for block in range(many):
            stride, out = (2 if stage and not block else 1), 4 * width
            blocks.append(
                _block([(into, width, 1, 1), (width, width, 3, stride), (width, out, 1, 1)])
            )
            into = out
    return _whole(blocks, into)
