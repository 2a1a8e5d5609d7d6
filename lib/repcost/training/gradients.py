"""One pass forward and one backward through all members at once, written out by hand.

Automatic differentiation would record every operation of every step anew; networks this small
spend most of their time on that. Written out, a step is a few products of stacks of matrices.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from jaxtyping import Float
from torch.nn.functional import leaky_relu

from repcost.activations import Activation
from repcost.training.batches import Batch
from repcost.training.layouts import Layout, StackedWeights, arrays_in
from repcost.training.objectives import Objective

# What automatic differentiation calls as well.
leaky_relu_backward = torch.ops.aten.leaky_relu_backward


@dataclass(frozen=True)
class TensorActivation:
    """An activation in torch; the one place that knows its derivative there.

    values: what units pass on of what they receive.
    back: (delta, received) -> the derivative by what units receive, from that by what they pass on.
    """

    values: Callable[[torch.Tensor], torch.Tensor]
    back: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

    @classmethod
    def of(cls, activation: Activation) -> "TensorActivation":
        slope = activation.negative_slope
        values = partial(leaky_relu, negative_slope=slope)
        # `received` are values before the activation, hence False.
        return cls(values, partial(leaky_relu_backward, negative_slope=slope, self_is_result=False))


class Passes:
    """The parameters of all members of a layout, and their gradient by two passes.

    objectives: one for each of the layout's `members`, the same in every architecture; only
        strengths differ.
    whole: all points; a batch stands for them, and parameters are where they are.
    """

    def __init__(self, layout: Layout, objectives: list[Objective], whole: Batch):
        architecture = layout.architectures[0]
        self.layout, self.objective = layout, objectives[0]
        self.depth, self.points = architecture.depth, len(whole.X)
        self.activation = TensorActivation.of(architecture.activation)
        self.linear = [architecture.is_linear(layer) for layer in range(self.depth)]
        self.parameters, self.gradient = (whole.X.new_zeros(layout.size) for _ in range(2))
        self.prices = whole.X.new_tensor(prices(layout, objectives))
        # By architecture and layer: what the units received, and what they passed on.
        self.seen: list[list[tuple[torch.Tensor, torch.Tensor]]] = []
        self.weights = layout.views(self.parameters)
        self.weight_gradients = layout.views(self.gradient)
        self.first_weights = layout.first_layers(self.parameters)
        self.first_gradients = layout.first_layers(self.gradient)

    def outputs(self, X: torch.Tensor) -> list[torch.Tensor]:
        """(members, n, m) for each architecture; what the way back needs stays in `seen`."""
        # The first layers of all members in one product, as all of them see the same points.
        received = X @ self.first_weights
        passed_on = received if self.linear[0] else self.activation.values(received)
        self.seen, results = [], []
        for which, layers in enumerate(self.weights):
            Z, H = (self.layout.stacked(matrix, which) for matrix in (received, passed_on))
            seen = [(Z, H)]
            for layer, (W, b) in enumerate(layers[1:], start=1):
                Z = _product(H, W) if b is None else _product(H, W).add_(b)
                H = Z if self.linear[layer] else self.activation.values(Z)
                seen.append((Z, H))
            self.seen.append(seen)
            # Branches stand together, member by member; their outputs are added up.
            results.append(H.reshape(self.layout.members, -1, *H.shape[1:]).sum(1))
        return results

    def differentiate(self, batch: Batch, strength_factor: float = 1.0) -> list[torch.Tensor]:
        """Fills `gradient`, with strengths times the factor, and returns the outputs."""
        X, Y = batch
        outputs = self.outputs(X)
        # A batch stands for all points: a mean over it as it is, a sum scaled up.
        scale = (1 if self.objective.mean else self.points) / len(X)
        # The derivative by what all first layers give.
        first = X.new_empty(len(X), self.layout.first_columns[-1])
        for which, output in enumerate(outputs):
            # The derivative of |f - y|^2 is 2 (f - y), that of the cross-entropy softmax(f) - y,
            # where y is a row of the unit matrix.
            if self.objective.loss == "squared":
                delta = (output - Y).mul_(2 * scale)
            else:
                delta = (output.softmax(2) - Y).mul_(scale)
            self.layout.stacked(first, which).copy_(self._back(delta, which))
        torch.mm(X.T, first, out=self.first_gradients)
        # The penalty, prices * parameters^2, of all layers at once.
        self.gradient.addcmul_(self.parameters, self.prices, value=2 * strength_factor)
        return outputs

    def _back(self, delta: torch.Tensor, which: int) -> torch.Tensor:
        """From the outputs of one architecture to its first layer, filling gradients on the way."""
        seen, weights = self.seen[which], self.weights[which]
        branches = self.layout.architectures[which].branches
        # Outputs of branches are added up, so each of them receives the same derivative.
        delta = delta.repeat_interleave(branches, 0) if branches > 1 else delta
        for layer in range(self.depth - 1, 0, -1):
            (Z, H), (dW, db) = seen[layer - 1], self.weight_gradients[which][layer]
            # Of Z = H W + b: dW = H^T delta, db sums up delta, and delta W^T goes on to H.
            _product(H.mT, delta, out=dW)
            if db is not None:
                torch.sum(delta, 1, keepdim=True, out=db)
            delta = _product(delta, weights[layer][0].mT)
            if not self.linear[layer - 1]:
                delta = self.activation.back(delta, Z)
        return delta

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


def _product(A: torch.Tensor, B: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """A @ B in stacks. For a single row or column, products of numbers are several times faster."""
    if A.shape[2] == 1:
        return torch.mul(A, B, out=out)
    if B.shape[2] == 1:
        return torch.sum(A * B.mT, 2, keepdim=True, out=out)
    return torch.bmm(A, B, out=out)
