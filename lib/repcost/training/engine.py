"""Trains all members of a layout: gradient, optimiser, rebalancing and batches in one loop."""

import numpy as np
import torch
from jaxtyping import Float

from repcost.training.batches import Batches
from repcost.training.gradients import Passes
from repcost.training.layouts import Layout
from repcost.training.objectives import Objective
from repcost.training.optimiser import Optimiser, without_denormals
from repcost.training.rebalancing import Rebalancing
from repcost.training.recipes import Recipe


class Engine:
    """objectives: one for each of the layout's `members`, the same in every architecture."""

    def __init__(self, layout: Layout, objectives: list[Objective], batches: Batches):
        self.layout, self.batches = layout, batches
        self.passes = Passes(layout, objectives, batches.whole)
        self.optimiser = Optimiser(layout, self.passes.parameters, self.passes.gradient)
        self.rebalancing = Rebalancing(layout, objectives[0], self.optimiser)

    def advance(self, recipe: Recipe, start: int, stop: int) -> None:
        """The steps from `start` up to `stop`, counted from 0."""
        # Nothing is recorded for automatic differentiation, which is not used here.
        with torch.inference_mode(), without_denormals():
            for step in range(start, stop):
                batch = self.batches.at(step, recipe.batch_size)
                self.passes.differentiate(batch, recipe.strength_factor(step))
                self.optimiser.step(step, recipe)
                if recipe.rebalance_every and (step + 1) % recipe.rebalance_every == 0:
                    self.rebalancing.rebalance()

    def look(self) -> Float[np.ndarray, " all"]:
        """The objective of every member on all points.

        One that is not finite rests from now on, where it last was.
        """
        whole = self.batches.whole
        with torch.inference_mode():
            values = self.passes.objectives(self.passes.outputs(whole), whole.Y)
            # Before the weights are kept, so that nobody keeps those with which it diverged.
            for member in np.flatnonzero(~np.isfinite(values)):
                self.optimiser.rest(int(member))
            self.optimiser.keep()
        return values

    def value_and_gradient(
        self, flat: Float[np.ndarray, " size"]
    ) -> tuple[float, Float[np.ndarray, " size"]]:
        """Of a single member on all points, for optimisers that want a function."""
        whole, passes = self.batches.whole, self.passes
        with torch.inference_mode():
            passes.parameters.copy_(torch.from_numpy(flat))
            value = float(passes.objectives(passes.differentiate(whole), whole.Y)[0])
            return value, passes.gradient.numpy(force=True).astype(np.float64)
