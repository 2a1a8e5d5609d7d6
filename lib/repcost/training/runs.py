"""Training: many networks at once, to a target, with a log, and in spite of interruptions."""

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from repcost.arrays import ArrayLike
from repcost.training.architectures import Architecture
from repcost.training.checkpoints import Saved, State, fingerprint
from repcost.training.crew import Crew
from repcost.training.ensembles import Ensemble, Member, network
from repcost.training.inputs import (
    check_company,
    checked_data,
    checked_seeds,
    checked_target,
    several,
)
from repcost.training.layouts import Parts, alone, parts_alone
from repcost.training.objectives import Network, Objective
from repcost.training.polishing import polish
from repcost.training.recipes import Recipe


def train(
    architecture: Architecture | Sequence[Architecture],
    data: tuple[ArrayLike, ArrayLike],
    objective: Objective | Sequence[Objective],
    recipe: Recipe,
    seeds: Sequence[int],
    *,
    target: tuple[float | Sequence[float], float] | None = None,
    device: str = "cpu",
    progress: bool = False,
    checkpoint: str | Path | None = None,
    save_every: float = 60.0,
) -> Ensemble:
    """Train a network for every architecture, objective and seed, all of them together; needs
    torch.

    The objective is that of the paper it is named after. data: points (n, d), or (n,) in one
    variable, and values (n, m), (n,), or labels. Architectures may differ in their hidden widths,
    objectives in their strengths.
    target: (lower bound, relative gap): training stops when one seed of each task (architecture and
    objective) is that near to the bound; one bound, or one per objective. checkpoint: an npz file,
    written every `save_every` seconds and at the end; the same call starts again from it and ends
    with the same bits. A seed starts from the same weights in every company; sums in another
    company may be rounded otherwise.

    Threads are torch's and yours to choose. Networks this small want one (OMP_NUM_THREADS=1 before
    Python starts): on a busy machine, two threads that wait for each other can take a hundred times
    longer.

    >>> x, y = [-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]
    >>> objective = Objective.savarese_2019(0.1)
    >>> trained = train(Architecture.two_layer(10), (x, y), objective, Recipe(steps=300, polish=100), range(4))
    >>> bool(trained.objectives.min() < 1.001 * objective.regularised_fit(x, y).objective.upper)
    True
    """
    run = _Run(architecture, data, objective, recipe, seeds, target, device)
    saved = Saved(run, checkpoint, save_every)
    run.descend(saved, progress)
    run.polish(saved)
    saved.write()
    return run.result()


