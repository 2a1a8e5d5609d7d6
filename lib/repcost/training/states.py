"""How far a run is, frozen: what a checkpoint holds, and what the rest of the run depends on."""

from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Bool, Float, Int

Arrays = dict[str, np.ndarray]
# Flat vectors of members after L-BFGS, by their places in the ensemble.
Polished = dict[int, Float[np.ndarray, " parameters"]]


@dataclass(frozen=True, eq=False)
class EngineState:
    """What the next steps of an engine depend on, besides the recipe.

    first, second: Adam's moments.
    kept: the parameters at the last look.
    """

    parameters: Float[np.ndarray, " size"]
    first: Float[np.ndarray, " size"]
    second: Float[np.ndarray, " size"]
    kept: Float[np.ndarray, " size"]


@dataclass(frozen=True, eq=False)
class Log:
    """What was seen at the looks so far.

    looked: the steps that were done at each look.
    logged: the objectives then, infinite where they were not finite.
    diverged: members whose objective was once not finite; they rest.
    """

    looked: Int[np.ndarray, " looks"]
    logged: Float[np.ndarray, "looks members"]
    diverged: Bool[np.ndarray, " members"]

    @classmethod
    def empty(cls, members: int) -> "Log":
        nobody = np.zeros(members, dtype=bool)
        return cls(np.zeros(0, dtype=int), np.zeros((0, members)), nobody)

    @property
    def step(self) -> int:
        """Steps done at the last look."""
        return int(self.looked[-1]) if len(self.looked) else 0

    @property
    def last(self) -> Float[np.ndarray, " members"]:
        return self.logged[-1]

    def with_look(self, step: int, values: Float[np.ndarray, " members"]) -> "Log":
        finite = np.isfinite(values)
        logged = np.vstack([self.logged, np.where(finite, values, np.inf)])
        return Log(np.append(self.looked, step), logged, self.diverged | ~finite)


@dataclass(frozen=True, eq=False)
class RunState:
    """A run between two steps, or between two polishings."""

    log: Log
    polished: Polished
    engines: tuple[EngineState, ...]

    def arrays(self) -> Arrays:
        """By the names they have in a checkpoint."""
        return {
            # The last look tells it too; older versions of the library want it by name.
            "step": np.array(self.log.step),
            "looked": self.log.looked,
            "logged": self.log.logged,
            "diverged": self.log.diverged,
            **{f"polished_{place}": flat for place, flat in self.polished.items()},
            **{
                f"{field.name}_{k}": getattr(engine, field.name)
                for k, engine in enumerate(self.engines)
                for field in fields(EngineState)
            },
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "RunState":
        """From what `arrays` gave; KeyError if something is missing."""
        log = Log(arrays["looked"], arrays["logged"], arrays["diverged"])
        names = [field.name for field in fields(EngineState)]
        # As many engines as there are vectors of parameters, in the order of their numbers.
        engines = [
            EngineState(*(arrays[f"{name}_{k}"] for name in names))
            for k in range(sum(name.startswith("parameters_") for name in arrays))
        ]
        polished = {
            place: arrays[f"polished_{place}"]
            for place in range(len(log.diverged))
            if f"polished_{place}" in arrays
        }
        return cls(log, polished, tuple(engines))
