"""One pass forward and one back through a stack of members, as a list of calls made ready.

For networks this small, asking costs more than computing: finding views, getting memory, touching
it for the first time. So all of that is done once for so many points, and what is left of a step
are calls that have their arrays already.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch.nn.functional import leaky_relu_

from repcost.activations import Activation
from repcost.training.architectures import Architecture
from repcost.training.layouts import StackedWeights

Call = Callable[[], object]

# What automatic differentiation calls as well.
_leaky_relu_backward = torch.ops.aten.leaky_relu_backward.grad_input


@dataclass(frozen=True)
class TensorActivation:
    """An activation in torch; the one place that knows its derivative there.

    apply: what units pass on, put where they received it.
    back: (delta, received, grad_input=...) -> the derivative by what units receive, from that by
        what they pass on.
    keeps_sides: `back` may be told what units pass on, in place of what they received.
    """

    apply: Callable[[torch.Tensor], torch.Tensor]
    back: Callable[..., torch.Tensor]
    keeps_sides: bool

    @classmethod
    def of(cls, activation: Activation) -> "TensorActivation":
        slope = activation.negative_slope
        # `received` are values before the activation, hence False.
        back = partial(_leaky_relu_backward, negative_slope=slope, self_is_result=False)
        # The same with a slope of zero, in half the time.
        apply = torch.relu_ if activation.is_relu else partial(leaky_relu_, negative_slope=slope)
        # Unless units go up again below zero, the same ones are above zero before and after.
        return cls(apply, back, slope >= 0)

    def ready(self, received: torch.Tensor) -> tuple["Seen", Sequence[Call]]:
        """What is seen of a layer, and the calls for it."""
        if self.keeps_sides:
            return Seen(received, received), [partial(self.apply, received)]
        passed_on = torch.empty_like(received)
        calls = [partial(passed_on.copy_, received), partial(self.apply, passed_on)]
        return Seen(received, passed_on), calls


class Seen(NamedTuple):
    """Of a layer, what tells the sides its units are on, and what they pass on."""

    sides: torch.Tensor
    passed_on: torch.Tensor


class Passage:
    """Through the members of one architecture, from behind their first layers to the outputs.

    seen: of the first layers, (stack, n, width), and then of each layer.
    rooms: arrays of the same shapes, for the derivatives by what each layer receives. That of the
        first layers is what `back` is for, besides the gradients.
    forward, back: the calls; between them somebody fills `delta` from `outputs`, both (members,
        n, m).
    """

    def __init__(
        self,
        architecture: Architecture,
        weights: list[StackedWeights],
        gradients: list[StackedWeights],
        seen: Seen,
        room: torch.Tensor,
    ):
        self.architecture, self.weights, self.gradients = architecture, weights, gradients
        self.activation = TensorActivation.of(architecture.activation)
        self.seen, self.rooms = [seen], [room]
        self.forward: list[Call] = []
        self.back: list[Call] = []
        for layer in range(1, architecture.depth):
            self._go_through(layer)
        self.outputs, self.delta = self._ends()
        for layer in range(architecture.depth - 1, 0, -1):
            self._go_back(layer)

    def _go_through(self, layer: int) -> None:
        H, (W, b) = self.seen[-1].passed_on, self.weights[layer]
        Z = H.new_empty(len(H), H.shape[1], W.shape[2])
        # Nobody needs the room of a derivative on the way forward.
        self.forward += _product(H, W, Z, self.rooms[-1])
        if b is not None:
            self.forward.append(partial(Z.add_, b))
        seen = Seen(Z, Z)
        if not self.architecture.is_linear(layer):
            seen, calls = self.activation.ready(Z)
            self.forward += calls
        self.seen.append(seen)
        self.rooms.append(torch.empty_like(Z))

    def _ends(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The outputs of members, and the derivative by them."""
        outputs, delta = self.seen[-1].passed_on, self.rooms[-1]
        k = self.architecture.branches
        if k == 1:
            return outputs, delta
        # Branches stand together, member by member; their outputs are added up, so each of them
        # receives the same derivative.
        members, shape = len(outputs) // k, outputs.shape[1:]
        of_branches, deltas = (each.view(members, k, *shape) for each in (outputs, delta))
        outputs, delta = (outputs.new_empty(members, *shape) for _ in range(2))
        self.forward.append(partial(torch.sum, of_branches, 1, out=outputs))
        self.back.append(partial(deltas.copy_, delta.unsqueeze(1)))
        return outputs, delta

    def _go_back(self, layer: int) -> None:
        """Of Z = H W + b: dW = H^T delta, db sums up delta, and delta W^T goes on to H."""
        (sides, H), delta, room = self.seen[layer - 1], self.rooms[layer], self.rooms[layer - 1]
        W, (dW, db) = self.weights[layer].weights, self.gradients[layer]
        self.back += _product(H.mT, delta, dW, room.mT)
        if db is not None:
            self.back.append(partial(torch.sum, delta, 1, keepdim=True, out=db))
        # Products of matrices want their rows one after the other, unlike those of first layers.
        below = torch.empty_like(room, memory_format=torch.contiguous_format)
        below = room if room.is_contiguous() or delta.shape[2] == 1 else below
        self.back += _product(delta, W.mT, below)
        if not self.architecture.is_linear(layer - 1):
            self.back.append(partial(self.activation.back, below, sides, grad_input=room))
        elif below is not room:
            self.back.append(partial(room.copy_, below))


def _product(
    A: torch.Tensor, B: torch.Tensor, out: torch.Tensor, room: torch.Tensor | None = None
) -> Sequence[Call]:
    """The calls for A @ B in stacks; `room`, like A, is written over.

    For a single row or column, products of numbers are several times faster.
    """
    if A.shape[2] == 1:
        return [partial(torch.mul, A, B, out=out)]
    if B.shape[2] == 1:
        room = torch.empty_like(A) if room is None else room
        multiplied = partial(torch.mul, A, B.mT, out=room)
        return [multiplied, partial(torch.sum, room, 2, keepdim=True, out=out)]
    return [partial(torch.bmm, A, B, out=out)]
