"""What jobs on other machines made at the papers' own sizes, taken over into this checkout.

An artifact is what the workflow keeps of one job: `_build/executed/paper` with the notebook and its
record, and `results`. All are read and checked before anything is written, and all is written
together: one bad artifact, and this checkout stays as it was.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import nbformat

from repcost_book.kernel.sources import digest
from repcost_book.runner.chapters import Chapter, chapters
from repcost_book.runner.commits import commit, is_commit
from repcost_book.runner.files import write_together
from repcost_book.runner.keys import Record, key
from repcost_book.runner.paper_runs import noted, told
from repcost_book.runner.processes import only_run
from repcost_book.runner.project import Project
from repcost_book.runner.store import OF_THE_BOOK, executed_for_the_book


@dataclass(frozen=True)
class Made:
    """What one artifact has of one chapter."""

    path: Path
    chapter: Chapter
    commit: str
    notebook: bytes
    record: bytes
    results: dict[str, bytes]
    took: dict[str, Any]


def collect(project: Project, folders: Iterable[Path]) -> list[str]:
    """Take over all that these artifacts hold; the names of the chapters.

    SystemExit, and nothing is changed, if one is damaged, or if not all are of this commit.
    """
    with only_run(project.build / "running"):
        known = {each.name: each for each in chapters(project)}
        made = [each for folder in _artifacts(folders) for each in _read(folder, known)]
        _refuse_twice(made)
        _refuse_other_commits(project, made)
        for each in made:
            _refuse_other_code(project, each)
        write_together(_contents(project, made))
    return sorted(each.chapter.name for each in made)


def missing(project: Project) -> list[str]:
    """The chapters of which there is no current notebook of the paper profile."""
    return [
        each.name
        for each in chapters(project)
        if executed_for_the_book(project, each, "paper") is None
    ]


def _artifacts(folders: Iterable[Path]) -> Iterator[Path]:
    """These folders, or, where one is none by itself, all folders in it."""
    for folder in folders:
        below = sorted(path for path in folder.glob("*") if path.is_dir())
        if _executed(folder).is_dir():
            yield folder
        elif not below:
            raise _bad(folder, "is no artifact of a job, and holds none")
        else:
            yield from below


def _read(folder: Path, known: dict[str, Chapter]) -> Iterator[Made]:
    """What an artifact holds, chapter by chapter."""
    executed = _executed(folder)
    notebooks = sorted(executed.rglob("*.ipynb"))
    if not notebooks:
        raise _bad(folder, "has no executed notebook in _build/executed/paper")
    for path in notebooks:
        name = path.relative_to(executed).with_suffix("").as_posix()
        if name not in known:
            raise _bad(path, "is of no chapter of this checkout")
        try:
            yield _made(folder, known[name], path)
        # What is not there, is no JSON, or lacks an entry.
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            why = f"{type(error).__name__}: {error}"
            raise _bad(path, f"or a file that belongs to it is damaged ({why})") from None


def _made(folder: Path, chapter: Chapter, path: Path) -> Made:
    about = nbformat.read(path, as_version=4).metadata.get("repcost")
    if about is None:
        raise _bad(path, "was not executed to its end")
    if about["profile"] != "paper" or not set(about["parameters"]) <= OF_THE_BOOK:
        raise _bad(path, "is no run of the paper profile as the book records it")
    beside = path.with_suffix(".json")
    record = Record.read(beside)
    if record.key != about["key"] or record.notebook != digest(path):
        raise _bad(path, "does not belong to the record beside it")
    results = {name: _result(folder, name, told) for name, told in about["results"].items()}
    took = json.loads((folder / "results" / "paper-runs.json").read_bytes())[chapter.name]
    commit = about["commit"]
    return Made(path, chapter, commit, path.read_bytes(), beside.read_bytes(), results, took)


def _result(folder: Path, name: str, told: str) -> bytes:
    path = folder / "results" / f"{name}.npz"
    content = path.read_bytes()
    if sha256(content).hexdigest() != told:
        raise _bad(path, "is not the file that its chapter computed")
    return content


def _refuse_twice(made: list[Made]) -> None:
    first: dict[str, Path] = {}
    for each in made:
        before = first.setdefault(each.chapter.name, each.path)
        if before != each.path:
            raise _bad(each.path, f"is there twice, as {before} too; name one of the two")


def _refuse_other_commits(project: Project, made: list[Made]) -> None:
    for each in made:
        if not is_commit(each.commit):
            told = each.commit or "sources that are in no commit"
            raise _bad(each.path, f"was made from {told}; run the chapter from a commit")
    first = made[0]
    for each in made:
        if each.commit != first.commit:
            told = f"is of commit {each.commit}, and {first.path} of {first.commit}"
            raise _bad(each.path, f"{told}; collect those of one commit")
    here = commit(project.root)
    if here != first.commit:
        told = f"is of commit {first.commit}, and this checkout at {here or 'none'}"
        raise _bad(first.path, f"{told}; git checkout {first.commit}, without changes")


def _refuse_other_code(project: Project, made: Made) -> None:
    """The key says it: the code, the claims, the pins and the files that were used."""
    about = nbformat.reads(made.notebook.decode(), as_version=4).metadata["repcost"]
    files = Record(**json.loads(made.record)).files
    if about["key"] != key(made.chapter, dict(about["parameters"]), project, files):
        raise _bad(made.path, "was not run with the chapter as it is in this checkout")


def _contents(project: Project, made: list[Made]) -> dict[Path, str | bytes]:
    """All files that are written, and what they hold then."""
    took = {each.chapter.name: each.took for each in made}
    contents: dict[Path, str | bytes] = {
        project.paper_runs: told({**noted(project.paper_runs), **took})
    }
    for each in made:
        for name, content in each.results.items():
            contents[project.root / "results" / f"{name}.npz"] = content
        notebook = project.executed("paper") / f"{each.chapter.name}.ipynb"
        contents[notebook] = each.notebook
        contents[notebook.with_suffix(".json")] = each.record
    return contents


def _executed(folder: Path) -> Path:
    # Where it lies in the checkout of the job.
    return Project(folder).executed("paper")


def _bad(path: Path, why: str) -> SystemExit:
    return SystemExit(f"Nothing was collected: {path} {why}.")
