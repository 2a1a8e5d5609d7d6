"""Sixty modules of many shapes, each with points: what `measure` has to read.

`ZOO` says of each whether it is measured whole; otherwise the words that say why not. Weights are
of very different size, so that there is much to save, and none is zero.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import torch as typed_torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations

from tests.torch_models import old

Linear, ReLU = nn.Linear, nn.ReLU
# Their overloads, one in the other, take a checker of types more time than all else in the project.
torch, F = cast("Any", typed_torch), cast("Any", nn.functional)
Chain = cast("Callable[..., nn.Module]", nn.Sequential)
FLAT, IMAGES = (4,), (3, 8, 8)


class Own(nn.Module):
    """Parts, and a forward that is a function of them."""

    def __init__(self, forward: Callable[..., Tensor], **parts: Any):
        super().__init__()
        self.how = forward
        for name, part in parts.items():
            if isinstance(part, nn.Module):
                self.add_module(name, part)
            elif name.startswith("buffer"):
                self.register_buffer(name, part)
            else:
                self.register_parameter(name, nn.Parameter(part))

    def forward(self, x: Tensor) -> Tensor:
        return self.how(self, x)


class Block(nn.Module):
    """Two convolutions beside a shortcut, as in residual networks."""

    def __init__(self, into: int, out: int, stride: int = 1):
        super().__init__()
        self.first = Chain(nn.Conv2d(into, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out))
        self.second = Chain(nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
        same = stride == 1 and into == out
        self.short = nn.Identity() if same else nn.Conv2d(into, out, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        y = self.second(F.relu_(self.first(x)))
        y += self.short(x)
        return y.relu()


@dataclass(frozen=True)
class Beast:
    """make: the module, shape: of a point; says: why it is not measured whole, if it is not."""

    make: Callable[[], nn.Module]
    shape: tuple[int, ...] = FLAT
    says: str = ""
    refused: bool = False


def born(name: str) -> tuple[nn.Module, Tensor]:
    """The module in float64 and evaluation, its weights of all sizes, and ten points."""
    torch.manual_seed(sum(map(ord, name)))
    beast = ZOO[name]
    model = beast.make().double()
    with torch.no_grad():
        for part in model.parameters():
            part.mul_(torch.exp(0.5 * torch.randn_like(part)))
        for each in model.modules():
            if isinstance(each, nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d):
                _lived(each)
    return model.eval(), torch.randn(10, *beast.shape, dtype=torch.float64)


def _lived(norm: Any) -> None:
    """Statistics as after a training."""
    if norm.running_mean is not None:
        norm.running_mean.normal_()
        norm.running_var.uniform_(0.2, 3.0)
    norm.weight.uniform_(0.5, 2.0)
    norm.bias.normal_()


def shared_thrice(bias: bool) -> nn.Module:
    layer, act = Linear(5, 5, bias=bias), ReLU()
    return Chain(Linear(4, 5), act, layer, act, layer, act, layer, act, Linear(5, 3))


def recurrent() -> nn.Module:
    """The same layer again and again, with the input added each time."""

    def forward(own: Any, x: Tensor) -> Tensor:
        h = torch.relu(own.read(x))
        for _ in range(3):
            h = torch.relu(own.step(h) + own.read(x))
        return own.out(h)

    return Own(forward, read=Linear(4, 5), step=Linear(5, 5, bias=False), out=Linear(5, 2))


def own(forward: Callable[..., Tensor], **parts: Callable[[], Any]) -> Callable[[], nn.Module]:
    return lambda: Own(forward, **{name: make() for name, make in parts.items()})


def linear(into: int, out: int, **options: Any) -> Callable[[], nn.Module]:
    return lambda: Linear(into, out, **options)


def conv(*sizes: int, **options: Any) -> Callable[[], nn.Module]:
    made: Any = nn.Conv2d
    return lambda: made(*sizes, **options)


def chain(*makes: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    return lambda: Chain(*(make() for make in makes))


def numbers(*shape: int) -> Callable[[], Tensor]:
    return lambda: torch.randn(*shape)


def mean_out(own: Any, h: Tensor) -> Tensor:
    return own.out(h.mean((2, 3)))


def excited(own: Any, x: Tensor) -> Tensor:
    h = torch.relu(own.read(x))
    return mean_out(own, h * torch.sigmoid(own.gate(h.mean((2, 3))))[:, :, None, None])


def attending(own: Any, x: Tensor) -> Tensor:
    tokens = own.read(x[:, :, None])
    q, k, v = own.queries(tokens), own.keys(tokens), own.values(tokens)
    return own.out(F.scaled_dot_product_attention(q, k, v).flatten(1))


def mixing(own: Any, x: Tensor) -> Tensor:
    """Layers along channels and, transposed, along places."""
    h = torch.relu(own.read(x.flatten(2).transpose(1, 2)))
    h = h + torch.relu(own.places(h.transpose(1, 2))).transpose(1, 2)
    return own.out(h.mean(1))


def with_token(own: Any, x: Tensor) -> Tensor:
    h = torch.cat([own.token.expand(x.shape[0], -1), torch.relu(own.read(x))], 1)
    return own.out(h)


def shuffled(own: Any, x: Tensor) -> Tensor:
    h = torch.relu(own.read(x))
    a, b = h.chunk(2, 1)
    h = torch.cat([a, torch.relu(own.rest(b))], 1)
    h = h.reshape(x.shape[0], 2, 3, *h.shape[2:]).transpose(1, 2).flatten(1, 2)
    return mean_out(own, h)


WHOLE: Mapping[str, Beast] = {
    "mlp": Beast(chain(linear(4, 7), ReLU, linear(7, 6), ReLU, linear(6, 3))),
    "no biases": Beast(chain(linear(4, 7, bias=False), ReLU, linear(7, 3, bias=False))),
    "several slopes": Beast(
        chain(linear(4, 7), lambda: nn.LeakyReLU(0.2), nn.Dropout, linear(7, 6), nn.PReLU)
    ),
    "one activation for all": Beast(
        lambda: (lambda act: Chain(Linear(4, 5), act, Linear(5, 6), act, Linear(6, 3)))(ReLU())
    ),
    "one layer three times": Beast(lambda: shared_thrice(True)),
    "one layer three times, no bias": Beast(lambda: shared_thrice(False)),
    "recurrent": Beast(recurrent),
    "two layers in a row": Beast(chain(linear(4, 5), linear(5, 6), ReLU, linear(6, 2))),
    "ends with an activation": Beast(chain(linear(4, 5), ReLU, linear(5, 2), ReLU)),
    "functional": Beast(own(lambda s, x: s.b(torch.relu(s.a(x))), a=linear(4, 6), b=linear(6, 2))),
    "products with parameters": Beast(
        own(
            lambda s, x: torch.relu(x @ s.W + s.b) @ s.V,
            W=numbers(4, 6),
            b=numbers(6),
            V=numbers(6, 2),
        )
    ),
    "addmm": Beast(
        own(
            lambda s, x: torch.relu(torch.addmm(s.b, x, s.W)) @ s.V,
            W=numbers(4, 6),
            b=numbers(6),
            V=numbers(6, 2),
        )
    ),
    "tied to its transpose": Beast(
        own(lambda s, x: F.linear(torch.relu(F.linear(x, s.W)), s.W.t()), W=numbers(6, 4))
    ),
    "residual": Beast(
        own(
            lambda s, x: s.o((h := s.i(x)) + s.b(torch.relu(s.a(h)))),
            i=linear(4, 6),
            a=linear(6, 9),
            b=linear(9, 6),
            o=linear(6, 2),
        )
    ),
    "residual beside an activation": Beast(
        own(
            lambda s, x: s.o((h := s.i(x)) + torch.relu(s.a(h))),
            i=linear(4, 6),
            a=linear(6, 6),
            o=linear(6, 2),
        )
    ),
    "input added": Beast(
        own(lambda s, x: x + s.b(torch.relu(s.a(x))), a=linear(4, 6), b=linear(6, 4))
    ),
    "difference": Beast(
        own(
            lambda s, x: s.o((s.a(x) - 2 * s.b(x)).relu()),
            a=linear(4, 5),
            b=linear(4, 5),
            o=linear(5, 2),
        )
    ),
    "concatenation": Beast(
        own(
            lambda s, x: s.o(torch.relu(torch.cat([s.a(x), s.b(x)], 1))),
            a=linear(4, 3),
            b=linear(4, 5),
            o=linear(8, 2),
        )
    ),
    "dense": Beast(
        own(
            lambda s, x: s.o(torch.cat([h := torch.relu(s.a(x)), torch.relu(s.b(h)), x], 1)),
            a=linear(4, 3),
            b=linear(3, 5),
            o=linear(12, 2),
        )
    ),
    "maxout": Beast(
        own(lambda s, x: s.o(torch.maximum(*s.a(x).chunk(2, 1))), a=linear(4, 8), o=linear(4, 2))
    ),
    "maxout by one maximum": Beast(
        own(lambda s, x: s.o(s.a(x).unflatten(1, (4, 2)).max(2)[0]), a=linear(4, 8), o=linear(4, 2))
    ),
    "absolute values": Beast(own(lambda s, x: s.o(s.a(x).abs()), a=linear(4, 5), o=linear(5, 2))),
    "clamped at zero": Beast(
        own(lambda s, x: s.o(s.a(x).clamp(min=0)), a=linear(4, 5), o=linear(5, 2))
    ),
    "activation by hand": Beast(
        own(
            lambda s, x: s.o(torch.where((h := s.a(x)) > 0, h, 0.1 * h)),
            a=linear(4, 5),
            o=linear(5, 2),
        )
    ),
    "activation by a mask": Beast(
        own(lambda s, x: s.o((h := s.a(x)) * (h > 0).to(h.dtype)), a=linear(4, 5), o=linear(5, 2))
    ),
    "in place on a view": Beast(
        own(
            lambda s, x: (h := s.a(x), h[:, :3].relu_(), s.b(h))[2],
            a=linear(4, 6),
            b=linear(6, 2),
        )
    ),
    "branch on the shape": Beast(
        own(
            lambda s, x: s.b(torch.relu(s.a(x if x.dim() == 2 else x.flatten(1)))),
            a=linear(4, 6),
            b=linear(6, 2),
        )
    ),
    "scales": Beast(
        own(
            lambda s, x: s.b(torch.relu(s.a(x)) * s.g), a=linear(4, 6), b=linear(6, 2), g=numbers(6)
        )
    ),
    "length of the values": Beast(
        own(
            lambda s, x: s.o(torch.linalg.vector_norm(s.a(x).unflatten(1, (3, 2)), dim=2)),
            a=linear(4, 6),
            o=linear(3, 2),
        )
    ),
    "weight norm": Beast(
        lambda: Chain(old(parametrizations.weight_norm, Linear(4, 5)), ReLU(), Linear(5, 2))
    ),
    "spectral norm": Beast(
        lambda: Chain(parametrizations.spectral_norm(Linear(4, 5)), ReLU(), Linear(5, 2))
    ),
    "batch norm": Beast(chain(linear(4, 7), lambda: nn.BatchNorm1d(7), ReLU, linear(7, 2))),
    "batch norm first and behind": Beast(
        chain(
            lambda: nn.BatchNorm1d(4), linear(4, 7), ReLU, lambda: nn.BatchNorm1d(7), linear(7, 2)
        )
    ),
    "channels": Beast(
        chain(
            conv(3, 4, 3, padding=1),
            lambda: nn.BatchNorm2d(4),
            ReLU,
            lambda: nn.MaxPool2d(2),
            conv(4, 6, 3, groups=2),
            ReLU,
            nn.Flatten,
            linear(24, 4),
            ReLU,
            linear(4, 2),
        ),
        IMAGES,
    ),
    "strides and holes": Beast(
        chain(
            conv(3, 4, 3, stride=2, padding=2, dilation=2, padding_mode="circular"),
            ReLU,
            conv(4, 5, 2, padding="same", bias=False),
            lambda: nn.AvgPool2d(2),
            ReLU,
            nn.Flatten,
            linear(20, 2),
        ),
        IMAGES,
    ),
    "reflected borders": Beast(
        chain(conv(3, 4, 3, padding=1, padding_mode="reflect"), ReLU, conv(4, 2, 8), nn.Flatten),
        IMAGES,
    ),
    "depthwise, and up again": Beast(
        chain(
            conv(3, 6, 1),
            ReLU,
            conv(6, 6, 3, groups=6),
            lambda: nn.BatchNorm2d(6),
            ReLU,
            lambda: nn.ConvTranspose2d(6, 4, 2, 2),
            lambda: nn.BatchNorm2d(4),
            ReLU,
            lambda: nn.AdaptiveAvgPool2d(1),
            nn.Flatten,
            linear(4, 2),
        ),
        IMAGES,
    ),
    "transposed in groups": Beast(
        chain(
            conv(3, 6, 3, stride=2),
            ReLU,
            lambda: nn.ConvTranspose2d(6, 4, 3, groups=2),
            ReLU,
            nn.Flatten,
            linear(100, 2),
        ),
        IMAGES,
    ),
    "along a line": Beast(
        chain(
            lambda: nn.Unflatten(1, (2, 4)),
            lambda: nn.Conv1d(2, 3, 2),
            ReLU,
            lambda: nn.MaxPool1d(3),
            nn.Flatten,
            linear(3, 2),
        ),
        (8,),
    ),
    "in space": Beast(
        chain(
            lambda: nn.Unflatten(1, (1, 2, 3, 4)),
            lambda: nn.Conv3d(1, 3, 2),
            lambda: nn.BatchNorm3d(3),
            ReLU,
            nn.Flatten,
            linear(18, 2),
        ),
        (24,),
    ),
    "up by repeating": Beast(
        chain(
            conv(3, 3, 3, stride=3),
            ReLU,
            lambda: nn.Upsample(scale_factor=2),
            conv(3, 2, 4),
            nn.Flatten,
        ),
        IMAGES,
    ),
    "up by interpolation": Beast(
        chain(
            conv(3, 3, 3, stride=3),
            ReLU,
            lambda: nn.Upsample(scale_factor=2, mode="bilinear"),
            conv(3, 2, 4),
            nn.Flatten,
        ),
        IMAGES,
    ),
    "pixels to channels": Beast(
        chain(
            lambda: nn.PixelUnshuffle(4),
            conv(48, 4, 1),
            ReLU,
            lambda: nn.PixelShuffle(2),
            conv(1, 2, 4),
            nn.Flatten,
        ),
        IMAGES,
    ),
    "residual blocks": Beast(
        chain(
            conv(3, 4, 3),
            ReLU,
            lambda: Block(4, 4),
            lambda: Block(4, 5, 2),
            lambda: nn.AdaptiveAvgPool2d(1),
            nn.Flatten,
            linear(5, 2),
        ),
        IMAGES,
    ),
    "activation before the layer": Beast(
        own(
            lambda s, x: mean_out(s, (h := s.i(x)) + s.b(torch.relu(s.n(h)))),
            i=conv(3, 4, 3),
            n=lambda: nn.BatchNorm2d(4),
            b=conv(4, 4, 3, padding=1),
            out=linear(4, 2),
        ),
        IMAGES,
    ),
    "padded shortcut": Beast(
        own(
            lambda s, x: mean_out(
                s, (F.pad(h := torch.relu(s.i(x)), (0, 0, 0, 0, 1, 2)) + s.b(h)).relu()
            ),
            i=conv(3, 4, 3, stride=2),
            b=conv(4, 7, 3, padding=1),
            out=linear(7, 2),
        ),
        IMAGES,
    ),
    "shuffled channels": Beast(
        own(shuffled, read=conv(3, 6, 3, stride=2), rest=conv(3, 3, 1), out=linear(6, 2)), IMAGES
    ),
    "branches of several sizes": Beast(
        own(
            lambda s, x: mean_out(
                s, torch.relu(torch.cat([s.a(x), s.b(x), F.max_pool2d(s.c(x), 3, 1, 1)], 1))
            ),
            a=conv(3, 2, 1),
            b=conv(3, 2, 3, padding=1),
            c=conv(3, 2, 1),
            out=linear(6, 2),
        ),
        IMAGES,
    ),
    "layers along channels and places": Beast(
        own(mixing, read=linear(3, 4), places=linear(16, 16), out=linear(4, 2)), (3, 4, 4)
    ),
    "a token of its own": Beast(
        own(with_token, read=linear(4, 5), token=numbers(1, 3), out=linear(8, 2))
    ),
    "normalised input": Beast(
        own(
            lambda s, x: s.o(torch.relu(s.a((x - s.buffer_mean) / s.buffer_size))),
            a=linear(4, 5),
            o=linear(5, 2),
            buffer_mean=numbers(4),
            buffer_size=lambda: torch.rand(4) + 1,
        )
    ),
    "softmax at the end": Beast(chain(linear(4, 5), ReLU, linear(5, 3), lambda: nn.Softmax(1))),
}

PARTLY: Mapping[str, Beast] = {
    "gelu in the middle": Beast(
        chain(linear(4, 5), ReLU, linear(5, 6), nn.GELU, linear(6, 5), ReLU, linear(5, 2)),
        says="gelu",
    ),
    "layer norm": Beast(
        chain(
            linear(4, 5),
            ReLU,
            linear(5, 6),
            lambda: nn.LayerNorm(6),
            linear(6, 5),
            ReLU,
            linear(5, 2),
        ),
        says="layer_norm",
    ),
    "gates": Beast(
        own(excited, read=conv(3, 4, 3), gate=linear(4, 4), out=linear(4, 2)),
        IMAGES,
        says="sigmoid",
    ),
    "attention": Beast(
        own(
            attending,
            read=linear(1, 4),
            queries=linear(4, 3),
            keys=linear(4, 3),
            values=linear(4, 3),
            out=linear(12, 2),
        ),
        says="queries and keys",
    ),
    "product of two values": Beast(
        own(lambda s, x: s.o(s.a(x) * s.b(x)), a=linear(4, 5), b=linear(4, 5), o=linear(5, 2)),
        says="a product",
    ),
    "branch on a value": Beast(
        own(lambda s, x: s.a(x) if x.sum() > 0 else -s.a(x), a=linear(4, 6)),
        says="cannot trace",
    ),
}

REFUSED: Mapping[str, Beast] = {
    "two inputs": Beast(lambda: nn.Bilinear(4, 4, 2), says="missing 1 required", refused=True),
    "rows that mix": Beast(
        chain(linear(4, 7), lambda: nn.BatchNorm1d(7, track_running_stats=False), linear(7, 2)),
        says="beside other rows",
        refused=True,
    ),
}

SIXTY = {**WHOLE, **PARTLY, **REFUSED}

# What looks as if it were positively homogeneous, or could be read, and is not.
TRAPS: Mapping[str, Beast] = {
    "asks for the number of points": Beast(
        own(lambda s, x: s.a(x).reshape(len(x), 3, 2).amax(2), a=linear(4, 6)),
        says="x.shape",
    ),
    "compared with one": Beast(
        own(
            lambda s, x: s.o(torch.where((h := 4 * s.a(x)) > 1, h, 0 * h)),
            a=linear(4, 5),
            o=linear(5, 2),
        ),
        says="gt",
    ),
    "clamped at six": Beast(
        own(lambda s, x: s.o(F.relu6(20 * s.a(x))), a=linear(4, 5), o=linear(5, 2)),
        says="relu6",
    ),
    "rounded down": Beast(
        own(
            lambda s, x: s.o(torch.div(4 * s.a(x), 2, rounding_mode="floor")),
            a=linear(4, 5),
            o=linear(5, 2),
        ),
        says="div",
    ),
    "whole numbers": Beast(
        own(lambda s, x: s.o((4 * s.a(x)).long().to(x.dtype)), a=linear(4, 5), o=linear(5, 2)),
        says="_to_copy",
    ),
}

ZOO = {**SIXTY, **TRAPS}
