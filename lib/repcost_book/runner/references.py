"""Reference notebooks: the quick run as text, which nbval runs again and compares."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from repcost_book.kernel.outputs import METADATA_KEY
from repcost_book.runner.chapters import Chapter, chapters, is_added, tags
from repcost_book.runner.files import write
from repcost_book.runner.project import Project

# What is compared: the line of a check, which is the same on every machine. Pictures and values
# are not.
COMPARED = "nbval-check-output"
KEPT_TAGS = ("parameters", "injected-parameters")
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def make_references(project: Project) -> list[str]:
    """Write a reference per chapter from the executed quick profile; the names of what changed."""
    wanted = {project.references / f"{each.name}.ipynb": each for each in chapters(project)}
    changed = [
        chapter.name
        for path, chapter in wanted.items()
        if write(path, _reference_text(project, chapter))
    ]
    return changed + [_removed(path) for path in _gone(project.references, set(wanted))]


def reference(executed: NotebookNode) -> NotebookNode:
    """The code cells only, with the text of their checks."""
    cells = [_reference_cell(cell) for cell in executed.cells if cell.cell_type == "code"]
    # Ids and counts stay the same from run to run.
    for number, cell in enumerate(cells, start=1):
        cell.execution_count = number
        cell.id = "injected-parameters" if is_added(cell) else cell.id
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def _gone(references: Path, wanted: set[Path]) -> list[Path]:
    return [path for path in references.rglob("*.ipynb") if path not in wanted]


def _removed(path: Path) -> str:
    path.unlink()
    return f"{path.stem} (removed)"


def _reference_text(project: Project, chapter: Chapter) -> str:
    executed = nbformat.read(project.executed("quick") / f"{chapter.name}.ipynb", as_version=4)
    return nbformat.writes(reference(executed)) + "\n"


def _reference_cell(cell: NotebookNode) -> NotebookNode:
    marks = [output for output in cell.outputs if _check(output)]
    # A cell that shows anything else beside its checks is run, and not compared.
    only_checks = len(marks) == len(cell.outputs)
    compared = [_line_of_check(output) for output in marks] if only_checks else []
    kept = [tag for tag in tags(cell) if tag in KEPT_TAGS]
    metadata = {"tags": kept + [COMPARED] * bool(compared)}
    return nbformat.v4.new_code_cell(cell.source, id=cell.id, metadata=metadata, outputs=compared)


def _line_of_check(output: NotebookNode) -> NotebookNode:
    # What was measured is left out: it differs from machine to machine.
    mark = {key: _check(output)[key] for key in ("statement", "claim")}
    metadata = {METADATA_KEY: {"check": mark}}
    return nbformat.v4.new_output("display_data", dict(output.data), metadata=metadata)


def _check(output: NotebookNode) -> dict:
    return output.get("metadata", {}).get(METADATA_KEY, {}).get("check", {})
