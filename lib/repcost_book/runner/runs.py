"""Running chapters: which ones, where, side by side, and what became of each."""

import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import nbformat
from tqdm import tqdm

from repcost.devices import AUTO
from repcost_book.kernel.placing import device_of
from repcost_book.runner.chapters import Chapter, chapters
from repcost_book.runner.execute import Limits, Outcome, execute
from repcost_book.runner.places import here
from repcost_book.runner.processes import only_run
from repcost_book.runner.project import Project
from repcost_book.runner.store import Kept

# Of the quick profile generous, for slow machines; of the paper profile for what hangs.
LIMITS = {"quick": Limits(cell=120, chapter=300), "paper": Limits(cell=6 * 3600, chapter=24 * 3600)}


@dataclass(frozen=True)
class Request:
    """What to run and how: the options of the command line."""

    profile: str = "quick"
    only: list[str] = field(default_factory=list)
    parameters: dict = field(default_factory=dict)
    jobs: int = os.cpu_count() or 1
    force: bool = False
    limits: Limits | None = None
    scheduler: str | None = None


@dataclass(frozen=True)
class Ran:
    """What became of a chapter: state is ran, cached or FAILED."""

    chapter: Chapter
    state: str
    seconds: float
    notebook: Path
    failure: str | None = None


def run(project: Project, request: Request, pids: Path | None = None) -> list[Ran]:
    """Execute the chapters that are not current; a failure is in the results and not raised.

    pids: the folder of `only_run`, if the caller has it already.
    """
    wanted = chapters(project, request.only)
    parameters = {"profile": request.profile, **request.parameters}
    _refuse_unknown_parameters(wanted, parameters)
    # Workers elsewhere may have what is not here; the kernel there refuses what they lack.
    if not request.scheduler:
        _refuse_missing_device(parameters)
    kept = {chapter: Kept(project, chapter, parameters) for chapter in wanted}
    stale = [chapter for chapter in wanted if request.force or not kept[chapter].is_current()]
    ran = {chapter: Ran(chapter, "cached", 0.0, kept[chapter].notebook) for chapter in wanted}
    # Without this question a run that has nothing to do would still be refused beside another.
    if stale:
        with nullcontext(pids) if pids else only_run(project.running) as folder:
            for chapter, outcome in _outcomes(project, request, parameters, stale, folder):
                kept[chapter].keep(outcome)
                ran[chapter] = _ran(chapter, outcome, kept[chapter].notebook)
    return list(ran.values())


def summary(results: list[Ran]) -> str:
    """A table of what became of each chapter, and for each failure its last lines and its place.

    What a failed chapter had computed for `results/` lies in `_build/results`.
    """
    lines = [f"  {ran.chapter.name:<44} {ran.state:<7} {ran.seconds:6.1f} s" for ran in results]
    for ran in results:
        if ran.failure:
            lines += ["", f"{ran.chapter.name} failed:"]
            lines += [f"    {line}" for line in ran.failure.splitlines()]
            if ran.notebook.is_file():
                lines.append(f"  the notebook as far as it came: {os.path.relpath(ran.notebook)}")
    return "\n".join(lines)


def _ran(chapter: Chapter, outcome: Outcome, notebook: Path) -> Ran:
    state = "FAILED" if outcome.failure else "ran"
    return Ran(chapter, state, outcome.seconds, notebook, outcome.failure)


def _outcomes(
    project: Project, request: Request, parameters: dict, stale: list[Chapter], pids: Path
) -> Iterator[tuple[Chapter, Outcome]]:
    """Each chapter with its outcome, as soon as it has one."""
    limits = request.limits or LIMITS[request.profile]
    work = {
        chapter: partial(execute, nbformat.writes(chapter.notebook()), parameters, limits)
        for chapter in stale
    }
    # On a terminal a bar; in a log, which keeps whatever is written, a line for each chapter.
    with tqdm(total=len(work), unit="chapter", disable=None) as bar:
        if request.scheduler:
            # Only now: it needs the packages of the extra [cluster].
            from repcost_book.runner.cluster import elsewhere

            outcomes = elsewhere(work, request.scheduler, request.profile, bar)
        else:
            # What takes hours gains nothing, and starts as its reader would start it.
            is_warm = request.profile == "quick" and len(work) > request.jobs
            outcomes = here(work, request.jobs, project, pids, bar, is_warm)
        for done, (chapter, outcome) in enumerate(outcomes, 1):
            bar.update()
            if bar.disable:
                print(f"{done} of {len(work)}: {chapter.name}", file=sys.stderr, flush=True)
            yield chapter, outcome


def _refuse_missing_device(parameters: dict) -> None:
    """Before anything runs: not after an hour, in the first cell that needs it."""
    try:
        device_of(parameters["profile"], parameters.get("device", AUTO))
    except ValueError as error:
        raise SystemExit(f"-p device={parameters['device']}: {error}") from None


def _refuse_unknown_parameters(wanted: list[Chapter], parameters: dict) -> None:
    # papermill would only warn, and run with the default.
    for chapter in wanted:
        known = chapter.parameters()
        unknown = ", ".join(sorted(set(parameters) - known))
        if unknown:
            have = ", ".join(sorted(known)) or "none: it has no cell tagged parameters"
            said = f"{chapter.name} has no parameter {unknown}"
            raise SystemExit(f"{said}; its parameters are: {have}")
