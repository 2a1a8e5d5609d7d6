"""Reference notebooks: the quick run as text, which nbval runs again and compares."""

import nbformat
from nbformat import NotebookNode

from repcost_book.kernel.checks import METADATA_KEY
from repcost_book.runner.chapters import Chapter, chapters, is_added
from repcost_book.runner.files import write
from repcost_book.runner.project import Project

# What is compared: the line of a check, which is the same on every machine. Pictures and values are
# not.
COMPARED = "nbval-check-output"


def make_references(project: Project) -> list[str]:
    """Write one reference per chapter from the executed quick profile, and remove those of chapters
    that are gone.
    """
    wanted = {
        project.references / f"{chapter.name}.ipynb": chapter for chapter in chapters(project)
    }
    changed = [
        chapter.name
        for path, chapter in wanted.items()
        if write(path, _reference_text(project, chapter))
    ]
    for path in project.references.rglob("*.ipynb"):
        if path not in wanted:
            path.unlink()
            changed.append(f"{path.stem} (removed)")
    return changed


def reference(executed: NotebookNode) -> NotebookNode:
    """The code cells only, with the text of their checks; ids and counts that stay the same from
    run to run.
    """
    cells = [_reference_cell(cell) for cell in executed.cells if cell.cell_type == "code"]
    for number, cell in enumerate(cells, start=1):
        cell.execution_count = number
        cell.id = "injected-parameters" if is_added(cell) else cell.id
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _reference_text(project: Project, chapter: Chapter) -> str:
    executed = nbformat.read(project.executed("quick") / f"{chapter.name}.ipynb", as_version=4)
    return nbformat.writes(reference(executed)) + "\n"


def _reference_cell(cell: NotebookNode) -> NotebookNode:
    marks = [
        output
        for output in cell.outputs
        if "check" in output.get("metadata", {}).get(METADATA_KEY, {})
    ]
    tags = [
        tag for tag in cell.metadata.get("tags", []) if tag in ("parameters", "injected-parameters")
    ]
    outputs = (
        [_line_of_check(output) for output in marks] if len(marks) == len(cell.outputs) else []
    )
    metadata = {"tags": tags + [COMPARED] * bool(outputs)}
    return nbformat.v4.new_code_cell(cell.source, id=cell.id, metadata=metadata, outputs=outputs)


def _line_of_check(output: NotebookNode) -> NotebookNode:
    check = {key: output.metadata[METADATA_KEY]["check"][key] for key in ("statement", "claim")}
    return nbformat.v4.new_output(
        "display_data", dict(output.data), metadata={METADATA_KEY: {"check": check}}
    )
