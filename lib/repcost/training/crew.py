"""All engines of a run as one. A chunk of members has an engine of its own, small enough for a
processor's cache.
"""

import numpy as np
from jaxtyping import Bool, Float

from repcost.training.ensembles import Member
from repcost.training.layouts import Layout, Parts, initial_weights
from repcost.training.recipes import Recipe

# Bytes of parameters, gradients, moments and prices; beyond it, members slow each other down.
_CACHE = 8_000_000


class Crew:
    """Trains the members of a run; they come architecture by architecture, `each` of every one."""

    def __init__(
        self,
        members: tuple[Member, ...],
        each: int,
        X: Float[np.ndarray, "n d"],
        Y: Float[np.ndarray, "n m"],
        recipe: Recipe,
        device: str,
    ):
        from repcost.training.engine import Engine

        self.recipe, self.count = recipe, len(members)
        table = np.arange(len(members)).reshape(-1, each)
        architectures = tuple(members[place].architecture for place in table[:, 0])
        needed = 5 * Layout(architectures, 1).size * np.dtype(recipe.dtype).itemsize
        chunk = max(1, _CACHE // needed) if device == "cpu" else each
        self.engines, self.places = [], []
        for start in range(0, each, chunk):
            places = table[:, start : start + chunk]
            layout = Layout(architectures, places.shape[1])
            objectives = [members[place].objective for place in places[0]]
            engine = Engine(layout, objectives, X, Y, dtype=recipe.dtype, device=device)
            first = np.zeros(layout.size)
            for views, place in zip(layout.member_views(first), places.ravel(), strict=True):
                _fill(
                    views,
                    initial_weights(members[place].architecture, recipe, members[place].seed, X),
                )
            engine.start(first)
            self.engines.append(engine)
            # One copy of the data is enough.
            engine.X, engine.Y = self.engines[0].X, self.engines[0].Y
            self.places.append(places.ravel())

    def advance(self, start: int, stop: int) -> None:
        for engine in self.engines:
            engine.advance(self.recipe, start, stop)

    def look(self) -> Float[np.ndarray, " members"]:
        """The objectives on all points; members whose objective is not finite rest from now on."""
        values = np.empty(self.count)
        for engine, places in zip(self.engines, self.places, strict=True):
            values[places] = engine.look()
        return values

    def parts(self) -> list[Parts]:
        """The weights and biases of every member."""
        result: list[Parts] = [[]] * self.count
        for engine, places in zip(self.engines, self.places, strict=True):
            flat = engine.state["parameters"].astype(np.float64)
            for place, views in zip(places, engine.layout.member_views(flat), strict=True):
                result[place] = [view.copy() for view in views]
        return result

    def state(self) -> dict[str, np.ndarray]:
        return {
            f"{name}_{k}": array
            for k, engine in enumerate(self.engines)
            for name, array in engine.state.items()
        }

    def restore(self, state: dict[str, np.ndarray], diverged: Bool[np.ndarray, " members"]) -> None:
        for k, (engine, places) in enumerate(zip(self.engines, self.places, strict=True)):
            engine.state = {name: state[f"{name}_{k}"] for name in engine.state}
            for member in np.flatnonzero(diverged[places]):
                engine.rest(int(member))


def _fill(views: Parts, parts: Parts) -> None:
    for view, part in zip(views, parts, strict=True):
        view[:] = part
