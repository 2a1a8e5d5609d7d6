"""References: of the quick profile notebooks, which nbval runs again, of the paper profile lines.

A quick reference has the code of its chapter with the lines of its checks. Those of the paper
profile, which nobody runs twice, are the lines alone, and are compared with the executed notebook.
"""

from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from repcost_book.kernel.outputs import METADATA_KEY
from repcost_book.runner.chapters import Chapter, chapters, is_added, tags
from repcost_book.runner.comparisons import (
    Difference,
    check_lines,
    check_of,
    differences,
    outputs_of,
)
from repcost_book.runner.files import write
from repcost_book.runner.project import Project
from repcost_book.runner.store import executed_for_the_book

# What is compared: the line of a check, which is the same on every machine. Pictures and values
# are not.
COMPARED = "nbval-check-output"
KEPT_TAGS = ("parameters", "injected-parameters")
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


@dataclass(frozen=True)
class Compared:
    """What came of comparing the executed paper profile with its references, by chapters.

    not_executed: those of which there is no current notebook that the book would record.
    """

    differences: list[Difference]
    compared: list[str]
    without_reference: list[str]
    not_executed: list[str]


def make_references(project: Project) -> list[str]:
    """Write a reference per chapter from the executed quick profile; the names of what changed."""
    wanted = {project.references / f"{each.name}.ipynb": each for each in chapters(project)}
    changed = [
        chapter.name
        for path, chapter in wanted.items()
        if write(path, _reference_text(project, chapter))
    ]
    return changed + [_removed(path) for path in _gone(project.references, set(wanted), ".ipynb")]


def make_paper_references(project: Project) -> list[str]:
    """Write the lines of all chapters executed in the paper profile; the names of what changed."""
    wanted = {paper_reference(project, each.name): each for each in chapters(project)}
    changed = []
    for path, chapter in wanted.items():
        executed = executed_for_the_book(project, chapter, "paper")
        if executed and write(path, _lines_text(executed)):
            changed.append(chapter.name)
    return changed + [
        _removed(path) for path in _gone(project.paper_references, set(wanted), ".txt")
    ]


def compare_paper(project: Project, only: list[str]) -> Compared:
    """The executed paper profile, as far as it is there, against the references that there are."""
    came = Compared([], [], [], [])
    for chapter in chapters(project, only):
        executed = executed_for_the_book(project, chapter, "paper")
        path = paper_reference(project, chapter.name)
        if executed is None:
            came.not_executed.append(chapter.name)
        if not path.is_file():
            came.without_reference.append(chapter.name)
        if executed and path.is_file():
            came.compared.append(chapter.name)
            old, new = path.read_text(encoding="utf-8"), check_lines(outputs_of(executed))
            came.differences.extend(differences(chapter.name, old.splitlines(), new))
    return came


def paper_reference(project: Project, name: str) -> Path:
    """Where the lines of a chapter are kept."""
    return project.paper_references / f"{name}.txt"


def reference(executed: NotebookNode) -> NotebookNode:
    """The code cells only, with the text of their checks."""
    cells = [_reference_cell(cell) for cell in executed.cells if cell.cell_type == "code"]
    # Ids and counts stay the same from run to run.
    for number, cell in enumerate(cells, start=1):
        cell.execution_count = number
        cell.id = "injected-parameters" if is_added(cell) else cell.id
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def _gone(references: Path, wanted: set[Path], ending: str) -> list[Path]:
    return [path for path in references.rglob(f"*{ending}") if path not in wanted]


def _removed(path: Path) -> str:
    path.unlink()
    return f"{path.stem} (removed)"


def _lines_text(executed: NotebookNode) -> str:
    return "".join(f"{line}\n" for line in check_lines(outputs_of(executed)))


def _reference_text(project: Project, chapter: Chapter) -> str:
    executed = nbformat.read(project.executed("quick") / f"{chapter.name}.ipynb", as_version=4)
    return nbformat.writes(reference(executed)) + "\n"


def _reference_cell(cell: NotebookNode) -> NotebookNode:
    marks = [output for output in cell.outputs if check_of(output)]
    # A cell that shows anything else beside its checks is run, and not compared.
    only_checks = len(marks) == len(cell.outputs)
    compared = [_line_of_check(output) for output in marks] if only_checks else []
    kept = [tag for tag in tags(cell) if tag in KEPT_TAGS]
    metadata = {"tags": kept + [COMPARED] * bool(compared)}
    return nbformat.v4.new_code_cell(cell.source, id=cell.id, metadata=metadata, outputs=compared)


def _line_of_check(output: NotebookNode) -> NotebookNode:
    # What was measured is left out: it differs from machine to machine.
    mark = {key: check_of(output)[key] for key in ("statement", "claim")}
    metadata = {METADATA_KEY: {"check": mark}}
    return nbformat.v4.new_output("display_data", dict(output.data), metadata=metadata)
