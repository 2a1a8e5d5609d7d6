"""Training: many networks at once, to a target, with a log, and in spite of interruptions."""

from collections.abc import Sequence
from pathlib import Path

from repcost.arrays import ArrayLike
from repcost.devices import Device, computing, timed
from repcost.scalars import flag, nonnegative_number
from repcost.training.architectures import Architecture
from repcost.training.checkpoints import CheckpointFile, checked_path
from repcost.training.ensembles import Ensemble
from repcost.training.objectives import Objective
from repcost.training.plans import TrainingPlan
from repcost.training.recipes import Recipe


def train(
    architecture: Architecture | Sequence[Architecture],
    data: tuple[ArrayLike, ArrayLike],
    objective: Objective | Sequence[Objective],
    recipe: Recipe,
    seeds: Sequence[int],
    *,
    target: tuple[float | Sequence[float], float] | None = None,
    device: str | Device = "cpu",
    progress: bool = False,
    checkpoint: str | Path | None = None,
    save_every: float = 60.0,
) -> Ensemble:
    """Train a network for every architecture, objective and seed, all together; needs torch.

    The objective is that of the paper it is named after. Architectures may differ in their hidden
    widths, objectives in their strengths. A seed starts from the same weights in every company;
    sums in another company may be rounded otherwise.

    data: points (n, d), or (n,) in one variable, and values (n, m), (n,), or labels.
    target: (lower bound, relative gap): training stops when one seed of each task (architecture
        and objective) is that near to the bound; one bound, or one per objective.
    device: where the steps are done: "cpu", what torch has, such as "cuda", or "auto" for a GPU
        where there is one and a step is worth it. Polishing stays on the processor.
    checkpoint: an npz file, written every `save_every` seconds and at the end; the same call starts
        again from it and ends with the same bits, on the same kind of device only.

    Threads are torch's and yours to choose. Networks this small want one (OMP_NUM_THREADS=1 before
    Python starts): on a busy machine, two threads that wait for each other can take a hundred times
    longer.

    >>> x, y = [-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]
    >>> architecture, objective = Architecture.two_layer(10), Objective.savarese_2019(0.1)
    >>> trained = train(architecture, (x, y), objective, Recipe(steps=300, polish=100), range(4))
    >>> bool(trained.objectives.min() < 1.001 * objective.regularised_fit(x, y).objective.upper)
    True
    """
    # Here, as it loads torch, which nothing but training needs.
    from repcost.training.training_run import TrainingRun

    plan = TrainingPlan.of(architecture, data, objective, recipe, seeds, target, device)
    path, progress = checked_path(checkpoint), flag(progress, "progress")
    save_every = nonnegative_number(save_every, "save_every")
    file = CheckpointFile(path, plan.fingerprint, plan.card, save_every)
    saved = file.read()
    with (
        timed(device, "train", plan.device, plan.flops, recipe.dtype) as steps,
        computing(plan.device, "train", plan.smaller),
    ):
        run = TrainingRun(plan, saved)
        begun = run.log.step
        # Between two pieces of work a run can be saved, and only there.
        for _ in run.descend(progress):
            if file.is_due:
                file.write(run.state())
        steps.append(run.log.step - begun)
    for _ in run.polish():
        if file.is_due:
            file.write(run.state())
    file.write(run.state())
    return run.result()
