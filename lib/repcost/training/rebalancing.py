"""Units rescaled while they train, so that their weights in and out cost the same.

A unit's weights in (and its bias) times s, its weights out over s: the function stays, as
activations are positively homogeneous. The cost s^2 in + out / s^2, of the squared weights in and
out, is least at s = (out / in)^(1/4). Gradients scale the other way, so Adam's moments follow: the
first as 1 / s, the second as 1 / s^2.
"""

from itertools import product

import torch

from repcost.training.layouts import Layout
from repcost.training.objectives import Objective
from repcost.training.optimiser import Optimiser

# A unit whose bias is so many times the norm of its weights in does not bend within this distance.
_FAR = 1e8


class Rebalancing:
    """Of all hidden units of all members that do not rest."""

    def __init__(self, layout: Layout, objective: Objective, optimiser: Optimiser):
        self.layout, self.bias_price = layout, objective.bias_price
        self.resting = optimiser.resting
        first, second = optimiser.moments
        self.weights = layout.views(optimiser.parameters)
        # With the power of s by which weights in change; weights out change by its inverse.
        self.scaled = (self.weights, 1), (layout.views(first), -1), (layout.views(second), -2)

    def rebalance(self) -> None:
        """Layer by layer from the inputs, once."""
        architectures = range(len(self.layout.architectures))
        hidden = range(self.layout.architectures[0].depth - 1)
        # From the inputs on, as the weights out of a layer are the weights into the next.
        for which, layer in product(architectures, hidden):
            scale = self.scales(which, layer)
            for views, power in self.scaled:
                (W, b), (V, _) = views[which][layer : layer + 2]
                W.mul_(scale**power)
                if b is not None:
                    b.mul_(scale**power)
                V.mul_((scale**-power).mT)

    def scales(self, which: int, layer: int) -> torch.Tensor:
        """(stack, 1, units): s of each unit.

        1 for units without weights in or out, for those of members that rest, and for constants
        with a free bias, which they want without end.
        """
        (W, b), (V, _) = self.weights[which][layer : layer + 2]
        into, out = (W**2).sum(1, keepdim=True), (V**2).sum(2, keepdim=True).mT
        matters = (into > 0) & (out > 0)
        if b is not None and self.bias_price:
            # A bias that pays is a weight in, at its own price.
            into = into + self.bias_price * b**2
        elif b is not None:
            matters &= b.abs() < _FAR * into.sqrt()
        ratio = torch.where(matters, out / into, 1.0)
        for own in self._resting_in(which):
            ratio[own] = 1.0
        # Squares that overflow or vanish say nothing: such a unit waits.
        return torch.where(ratio.isfinite(), ratio, 1.0) ** 0.25

    def _resting_in(self, which: int) -> list[slice]:
        """Where the members of one architecture that rest stand in its stack."""
        members, k = self.layout.members, self.layout.architectures[which].branches
        places = [member % members for member in self.resting if member // members == which]
        return [slice(place * k, (place + 1) * k) for place in places]
