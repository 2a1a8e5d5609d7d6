"""The gradient of all members at once, written out by hand.

Automatic differentiation would record every operation of every step anew; networks this small
spend most of their time on that. Written out, a step is a few products of stacks of matrices, and
made ready (`passages`), it is no more than the calls for them.
"""

from functools import partial

import numpy as np
import torch
from jaxtyping import Float

from repcost.training.batches import Batch
from repcost.training.layouts import Layout, StackedWeights, arrays_in
from repcost.training.objectives import Objective
from repcost.training.passages import Call, Passage, Seen, TensorActivation


class Program:
    """The calls of a step, for so many points, from a batch to all gradients of the losses."""

    def __init__(self, passes: "Passes", batch: Batch):
        self.batch, self.passes = batch, passes
        X, _ = batch
        received = X.new_empty(len(X), passes.layout.first_columns[-1])
        # The first layers of all members in one product, as all of them see the same points.
        self.forward: list[Call] = [partial(torch.mm, X, passes.first_weights, out=received)]
        self.back: list[Call] = []
        seen = self._first_layers(received)
        # The derivative by what all first layers give.
        first = torch.empty_like(received)
        self.passages = [self._through(which, seen, first) for which in range(len(passes.weights))]
        for passage in self.passages:
            self.forward += passage.forward
            self.back += [*self._losses(passage), *passage.back]
        self.back.append(partial(torch.mm, X.T, first, out=passes.first_gradients))

    def _first_layers(self, received: torch.Tensor) -> Seen:
        architecture = self.passes.layout.architectures[0]
        if architecture.is_linear(0):
            return Seen(received, received)
        seen, calls = TensorActivation.of(architecture.activation).ready(received)
        self.forward += calls
        return seen

    def _through(self, which: int, seen: Seen, first: torch.Tensor) -> Passage:
        passes, layout = self.passes, self.passes.layout
        sides, passed_on, room = (layout.stacked(each, which) for each in (*seen, first))
        weights, gradients = passes.weights[which], passes.weight_gradients[which]
        return Passage(
            layout.architectures[which], weights, gradients, Seen(sides, passed_on), room
        )

    def _losses(self, passage: Passage) -> list[Call]:
        """The derivative of |f - y|^2 is 2 (f - y), that of the cross-entropy softmax(f) - y.

        There y is a row of the unit matrix.
        """
        (X, Y), objective = self.batch, self.passes.objective
        outputs, delta = passage.outputs, passage.delta
        # A batch stands for all points: a mean over it as it is, a sum scaled up.
        scale = (1 if objective.mean else self.passes.points) / len(X)
        if objective.loss == "squared":
            return [partial(torch.sub, outputs, Y, out=delta), partial(delta.mul_, 2 * scale)]
        softmax = partial(torch.softmax, outputs, 2, out=delta)
        return [softmax, partial(delta.sub_, Y), partial(delta.mul_, scale)]

    def take(self, batch: Batch) -> None:
        """The points of the next step."""
        for own, given in zip(self.batch, batch, strict=True):
            own.copy_(given)

    def outputs(self) -> list[torch.Tensor]:
        for call in self.forward:
            call()
        return [passage.outputs for passage in self.passages]

    def differentiate(self) -> list[torch.Tensor]:
        outputs = self.outputs()
        for call in self.back:
            call()
        return outputs


class Passes:
    """The parameters of all members of a layout, and their gradient by two passes.

    objectives: one for each of the layout's `members`, the same in every architecture; only
        strengths differ.
    whole: all points; a batch stands for them, and parameters are where they are.
    """

    def __init__(self, layout: Layout, objectives: list[Objective], whole: Batch):
        self.layout, self.objective = layout, objectives[0]
        self.depth, self.points = layout.architectures[0].depth, len(whole.X)
        self.parameters, self.gradient = (whole.X.new_zeros(layout.size) for _ in range(2))
        self.prices = whole.X.new_tensor(prices(layout, objectives))
        self.weights = layout.views(self.parameters)
        self.weight_gradients = layout.views(self.gradient)
        self.first_weights = layout.first_layers(self.parameters)
        self.first_gradients = layout.first_layers(self.gradient)
        self._whole = Program(self, whole)
        # By the number of points in a batch.
        self._for_batches: dict[int, Program] = {}

    def outputs(self, batch: Batch) -> list[torch.Tensor]:
        """(members, n, m) for each architecture, until the next pass."""
        return self._program(batch).outputs()

    def differentiate(self, batch: Batch, strength_factor: float = 1.0) -> list[torch.Tensor]:
        """Fills `gradient`, with strengths times the factor, and returns the outputs."""
        outputs = self._program(batch).differentiate()
        # The penalty, prices * parameters^2, of all layers at once.
        self.gradient.addcmul_(self.parameters, self.prices, value=2 * strength_factor)
        return outputs

    def _program(self, batch: Batch) -> Program:
        """The one for so many points, with these points in it."""
        if batch is self._whole.batch:
            return self._whole
        n = len(batch.X)
        if n not in self._for_batches:
            # Arrays of inference could not be written to outside of it.
            with torch.inference_mode(False):
                own = Batch(*(torch.empty_like(each) for each in batch))
                self._for_batches[n] = Program(self, own)
        self._for_batches[n].take(batch)
        return self._for_batches[n]

    def objectives(self, outputs: list[torch.Tensor], Y: torch.Tensor) -> Float[np.ndarray, " all"]:
        """Of every member, architecture by architecture."""
        if self.objective.loss == "squared":
            losses = torch.cat([((output - Y) ** 2).sum((1, 2)) for output in outputs])
        else:
            losses = torch.cat([-(Y * output.log_softmax(2)).sum((1, 2)) for output in outputs])
        if self.objective.mean:
            losses = losses / len(Y)
        # In this order a bias that is free costs nothing, however large: 0 b b, and not 0 (b b).
        each = self.prices * self.parameters * self.parameters
        paid = [self._sums(layers) for layers in self.layout.views(each)]
        return (losses + torch.cat(paid)).numpy(force=True)

    def _sums(self, layers: list[StackedWeights]) -> torch.Tensor:
        """Of all entries of each member."""
        sums = [array.reshape(self.layout.members, -1).sum(1) for array in arrays_in(layers)]
        return torch.stack(sums).sum(0)


def prices(layout: Layout, objectives: list[Objective]) -> Float[np.ndarray, " size"]:
    """What the square of each parameter adds to the objective of its member."""
    flat = np.zeros(layout.size)
    for architecture, layers in zip(layout.architectures, layout.views(flat), strict=True):
        factor = objectives[0].factor(architecture.depth)
        each = np.array([objective.strength * factor for objective in objectives])
        # All branches of a member pay its strength.
        each = np.repeat(each, architecture.branches)[:, None, None]
        for W, b in layers:
            W[:] = each
            if b is not None:
                b[:] = each * objectives[0].bias_price
    return flat
