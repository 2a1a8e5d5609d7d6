"""Running chapters: which ones, where, side by side, and what became of each."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import nbformat
from tqdm import tqdm

from repcost_book.kernel.results import keep, take_results
from repcost_book.runner.chapters import Chapter, chapters
from repcost_book.runner.execute import Limits, Outcome, execute, take_record
from repcost_book.runner.files import write
from repcost_book.runner.keys import Record, key
from repcost_book.runner.paper_runs import note
from repcost_book.runner.places import elsewhere, here
from repcost_book.runner.processes import only_run
from repcost_book.runner.project import Project

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


def run(project: Project, request: Request) -> list[Ran]:
    """Execute the chapters that are not current; the failures are in the results, nothing is raised
    for them.
    """
    wanted = chapters(project, request.only)
    parameters = {"profile": request.profile, **request.parameters}
    _refuse_unknown_parameters(wanted, parameters)
    stale = [
        chapter
        for chapter in wanted
        if request.force or not _is_current(project, chapter, parameters)
    ]
    paths = {chapter.name: _notebook(project, request.profile, chapter) for chapter in wanted}
    results = [
        Ran(chapter, "cached", 0.0, paths[chapter.name])
        for chapter in wanted
        if chapter not in stale
    ]
    if stale:
        with only_run(project.build / "running") as pids:
            for chapter, outcome in _outcomes(project, request, parameters, stale, pids):
                failure = _store(project, chapter, parameters, outcome, paths[chapter.name])
                state = "FAILED" if failure else "ran"
                results.append(Ran(chapter, state, outcome.seconds, paths[chapter.name], failure))
    order = [chapter.name for chapter in wanted]
    return sorted(results, key=lambda ran: order.index(ran.chapter.name))


def summary(results: list[Ran]) -> str:
    """A table of what ran, what was cached, what failed, and for each failure its last lines and
    where to look.
    """
    lines = [f"  {ran.chapter.name:<44} {ran.state:<7} {ran.seconds:6.1f} s" for ran in results]
    for ran in results:
        if ran.failure:
            lines += [
                "",
                f"{ran.chapter.name} failed:",
                *(f"    {line}" for line in ran.failure.splitlines()),
            ]
            if ran.notebook.is_file():
                lines.append(f"  the notebook as far as it came: {os.path.relpath(ran.notebook)}")
    return "\n".join(lines)


def _outcomes(
    project: Project, request: Request, parameters: dict, stale: list[Chapter], pids: Path
) -> Iterator[tuple[Chapter, Outcome]]:
    limits = request.limits or LIMITS[request.profile]
    work = {
        chapter: partial(execute, nbformat.writes(chapter.notebook()), parameters, limits)
        for chapter in stale
    }
    with tqdm(total=len(work), unit="chapter") as bar:
        if request.scheduler:
            outcomes = elsewhere(work, request.scheduler, bar)
        else:
            outcomes = here(work, request.jobs, str(project.root), pids, bar)
        for chapter, outcome in outcomes:
            bar.update()
            yield chapter, outcome


def _store(
    project: Project, chapter: Chapter, parameters: dict, outcome: Outcome, path: Path
) -> str | None:
    """Keep the executed notebook; with its record only if it is good, so that a failed chapter runs
    again.
    """
    record_path = path.with_suffix(".json")
    record_path.unlink(missing_ok=True)
    if outcome.notebook is None:
        path.unlink(missing_ok=True)
        return outcome.failure
    notebook = nbformat.reads(outcome.notebook, as_version=4)
    results = take_results(notebook)
    if outcome.failure is None:
        found = take_record(notebook)
        record = Record(key(chapter, parameters, project, found["files"]), found["files"])
        notebook.metadata["repcost"] = {
            **found["settings"],
            **parameters,
            "seconds": round(outcome.seconds, 1),
            "key": record.key,
            "versions": found["versions"],
            "sizes": found["sizes"],
        }
        # With another seed it is an experiment of the reader's, and not what the book records.
        if set(parameters) <= {"profile", "device"}:
            keep(results, project.root)
            if parameters["profile"] == "paper":
                note(project.paper_runs, chapter.name, outcome.seconds, found["versions"])
        write(path, nbformat.writes(notebook))
        write(record_path, record.text())
    else:
        write(path, nbformat.writes(notebook))
    return outcome.failure


def _is_current(project: Project, chapter: Chapter, parameters: dict) -> bool:
    path = _notebook(project, parameters["profile"], chapter)
    if not (path.is_file() and path.with_suffix(".json").is_file()):
        return False
    return Record(**json.loads(path.with_suffix(".json").read_text())).is_current(
        chapter, parameters, project
    )


def _notebook(project: Project, profile: str, chapter: Chapter) -> Path:
    return project.executed(profile) / f"{chapter.name}.ipynb"


def _refuse_unknown_parameters(wanted: list[Chapter], parameters: dict) -> None:
    """papermill would only warn, and run with the default."""
    for chapter in wanted:
        known = chapter.parameters()
        unknown = sorted(set(parameters) - known)
        if unknown:
            have = ", ".join(sorted(known)) or "none: it has no cell tagged parameters"
            raise SystemExit(
                f"{chapter.name} has no parameter {', '.join(unknown)}; its parameters are: {have}"
            )
