"""All engines of a run as one; the only door from runs to what computes with torch."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from repcost.devices import checked_device
from repcost.training.batches import Batches
from repcost.training.engine import Engine
from repcost.training.initialisation import initial_weights
from repcost.training.layouts import Layout, fill
from repcost.training.members import MemberArrays
from repcost.training.plans import TrainingPlan
from repcost.training.states import EngineState, Log

# Bytes of parameters, gradients, moments and prices that an engine may have on a processor. They
# stay in its cache; beyond it, members slow each other down.
_CACHE = 8_000_000


@dataclass(frozen=True, eq=False)
class Chunk:
    """Members that are trained by one engine, and their places among all."""

    engine: Engine
    places: Int[np.ndarray, " chunk"]


@dataclass(frozen=True, eq=False)
class Crew:
    """Trains the members of a plan, chunk by chunk."""

    plan: TrainingPlan
    chunks: tuple[Chunk, ...]

    @classmethod
    def of(cls, plan: TrainingPlan) -> "Crew":
        """Every member at its first weights."""
        bias, dtype = plan.architectures[0].has_bias(0), plan.recipe.dtype
        # One copy of the data for all engines.
        device = checked_device(plan.device)
        batches = Batches(plan.X, plan.Y, bias=bias, dtype=dtype, device=device)
        # A row for each architecture; a chunk takes the same columns of every row.
        table = np.arange(len(plan.members)).reshape(plan.shape[0], -1)
        chunks = (_chunk(plan, table[:, some], batches) for some in _slices(plan))
        return cls(plan, tuple(chunks))

    def advance(self, start: int, stop: int) -> None:
        for chunk in self.chunks:
            chunk.engine.advance(self.plan.recipe, start, stop)

    def look(self) -> Float[np.ndarray, " members"]:
        """The objectives on all points; members whose objective is not finite rest from now on."""
        values = np.empty(len(self.plan.members))
        for chunk in self.chunks:
            values[chunk.places] = chunk.engine.look()
        return values

    def arrays(self) -> list[MemberArrays]:
        """The weights and biases of every member."""
        result: list[MemberArrays] = [[]] * len(self.plan.members)
        for chunk in self.chunks:
            # Single precision is double precision, exactly, from here on.
            flat = chunk.engine.optimiser.state().parameters.astype(np.float64)
            views = chunk.engine.layout.member_views(flat)
            for place, own in zip(chunk.places, views, strict=True):
                result[place] = [view.copy() for view in own]
        return result

    def state(self) -> tuple[EngineState, ...]:
        return tuple(chunk.engine.optimiser.state() for chunk in self.chunks)

    def restore(self, states: tuple[EngineState, ...], log: Log) -> None:
        """Back to where a run was saved; who had diverged rests again."""
        # Files may come from a version that divided the members otherwise.
        if len(states) != len(self.chunks):
            found = f"the checkpoint has {len(states)} engines, and this run {len(self.chunks)}"
            raise ValueError(f"{found}; delete it or name another file")
        for chunk, state in zip(self.chunks, states, strict=True):
            chunk.engine.optimiser.restore(state)
            for member in np.flatnonzero(log.diverged[chunk.places]):
                chunk.engine.optimiser.rest(int(member))


def _slices(plan: TrainingPlan) -> list[slice]:
    """Which members of each architecture have an engine together."""
    each = plan.shape[1] * plan.shape[2]
    # Five vectors are used in every step: parameters, gradient, two moments and prices.
    numbers = 5 * Layout(plan.architectures, 1).size
    needed = numbers * np.dtype(plan.recipe.dtype).itemsize
    chunk = max(1, _CACHE // needed) if plan.device == "cpu" else each
    return [slice(start, start + chunk) for start in range(0, each, chunk)]


def _chunk(
    plan: TrainingPlan, table: Int[np.ndarray, "architectures some"], batches: Batches
) -> Chunk:
    """An engine for the members in the table, at their first weights."""
    members = [plan.members[place] for place in table.ravel()]
    layout = Layout(plan.architectures, table.shape[1])
    # The same objectives for each architecture, so those of the first row are all.
    objectives = [member.objective for member in members[: layout.members]]
    engine, flat = Engine(layout, objectives, batches), np.zeros(layout.size)
    for views, member in zip(layout.member_views(flat), members, strict=True):
        fill(views, initial_weights(member.architecture, plan.recipe, member.seed, plan.X))
    engine.optimiser.start(flat)
    return Chunk(engine, table.ravel())
