"""The architectures of eight networks of torchvision, in small widths, by the papers' own ideas.

Convolutions in a row (AlexNet), many small ones (VGG), shortcuts (ResNet), squeezing and expanding
(SqueezeNet), everything joined to all that follows (DenseNet), branches of several sizes
(GoogLeNet), narrow shortcuts and wide insides with an activation that ends at six (MobileNetV2),
and channels that are split and shuffled (ShuffleNetV2).
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.module_zoo import Block

CLASSES = 5


def normed(into: int, out: int, kernel: int, stride: int = 1, **options: Any) -> list[nn.Module]:
    padding = kernel // 2
    layer = nn.Conv2d(into, out, kernel, stride, padding, bias=False, **options)
    return [layer, nn.BatchNorm2d(out), nn.ReLU()]


def alexnet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 4, 5, 2, 2),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2),
        nn.Conv2d(4, 6, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(),
        nn.Linear(24, 8),
        nn.ReLU(inplace=True),
        nn.Dropout(),
        nn.Linear(8, CLASSES),
    )


def vgg() -> nn.Module:
    parts = [*normed(3, 4, 3), nn.MaxPool2d(2), *normed(4, 6, 3), *normed(6, 6, 3)]
    return nn.Sequential(*parts, nn.MaxPool2d(2), nn.Flatten(), nn.Linear(96, CLASSES))


def resnet() -> nn.Module:
    return nn.Sequential(
        *normed(3, 4, 3),
        nn.MaxPool2d(3, 2, 1),
        Block(4, 4),
        Block(4, 6, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(6, CLASSES),
    )


class Fire(nn.Module):
    def __init__(self, into: int, squeezed: int, each: int):
        super().__init__()
        self.squeeze = nn.Conv2d(into, squeezed, 1)
        self.one, self.three = (
            nn.Conv2d(squeezed, each, kernel, padding=kernel // 2) for kernel in (1, 3)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.one(x)), F.relu(self.three(x))], 1)


def squeezenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 6, 3, 2),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        Fire(6, 3, 4),
        Fire(8, 3, 4),
        nn.Conv2d(8, CLASSES, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )


class Dense(nn.Module):
    """Normalisation and activation before each layer; all that came before goes on."""

    def __init__(self, into: int, growth: int, layers: int):
        super().__init__()
        self.norms = nn.ModuleList(nn.BatchNorm2d(into + growth * k) for k in range(layers))
        self.layers = nn.ModuleList(
            nn.Conv2d(into + growth * k, growth, 3, padding=1, bias=False) for k in range(layers)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for norm, layer in zip(self.norms, self.layers, strict=True):
            x = torch.cat([x, layer(F.relu(norm(x)))], 1)
        return x


def densenet() -> nn.Module:
    return nn.Sequential(
        *normed(3, 4, 3, 2),
        Dense(4, 3, 2),
        nn.BatchNorm2d(10),
        nn.ReLU(),
        nn.Conv2d(10, 5, 1, bias=False),
        nn.AvgPool2d(2),
        Dense(5, 3, 1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, CLASSES),
    )


class Inception(nn.Module):
    def __init__(self, into: int):
        super().__init__()
        self.branches = nn.ModuleList(
            [
                nn.Sequential(*normed(into, 2, 1)),
                nn.Sequential(*normed(into, 2, 1), *normed(2, 3, 3)),
                nn.Sequential(*normed(into, 2, 1), *normed(2, 2, 5)),
                nn.Sequential(nn.MaxPool2d(3, 1, 1), *normed(into, 2, 1)),
            ]
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([branch(x) for branch in self.branches], 1)


def googlenet() -> nn.Module:
    return nn.Sequential(
        *normed(3, 4, 3, 2),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        Inception(4),
        Inception(9),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(9, CLASSES),
    )


class Inverted(nn.Module):
    def __init__(self, into: int, out: int, stride: int):
        super().__init__()
        wide = 2 * into
        self.same = stride == 1 and into == out
        self.inner = nn.Sequential(
            *normed(into, wide, 1)[:-1],
            nn.ReLU6(),
            *normed(wide, wide, 3, stride, groups=wide)[:-1],
            nn.ReLU6(),
            *normed(wide, out, 1)[:-1],
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inner(x) if self.same else self.inner(x)


def mobilenet() -> nn.Module:
    return nn.Sequential(
        *normed(3, 4, 3, 2)[:-1],
        nn.ReLU6(),
        Inverted(4, 4, 1),
        Inverted(4, 6, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(6, CLASSES),
    )


class Shuffled(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        half = channels // 2
        self.inner = nn.Sequential(
            *normed(half, half, 1), *normed(half, half, 3, groups=half)[:-1], *normed(half, half, 1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        left, right = x.chunk(2, 1)
        x = torch.cat([left, self.inner(right)], 1)
        return x.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)


def shufflenet() -> nn.Module:
    return nn.Sequential(
        *normed(3, 6, 3, 2),
        Shuffled(6),
        Shuffled(6),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(6, CLASSES),
    )


# With how many groups of channels can be rescaled, counted by hand; None where activations end.
EIGHT: dict[str, tuple[Callable[[], nn.Module], int | None]] = {
    "AlexNet": (alexnet, 4 + 6 + 8),
    "VGG": (vgg, 4 + 6 + 6),
    # The stream, and inside each block; the second stream is of its own.
    "ResNet": (resnet, 4 + 4 + 6 + 6),
    # The last convolution makes the outputs.
    "SqueezeNet": (squeezenet, 6 + 3 + 8 + 3 + 8),
    # Normalisations that are no part of a layer are layers of one weight a channel.
    "DenseNet": (densenet, 4 + 4 + 3 + 7 + 3 + 10 + 5 + 5 + 3 + 8),
    "GoogLeNet": (googlenet, 4 + 2 * (9 + 4)),
    "MobileNetV2": (mobilenet, None),
    # The shuffled halves are tied to nothing; each block makes three channels thrice.
    "ShuffleNetV2": (shufflenet, 6 + 2 * 9),
}
