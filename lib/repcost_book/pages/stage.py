"""The mirror of the sources that jupyter-book reads: executed chapters in place of their sources,
nothing stale.
"""

from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from repcost_book.kernel.checks import METADATA_KEY
from repcost_book.kernel.figures import caption_in_cell
from repcost_book.kernel.ledger import LedgerError, Settled, statements, unsettled
from repcost_book.pages.api_pages import api_page
from repcost_book.pages.benchmarks import speed_page
from repcost_book.pages.ledger_pages import errata_page, ledger_page
from repcost_book.runner.chapters import Chapter, chapters, code_cells, is_added
from repcost_book.runner.files import write
from repcost_book.runner.paper_runs import paper_runs_page
from repcost_book.runner.project import Project

# What the tags of a chapter's cells mean on the page: how the cell is folded, and what the fold is
# called.
FOLDS = {
    "parameters": ("hide-cell", "Parameters"),
    "injected-parameters": ("hide-cell", "Parameters of this run"),
    "imports": ("hide-cell", "Imports"),
    "figure": ("hide-input", "Code of the figure"),
    "solution": ("hide-cell", "Solution"),
    "glue": ("remove-cell", ""),
}


def stage(project: Project, profile: str) -> None:
    """Make the mirror equal to the sources and the executed chapters; files whose content is the
    same keep their mtime.

    LedgerError if the chapters and the ledger do not agree.
    """
    executed = {
        chapter: _read(project.executed(profile) / f"{chapter.name}.ipynb")
        for chapter in chapters(project)
    }
    marks = [
        mark for chapter, notebook in executed.items() for mark in settled(chapter.name, notebook)
    ]
    if wrong := unsettled(statements(), marks):
        raise LedgerError(
            "The ledger and the chapters do not agree:\n" + "\n".join(f"  {line}" for line in wrong)
        )
    plain = [
        project.root / "_config.yml",
        project.root / "_toc.yml",
        *_plain_files(project, executed),
    ]
    content: dict[Path, str | bytes] = {
        path.relative_to(project.root): path.read_bytes() for path in plain
    }
    for chapter, notebook in executed.items():
        content[Path("book", f"{chapter.name}.ipynb")] = nbformat.writes(
            merge(chapter.notebook(), notebook)
        )
    content[Path("book/start/_ledger.md")] = ledger_page(statements().values(), marks)
    content[Path("book/start/_errata.md")] = errata_page(statements().values())
    content[Path("book/start/_library.md")] = api_page()
    content[Path("book/start/_speed.md")] = speed_page(project.benchmarks)
    content[Path("book/start/_paper_runs.md")] = paper_runs_page(project.paper_runs, executed)
    _mirror(project.stage, content)


def unpublish(project: Project, chapter: Chapter) -> None:
    """Take a chapter that failed out of the mirror and out of the built pages."""
    for path in (
        project.stage / "book" / f"{chapter.name}.ipynb",
        project.html / "book" / f"{chapter.name}.html",
    ):
        path.unlink(missing_ok=True)


def settled(chapter: str, notebook: NotebookNode) -> list[Settled]:
    """The claims that the checks in an executed chapter have settled."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    found = [output.get("metadata", {}).get(METADATA_KEY, {}).get("check") for output in outputs]
    return [Settled(mark["statement"], mark["claim"], chapter) for mark in found if mark]


def merge(source: NotebookNode, executed: NotebookNode) -> NotebookNode:
    """The prose and tags of the source with the outputs of the run; the injected parameters stay.

    The state of widgets is left behind: the page shows their text/html, and needs no widget
    manager.
    """
    done = iter(code_cells(executed))
    injected = [cell for cell in executed.cells if is_added(cell)]
    cells = []
    for cell in source.cells:
        cells.append(cell)
        if cell.cell_type == "code":
            ran = next(done)
            if ran.source != cell.source:
                raise LedgerError(
                    f"the outputs of cell {cell.id} belong to other code; run the chapter again"
                )
            cell.outputs, cell.execution_count = (
                [_without_view(output) for output in ran.outputs],
                ran.execution_count,
            )
            caption_in_cell(cell)
            _fold(cell)
        if "parameters" in cell.metadata.get("tags", []):
            cells.extend(_as_run(extra) for extra in injected)
    source.cells = [*cells, _about_this_run(executed.metadata["repcost"])]
    source.metadata["repcost"] = executed.metadata["repcost"]
    return source


def _as_run(cell: NotebookNode) -> NotebookNode:
    cell.metadata = nbformat.from_dict({"tags": ["injected-parameters"]})
    cell.id = "injected-parameters"
    _fold(cell)
    return cell


def _without_view(output: NotebookNode) -> NotebookNode:
    """Without the view of a live widget where HTML stands beside it: its model is gone with the
    kernel.
    """
    if "text/html" in output.get("data", {}):
        output["data"].pop("application/vnd.jupyter.widget-view+json", None)
    return output


def _fold(cell: NotebookNode) -> None:
    """Put away what a reader seldom wants to see, under a name that says what it is."""
    tags = cell.metadata.get("tags", [])
    for tag, (fold, name) in FOLDS.items():
        if tag in tags:
            cell.metadata["tags"] = [*tags, fold]
            prompts = {"code_prompt_show": name, "code_prompt_hide": name}
            cell.metadata["mystnb"] = {**cell.metadata.get("mystnb", {}), **prompts}


def _about_this_run(about: NotebookNode) -> NotebookNode:
    sizes = "; ".join(
        f"{name}: {quick} (paper profile: {paper})" for name, (quick, paper) in about.sizes.items()
    )
    versions = ", ".join(f"{name} {number}" for name, number in about.versions.items())
    known = {"profile", "seconds", "key", "versions", "sizes"}
    parameters = ", ".join(f"{name} {value}" for name, value in about.items() if name not in known)
    lines = [
        "````{admonition} About this run",
        ":class: repcost-about dropdown",
        f"Profile `{about.profile}`, {parameters}; {about.seconds:g} s; key `{about.key[:12]}`.",
        f"Sizes: {sizes}." if sizes else "The same sizes in every profile.",
        f"Versions: {versions}.",
        "````",
    ]
    return nbformat.v4.new_markdown_cell("\n".join(lines), id="about-this-run")


def _plain_files(project: Project, executed: Iterable[Chapter]) -> list[Path]:
    sources = {chapter.source for chapter in executed}
    return [
        path
        for path in sorted(project.book.rglob("*"))
        if path.is_file() and path not in sources and path.suffix != ".ipynb"
        if not any(part.startswith(".") for part in path.relative_to(project.root).parts)
    ]


def _mirror(folder: Path, content: dict[Path, str | bytes]) -> None:
    for name, data in content.items():
        write(folder / name, data)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(folder) not in content:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)
