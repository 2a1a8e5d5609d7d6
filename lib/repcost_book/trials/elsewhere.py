"""The same result elsewhere: chapters with other seeds, other kernels of BLAS, more threads.

Each trial is a run of a chapter in a process of its own, in which every check notes what it
measured and none of them stops it. What came of it is kept under `_build/elsewhere` as soon as it
is there. A second start goes on: it runs again only what did not come to its end, and what has
changed since.
"""

import json
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import cast

import nbformat
from joblib import Parallel, delayed
from tqdm import tqdm

from repcost_book.runner.environment import patience, repeatable
from repcost_book.runner.execute import Limits, Outcome, execute
from repcost_book.runner.files import write
from repcost_book.runner.keys import Record, key
from repcost_book.runner.processes import only_run
from repcost_book.runner.project import Project
from repcost_book.runner.records import take_record
from repcost_book.runner.runs import LIMITS
from repcost_book.runner.warm_kernels import warm_kernels
from repcost_book.trials.noting import Note, note, notes, with_noting
from repcost_book.trials.settings import Trial


@dataclass(frozen=True)
class Came:
    """What came of a trial: what its checks noted, and why it did not come to its end, if so."""

    trial: Trial
    notes: Sequence[Note]
    failure: str | None
    seconds: float


@dataclass(frozen=True)
class Elsewhere:
    """Trials of a checkout, and what is kept of them."""

    project: Project

    @property
    def folder(self) -> Path:
        return self.project.build / "elsewhere"

    def run(self, trials: Sequence[Trial], jobs: int) -> Generator[Came, None, None]:
        """What came of each; of what is kept and current, what is kept."""
        kept = {trial.name: self._kept(trial) for trial in trials}
        yield from filter(None, kept.values())
        todo = [trial for trial in trials if kept[trial.name] is None]
        with only_run(self.folder / "running") as pids, _bar(len(todo)) as bar:
            for trial, outcome in _outcomes(todo, jobs, self.project.root, pids):
                bar.update()
                yield self._keep(trial, outcome)

    def _keep(self, trial: Trial, outcome: Outcome) -> Came:
        """Write down what came of it."""
        executed = outcome.notebook and nbformat.reads(outcome.notebook, as_version=4)
        noted = notes(executed) if executed else []
        came = Came(trial, noted, outcome.failure, round(outcome.seconds, 1))
        text = {"notes": noted, "failure": came.failure, "seconds": came.seconds}
        if executed and not came.failure:
            files = take_record(executed)["files"]
            # The notebook itself is not kept.
            text["record"] = asdict(Record(self._key(trial, files), "", files))
        write(self._path(trial), json.dumps(text, indent=1))
        return came

    def _kept(self, trial: Trial) -> Came | None:
        """What is kept of a trial that came to its end, unless something has changed since."""
        try:
            text = json.loads(self._path(trial).read_text(encoding="utf-8"))
            record = Record(**text["record"])
            noted = [note(*each) for each in text["notes"]]
            seconds = text["seconds"]
        # Nothing is kept, or only a part of it, or by another version of this programme.
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if not record.is_current(trial.chapter, _all_of(trial), self.project):
            return None
        return Came(trial, noted, None, seconds)

    def _key(self, trial: Trial, files: dict[str, str]) -> str:
        return key(trial.chapter, _all_of(trial), self.project, files)

    def _path(self, trial: Trial) -> Path:
        return self.folder / f"{trial.name}.json"


def _all_of(trial: Trial) -> dict:
    """What a trial is told, by its parameters and by its environment."""
    return {**trial.parameters, **trial.setting.environment}


def _outcomes(
    trials: Sequence[Trial], jobs: int, root: Path, pids: Path
) -> Iterator[tuple[Trial, Outcome]]:
    """Each trial with its outcome, as soon as it has one."""
    usual = sum(not trial.setting.environment for trial in trials)
    with warm_kernels(repeatable()) if usual > jobs else nullcontext({}) as warm:

        def one(trial: Trial) -> tuple[Trial, Outcome]:
            source = nbformat.writes(with_noting(trial.chapter.notebook()))
            pid_file = pids / f"{trial.name.replace('/', '-')}.pid"
            run = partial(execute, source, trial.parameters, _limits(jobs), root=str(root))
            # What a setting changes is read by packages when they are imported.
            return trial, run(pid_file=pid_file, setting=trial.setting.environment or warm)

        # Threads are enough: each trial is a process of its own.
        side_by_side = Parallel(jobs, backend="threading", return_as="generator_unordered")
        outcomes = side_by_side(delayed(one)(trial) for trial in trials)
        yield from cast(Iterator[tuple[Trial, Outcome]], outcomes)


def _limits(jobs: int) -> Limits:
    usual = LIMITS["quick"]
    return Limits(round(patience(usual.cell, jobs)), round(patience(usual.chapter, jobs)))


def _bar(total: int) -> tqdm:
    """How far it is, and how long it will take; a log has a line now and then."""
    pause = 0.1 if sys.stderr.isatty() else 30.0
    return tqdm(total=total, unit="trial", mininterval=pause, smoothing=0)
