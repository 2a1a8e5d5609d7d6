"""One run of a plan: its steps, its polishing, and what it hands out."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from repcost.progress import bar
from repcost.training.crew import Crew
from repcost.training.ensembles import Ensemble
from repcost.training.layouts import arrays_alone, flat_alone
from repcost.training.members import MemberArrays, network_of
from repcost.training.objectives import Network
from repcost.training.plans import TrainingPlan
from repcost.training.polishing import polished
from repcost.training.states import Log, Polished, RunState


class TrainingRun:
    """How far the members of a plan are, and what trains them.

    `descend` and `polish` do their work piece by piece; after each piece the run may be saved.
    """

    def __init__(self, plan: TrainingPlan, saved: RunState | None = None):
        self.plan, self.crew = plan, Crew.of(plan)
        self.log = Log.empty(len(plan.members)) if saved is None else saved.log
        self.polished: Polished = {} if saved is None else dict(saved.polished)
        if saved is not None:
            self.crew.restore(saved.engines, self.log)

    def state(self) -> RunState:
        return RunState(self.log, dict(self.polished), self.crew.state())

    def descend(self, progress: bool) -> Iterator[None]:
        """The recipe's steps, or as many as the target needs; a piece ends with a look."""
        recipe, step = self.plan.recipe, self.log.step
        options = {"what": "training", "total": recipe.steps, "done": step, "unit": "step"}
        with bar(wanted=progress, **options) as shown:
            # A run that was saved has looked already.
            if not len(self.log.looked):
                self._look(step)
            while step < recipe.steps and not self._done(self.log.last).all():
                start, step = step, min(step + recipe.log_every, recipe.steps)
                self.crew.advance(start, step)
                self._look(step)
                shown.set_postfix_str(f"objective={self.log.last.min():.6g}", refresh=False)
                shown.update(step - start)
                yield
            # The bar redraws itself a few times a second; short runs would end before they show.
            shown.refresh()

    def _look(self, step: int) -> None:
        self.log = self.log.with_look(step, self.crew.look())

    def _done(self, values: Float[np.ndarray, " members"]) -> np.ndarray:
        return self.plan.done(values, self.log.diverged)

    def polish(self) -> Iterator[None]:
        """L-BFGS for the members of each task, the best first, until its target is reached."""
        values, arrays, seeds = self.log.last.copy(), self.crew.arrays(), self.plan.shape[2]
        for task in range(len(values) // seeds if self.plan.recipe.polish else 0):
            own = slice(task * seeds, (task + 1) * seeds)
            # Stable, so that among equals the first seed comes first.
            places = own.start + np.argsort(values[own], kind="stable")
            for place in places[~self.log.diverged[places]].tolist():
                if self._done(values)[task]:
                    break
                if place not in self.polished:
                    self.polished[place] = self._polished(place, arrays[place])
                    yield
                # Only weights are saved, so the value is computed here in any case.
                values[place] = self.plan.value(place, self._network(place, arrays))

    def _polished(self, place: int, arrays: MemberArrays) -> Float[np.ndarray, " parameters"]:
        member, plan = self.plan.members[place], self.plan
        start = flat_alone(member.architecture, arrays)
        return polished(member, start, plan.X, plan.Y, plan.recipe.polish)

    def _network(self, place: int, arrays: list[MemberArrays]) -> Network:
        architecture, flat = self.plan.members[place].architecture, self.polished.get(place)
        last = arrays[place] if flat is None else arrays_alone(architecture, flat)
        return network_of(architecture, last)

    def result(self) -> Ensemble:
        plan, arrays = self.plan, self.crew.arrays()
        networks = tuple(self._network(place, arrays) for place in range(len(plan.members)))
        values = [plan.value(place, net) for place, net in enumerate(networks)]
        return Ensemble(
            plan.members,
            networks,
            plan.shape,
            objectives=np.array(values),
            looked=self.log.looked,
            logged=self.log.logged,
            diverged=self.log.diverged,
            lower=plan.lower,
            tolerance=plan.tolerance,
        )
