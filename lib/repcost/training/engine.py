"""One pass forward and one backward through all members at once, written out by hand; the only
module with torch.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from jaxtyping import Float
from torch.nn.functional import leaky_relu
from torch.optim.adam import adam

from repcost.training.layouts import Layers, Layout, prices
from repcost.training.objectives import Objective
from repcost.training.recipes import Recipe

leaky_relu_backward = torch.ops.aten.leaky_relu_backward
# A unit whose bias is so many times the norm of its weights in does not bend within this distance.
_FAR = 1e8


@contextmanager
def without_denormals() -> Iterator[None]:
    """Numbers below 1e-308 (float32: 1e-38) are zero meanwhile: what belongs to dead units decays
    to them, and then a step takes up to ten times as long. The setting is the thread's, and is set
    back.
    """
    were_zero = bool(torch.tensor(5e-324, dtype=torch.float64) * 1 == 0)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(were_zero)


class Engine:
    """Parameters of all members of a layout, their gradient, and the steps that change them.

    objectives: one for each of the layout's `members`, the same in every architecture; only
    strengths differ.
    """

    def __init__(
        self,
        layout: Layout,
        objectives: list[Objective],
        X: Float[np.ndarray, "n d"],
        Y: Float[np.ndarray, "n m"],
        *,
        dtype: str = "float64",
        device: str = "cpu",
    ):
        kind = {"dtype": getattr(torch, dtype), "device": device}
        self.layout, self.objective, self.depth = (
            layout,
            objectives[0],
            layout.architectures[0].depth,
        )
        self.slope = layout.architectures[0].negative_slope
        self.linear = [layout.architectures[0].is_linear(layer) for layer in range(self.depth)]
        ones = np.ones((len(X), layout.rows - X.shape[1]))
        self.X, self.Y = torch.tensor(np.hstack([X, ones]), **kind), torch.tensor(Y, **kind)
        self.parameters, self.kept, self.gradient, *self.moments = (
            torch.zeros(layout.size, **kind) for _ in range(5)
        )
        self.prices = torch.tensor(prices(layout, objectives), **kind)
        self.count = torch.zeros((), device=device)
        self.layers, self.slopes = layout.views(self.parameters), layout.views(self.gradient)
        self.resting: dict[int, list[torch.Tensor]] = {}
        self.order = -1, torch.zeros(0)

    def outputs(self, X: torch.Tensor) -> list[torch.Tensor]:
        """(members, n, m) for each architecture; what the backward pass needs stays in `passed`."""
        before = X @ self.layout.first_layers(self.parameters)
        after = before if self.linear[0] else leaky_relu(before, self.slope)
        self.passed, results = [], []
        for which, layers in enumerate(self.layers):
            Z, H = (self.layout.by_member(matrix, which) for matrix in (before, after))
            passed = [(Z, H)]
            for layer, (W, b) in enumerate(layers[1:], start=1):
                Z = _product(H, W) if b is None else _product(H, W).add_(b)
                H = Z if self.linear[layer] else leaky_relu(Z, self.slope)
                passed.append((Z, H))
            self.passed.append(passed)
            results.append(H.reshape(self.layout.members, -1, *H.shape[1:]).sum(1))
        return results

    def differentiate(
        self, X: torch.Tensor, Y: torch.Tensor, strength_factor: float = 1.0
    ) -> list[torch.Tensor]:
        """Fills `gradient`, with strengths times the factor, and returns the outputs. A batch
        stands for all points.
        """
        outputs = self.outputs(X)
        scale = (1 if self.objective.mean else len(self.X)) / len(X)
        first = torch.empty(len(X), self.layout.columns[-1], dtype=X.dtype, device=X.device)
        for which, output in enumerate(outputs):
            if self.objective.loss == "squared":
                delta = (output - Y).mul_(2 * scale)
            else:
                delta = (output.softmax(2) - Y).mul_(scale)
            branches = self.layout.architectures[which].branches
            delta = delta.repeat_interleave(branches, 0) if branches > 1 else delta
            for layer in range(self.depth - 1, 0, -1):
                (Z, H), (dW, db) = self.passed[which][layer - 1], self.slopes[which][layer]
                _product(H.mT, delta, out=dW)
                if db is not None:
                    torch.sum(delta, 1, keepdim=True, out=db)
                delta = _product(delta, self.layers[which][layer][0].mT)
                if not self.linear[layer - 1]:
                    delta = leaky_relu_backward(delta, Z, self.slope, False)
            self.layout.by_member(first, which).copy_(delta)
        torch.mm(X.T, first, out=self.layout.first_layers(self.gradient))
        self.gradient.addcmul_(self.parameters, self.prices, value=2 * strength_factor)
        for parts in self.resting.values():
            for part in parts:
                part.zero_()
        return outputs

    def objectives(self, outputs: list[torch.Tensor], Y: torch.Tensor) -> Float[np.ndarray, " all"]:
        """Of every member, architecture by architecture."""
        if self.objective.loss == "squared":
            losses = torch.cat([((output - Y) ** 2).sum((1, 2)) for output in outputs])
        else:
            losses = torch.cat([-(Y * output.log_softmax(2)).sum((1, 2)) for output in outputs])
        if self.objective.mean:
            losses = losses / len(Y)
        # In this order a bias that is free costs nothing, however large.
        each = self.prices * self.parameters * self.parameters
        paid = [self._by_member(layers) for layers in self.layout.views(each)]
        return (losses + torch.cat(paid)).numpy(force=True)

    def _by_member(self, layers: Layers) -> torch.Tensor:
        """The sums of all entries of each member."""
        parts = [part for layer in layers for part in layer if part is not None]
        return torch.stack([part.reshape(self.layout.members, -1).sum(1) for part in parts]).sum(0)

    def step_adam(self, step: int, rate: float) -> None:
        """`step` counts from 1."""
        first, second = self.moments
        adam(
            [self.parameters],
            [self.gradient],
            [first],
            [second],
            [],
            [self.count.fill_(step)],
            fused=True,
            amsgrad=False,
            beta1=0.9,
            beta2=0.999,
            lr=rate,
            weight_decay=0.0,
            eps=1e-8,
            maximize=False,
        )

    def advance(self, recipe: Recipe, start: int, stop: int) -> None:
        """The steps from `start` up to `stop`, counted from 0."""
        with torch.inference_mode(), without_denormals():
            for step in range(start, stop):
                X, Y = self._batch(recipe.batch_size, step)
                self.differentiate(X, Y, recipe.strength_factor(step))
                if recipe.optimiser == "adam":
                    self.step_adam(step + 1, recipe.rate(step))
                else:
                    self.parameters.sub_(self.gradient, alpha=recipe.rate(step))
                if recipe.rebalance_every and (step + 1) % recipe.rebalance_every == 0:
                    self.rebalance()

    def _batch(self, size: int | None, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Each pass through the points has an order of its own, which follows from the step alone."""
        if size is None or size >= len(self.X):
            return self.X, self.Y
        epoch, place = divmod(step, len(self.X) // size)
        if self.order[0] != epoch:
            permuted = np.random.default_rng(epoch).permutation(len(self.X))
            self.order = epoch, torch.as_tensor(permuted, device=self.X.device)
        chosen = self.order[1][place * size : (place + 1) * size]
        return self.X[chosen], self.Y[chosen]

    def look(self) -> Float[np.ndarray, " all"]:
        """The objective of every member on all points. One that is not finite rests from now on,
        where it last was.
        """
        with torch.inference_mode():
            values = self.objectives(self.outputs(self.X), self.Y)
            for member in np.flatnonzero(~np.isfinite(values)):
                self.rest(int(member))
            self.kept.copy_(self.parameters)
        return values

    def rest(self, member: int) -> None:
        """Back to the weights of the last look; from now on this member does not move."""
        now, last = (
            self.layout.member_views(flat)[member] for flat in (self.parameters, self.kept)
        )
        for part, kept in zip(now, last, strict=True):
            part.copy_(kept)
        self.resting[member] = self.layout.member_views(self.gradient)[member]
        for moment in self.moments:
            for part in self.layout.member_views(moment)[member]:
                part.zero_()

    def value_and_gradient(
        self, flat: Float[np.ndarray, " size"]
    ) -> tuple[float, Float[np.ndarray, " size"]]:
        """Of a single member on all points, for optimisers that want a function."""
        with torch.inference_mode():
            self.parameters.copy_(torch.from_numpy(flat))
            outputs = self.differentiate(self.X, self.Y)
            return float(self.objectives(outputs, self.Y)[0]), self.gradient.numpy(
                force=True
            ).astype(np.float64)

    def start(self, flat: Float[np.ndarray, " size"]) -> None:
        """The first weights of all members."""
        for tensor in (self.parameters, self.kept):
            tensor.copy_(torch.from_numpy(flat))

    @property
    def state(self) -> dict[str, np.ndarray]:
        """What the next steps depend on, besides the recipe; setting it brings everything back."""
        return {name: tensor.numpy(force=True).copy() for name, tensor in self._tensors().items()}

    @state.setter
    def state(self, state: dict[str, np.ndarray]) -> None:
        for name, tensor in self._tensors().items():
            tensor.copy_(torch.as_tensor(state[name]))

    def _tensors(self) -> dict[str, torch.Tensor]:
        first, second = self.moments
        return {"parameters": self.parameters, "first": first, "second": second, "kept": self.kept}

    def rebalance(self) -> None:
        """Scale each hidden unit so that its weights in and out cost the same; the functions stay
        as they are.

        Exact as activations are homogeneous. Gradients scale the other way, so Adam's moments
        follow.
        """
        first, second = map(self.layout.views, self.moments)
        scaled = (self.layers, 1), (first, -1), (second, -2)
        for which in range(len(self.layout.architectures)):
            for layer in range(self.depth - 1):
                scale = self._imbalance(which, layer)
                for views, power in scaled:
                    (W, b), (V, _) = views[which][layer : layer + 2]
                    W.mul_(scale**power)
                    if b is not None:
                        b.mul_(scale**power)
                    V.mul_((scale**-power).mT)

    def _imbalance(self, which: int, layer: int) -> torch.Tensor:
        """(stack, 1, units): fourth roots of squared weights out over in. 1 for units without
        either, for those of members that rest, and for constants with a free bias, which they want
        without end.
        """
        (W, b), (V, _) = self.layers[which][layer : layer + 2]
        into, out = (W**2).sum(1, keepdim=True), (V**2).sum(2, keepdim=True).mT
        matters = (into > 0) & (out > 0)
        if b is not None and self.objective.bias_price:
            into = into + self.objective.bias_price * b**2
        elif b is not None:
            matters &= b.abs() < _FAR * into.sqrt()
        ratio = torch.where(matters, out / into, 1.0)
        for member in self.resting:
            architecture, place = divmod(member, self.layout.members)
            if architecture == which:
                branches = self.layout.architectures[which].branches
                ratio[place * branches : (place + 1) * branches] = 1.0
        return torch.where(ratio.isfinite(), ratio, 1.0) ** 0.25


def _product(A: torch.Tensor, B: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """A @ B in stacks. For a single row or column, products of numbers are several times faster."""
    if A.shape[2] == 1:
        return torch.mul(A, B, out=out)
    if B.shape[2] == 1:
        return torch.sum(A * B.mT, 2, keepdim=True, out=out)
    return torch.bmm(A, B, out=out)