class _Run:
    """The members, what trains them, and how far they are."""

    def __init__(self, architecture, data, objective, recipe, seeds, target, device):
        architectures = several(architecture, Architecture, "architecture")
        objectives = several(objective, Objective, "objective")
        seeds = checked_seeds(seeds)
        check_company(architectures, objectives)
        self.data = data
        self.X, self.Y = checked_data(data, architectures[0], objectives[0])
        self.recipe = recipe
        self.members = tuple(Member(*each) for each in product(architectures, objectives, seeds))
        self.shape = (len(architectures), len(objectives), len(seeds))
        self.lower, self.tolerance = checked_target(target, self.shape)
        self.name = fingerprint(
            self.members, recipe, self.lower, self.tolerance, device, self.X, self.Y
        )
        self.crew = Crew(
            self.members, self.shape[1] * self.shape[2], self.X, self.Y, recipe, device
        )
        self.step, self.looked, self.logged = (
            0,
            np.zeros(0, dtype=int),
            np.zeros((0, len(self.members))),
        )
        self.diverged = np.zeros(len(self.members), dtype=bool)
        # The weights of members after L-BFGS.
        self.polished: dict[int, Float[np.ndarray, " parameters"]] = {}

    def descend(self, saved: Saved, progress: bool) -> None:
        """The recipe's steps, or as many as the target needs."""
        with _bar(self.recipe.steps, self.step, progress) as bar:
            if not len(self.looked):
                self._look()
            while self.step < self.recipe.steps and not self._in_target(self.logged[-1]).all():
                stop = min(self.step + self.recipe.log_every, self.recipe.steps)
                self.crew.advance(self.step, stop)
                bar.update(stop - self.step)
                self.step = stop
                self._look()
                bar.set_postfix(objective=f"{self.logged[-1].min():.6g}", refresh=False)
                saved.write_if_due()

    def _look(self) -> None:
        values = self.crew.look()
        self.diverged |= ~np.isfinite(values)
        self.looked = np.append(self.looked, self.step)
        self.logged = np.vstack([self.logged, np.where(np.isfinite(values), values, np.inf)])

    def _in_target(self, values: Float[np.ndarray, " members"]) -> Bool[np.ndarray, " tasks"]:
        """Whether a seed of each task has reached the target."""
        if self.tolerance is None:
            return np.zeros(self.shape[0] * self.shape[1], dtype=bool)
        inside = (values - self.lower <= self.tolerance * np.abs(self.lower)) & ~self.diverged
        return np.any(inside.reshape(-1, self.shape[2]), axis=1)

    def polish(self, saved: Saved) -> None:
        """L-BFGS for the members of each task, the best first, until its target is reached."""
        values, parts, seeds = self.logged[-1].copy(), self.crew.parts(), self.shape[2]
        for task in range(len(self.members) // seeds if self.recipe.polish else 0):
            places = task * seeds + np.argsort(
                values[task * seeds : (task + 1) * seeds], kind="stable"
            )
            for place in places[~self.diverged[places]].tolist():
                if self._in_target(values)[task]:
                    break
                if place not in self.polished:
                    self.polished[place] = self._polished(place, parts[place])
                    saved.write_if_due()
                net = self._network(place, parts)
                values[place] = self.members[place].objective.value(net, *self.data)

    def _polished(self, place: int, parts: Parts) -> Float[np.ndarray, " parameters"]:
        member = self.members[place]
        return polish(member, alone(member.architecture, parts), self.X, self.Y, self.recipe.polish)

    def _network(self, place: int, parts: list[Parts]) -> Network:
        architecture = self.members[place].architecture
        flat = self.polished.get(place)
        return network(
            architecture, parts[place] if flat is None else parts_alone(architecture, flat)
        )

    def result(self) -> Ensemble:
        parts = self.crew.parts()
        networks = tuple(self._network(place, parts) for place in range(len(self.members)))
        values = [
            m.objective.value(net, *self.data)
            for m, net in zip(self.members, networks, strict=True)
        ]
        return Ensemble(
            self.members,
            networks,
            self.shape,
            np.array(values),
            self.looked,
            self.logged,
            self.diverged,
            self.lower,
            self.tolerance,
        )

    @property
    def state(self) -> State:
        own = {
            "step": np.array(self.step),
            "looked": self.looked,
            "logged": self.logged,
            "diverged": self.diverged,
        }
        return (
            own
            | {f"polished_{place}": flat for place, flat in self.polished.items()}
            | self.crew.state()
        )

    @state.setter
    def state(self, state: State) -> None:
        self.step, self.looked, self.logged = int(state["step"]), state["looked"], state["logged"]
        self.diverged = state["diverged"]
        self.polished = {
            p: state[f"polished_{p}"] for p in range(len(self.members)) if f"polished_{p}" in state
        }
        self.crew.restore(state, self.diverged)


def _bar(steps: int, done: int, wanted: bool) -> Any:
    if not wanted:
        return _Silent()
    from tqdm.auto import tqdm

    return tqdm(total=steps, initial=done, unit="step")


class _Silent(nullcontext):
    """A progress bar that shows nothing."""

    def __enter__(self) -> "_Silent":
        return self

    def update(self, steps: int) -> None: ...

    def set_postfix(self, **shown: object) -> None: ...
