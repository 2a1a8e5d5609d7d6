"""The steps that change the parameters of all members, and the members that no longer move."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from jaxtyping import Float

from repcost.training.layouts import Layout
from repcost.training.recipes import Recipe
from repcost.training.states import EngineState

# What `torch.optim.Adam` comes to, in more time than small networks then take.
_fused_adam = torch._fused_adam_  # pyright: ignore[reportPrivateImportUsage]


@contextmanager
def without_denormals() -> Iterator[None]:
    """Numbers below 1e-308 (float32: 1e-38) are zero meanwhile.

    What belongs to dead units decays to them, and then a step takes up to ten times as long. The
    setting is the thread's, and is set back.
    """
    were_zero = bool(torch.tensor(5e-324, dtype=torch.float64, device="cpu") * 1 == 0)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(were_zero)


class Optimiser:
    """Adam, or plain gradient descent, on the parameters of all members.

    parameters, gradient: shared with the passes that fill the gradient.
    moments: Adam's averages of the gradient and of its square.
    kept: the parameters at the last look, where members that diverge go back to.
    resting: the members that do not move, with the views of their gradient.
    """

    def __init__(self, layout: Layout, parameters: torch.Tensor, gradient: torch.Tensor):
        self.layout, self.parameters, self.gradient = layout, parameters, gradient
        self.moments = torch.zeros_like(parameters), torch.zeros_like(parameters)
        self.kept = torch.zeros_like(parameters)
        self.resting: dict[int, list[torch.Tensor]] = {}
        # Fused Adam wants its count as a float32 tensor beside the parameters.
        self._count = torch.zeros((), device=parameters.device)

    def step(self, step: int, recipe: Recipe) -> None:
        """One step along the gradient, counted from 0."""
        # With a gradient and moments of zero, nothing moves.
        for arrays in self.resting.values():
            for array in arrays:
                array.zero_()
        if recipe.optimiser == "adam":
            # The averages are corrected for the steps that they have seen, with this one.
            self._adam(step + 1, recipe.rate(step))
        else:
            self.parameters.sub_(self.gradient, alpha=recipe.rate(step))

    def _adam(self, count: int, rate: float) -> None:
        first, second = self.moments
        # One call for all members: Adam works entry by entry, so nobody notices the others. The
        # constants are those of Kingma & Ba (2015).
        _fused_adam(
            [self.parameters],
            [self.gradient],
            [first],
            [second],
            [],
            [self._count.fill_(count)],
            lr=rate,
            beta1=0.9,
            beta2=0.999,
            weight_decay=0.0,
            eps=1e-8,
            amsgrad=False,
            maximize=False,
        )

    def keep(self) -> None:
        """From now on, members that diverge go back to where they are now."""
        self.kept.copy_(self.parameters)

    def rest(self, member: int) -> None:
        """Back to the weights that were kept; from now on this member does not move."""
        now, last = (self._arrays(flat, member) for flat in (self.parameters, self.kept))
        for array, kept in zip(now, last, strict=True):
            array.copy_(kept)
        # A moment that is not finite would stay so.
        for moment in self.moments:
            for array in self._arrays(moment, member):
                array.zero_()
        self.resting[member] = self._arrays(self.gradient, member)

    def _arrays(self, flat: torch.Tensor, member: int) -> list[torch.Tensor]:
        return self.layout.member_views(flat)[member]

    def start(self, flat: Float[np.ndarray, " size"]) -> None:
        """The first weights of all members."""
        for tensor in (self.parameters, self.kept):
            tensor.copy_(torch.from_numpy(flat))

    def state(self) -> EngineState:
        return EngineState(*(tensor.numpy(force=True).copy() for tensor in self._tensors()))

    def restore(self, state: EngineState) -> None:
        saved = state.parameters, state.first, state.second, state.kept
        for tensor, array in zip(self._tensors(), saved, strict=True):
            tensor.copy_(torch.from_numpy(array))

    def _tensors(self) -> tuple[torch.Tensor, ...]:
        """In the order of the fields of `EngineState`."""
        return (self.parameters, *self.moments, self.kept)
