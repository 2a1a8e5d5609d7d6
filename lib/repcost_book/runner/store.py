"""What is kept of a chapter that was run, and whether it is still current."""

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from repcost_book.kernel.sources import digest
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.commits import commit
from repcost_book.runner.execute import Outcome
from repcost_book.runner.files import write
from repcost_book.runner.keys import Record, key
from repcost_book.runner.paper_runs import note
from repcost_book.runner.project import Project
from repcost_book.runner.records import take_record
from repcost_book.runner.results import keep, take_results

# With any other parameter set, a run is an experiment of the reader's, and not what the book
# records.
OF_THE_BOOK = {"profile", "device"}


@dataclass(frozen=True)
class Kept:
    """The executed notebook of a chapter run with these parameters, and the record beside it."""

    project: Project
    chapter: Chapter
    parameters: dict

    @property
    def notebook(self) -> Path:
        folder = self.project.executed(self.parameters["profile"])
        return folder / f"{self.chapter.name}.ipynb"

    @property
    def record(self) -> Path:
        return self.notebook.with_suffix(".json")

    def is_current(self) -> bool:
        """Whether running the chapter again would start from all the same.

        What is damaged is not, and the reader is told.
        """
        if not (self.notebook.is_file() and self.record.is_file()):
            return False
        try:
            record = Record.read(self.record)
        except ValueError:
            return self._damaged(self.record)
        if record.notebook != digest(self.notebook):
            return self._damaged(self.notebook)
        return record.is_current(self.chapter, self.parameters, self.project)

    def keep(self, outcome: Outcome) -> None:
        """Keep the executed notebook; its record only if it is good."""
        # First of all, and last written: whatever stops this half way, the chapter runs again.
        self.record.unlink(missing_ok=True)
        if outcome.notebook is None:
            self.notebook.unlink(missing_ok=True)
            return
        notebook = nbformat.reads(outcome.notebook, as_version=4)
        results = take_results(notebook)
        if outcome.failure is not None:
            write(self.notebook, nbformat.writes(notebook))
            # Not among the results of the book; but what took hours is not thrown away.
            keep(results, self.project.build)
            return
        found = take_record(notebook)
        if set(self.parameters) <= OF_THE_BOOK:
            self._keep_findings(results, outcome.seconds, found)
        self._keep_good(notebook, found, outcome.seconds, results)

    def _damaged(self, path: Path) -> bool:
        said = f"{os.path.relpath(path)} is not as it was written"
        print(f"{said}; {self.chapter.name} runs again.", flush=True)
        return False

    def _keep_findings(self, results: dict[str, bytes], seconds: float, found: dict) -> None:
        keep(results, self.project.root)
        if self.parameters["profile"] == "paper":
            note(self.project.paper_runs, self.chapter.name, seconds, found)

    def _keep_good(
        self, notebook: NotebookNode, found: dict, seconds: float, results: dict[str, bytes]
    ) -> None:
        files = found["files"]
        made_from = key(self.chapter, self.parameters, self.project, files)
        notebook.metadata["repcost"] = {
            **found["settings"],
            **self.parameters,
            "seconds": round(seconds, 1),
            "key": made_from,
            "versions": found["versions"],
            "machine": found["machine"],
            "cpu_seconds": found["cpu_seconds"],
            "work": found["work"],
            "sizes": found["sizes"],
            # What it was asked for, and what else must be taken along with it from machine to
            # machine.
            "parameters": dict(self.parameters),
            "commit": commit(self.project.root),
            "results": {name: sha256(content).hexdigest() for name, content in results.items()},
        }
        text = nbformat.writes(notebook).encode()
        write(self.notebook, text)
        write(self.record, Record(made_from, sha256(text).hexdigest(), files).text())


def executed_for_the_book(project: Project, chapter: Chapter, profile: str) -> NotebookNode | None:
    """The executed notebook of a chapter, if it is current and no experiment of the reader's."""
    path = project.executed(profile) / f"{chapter.name}.ipynb"
    try:
        notebook = nbformat.read(path, as_version=4)
    # None, or half of one.
    except (OSError, ValueError):
        return None
    parameters = dict(notebook.metadata.get("repcost", {}).get("parameters", {}))
    if not parameters or not set(parameters) <= OF_THE_BOOK:
        return None
    return notebook if Kept(project, chapter, parameters).is_current() else None
