"""The chapters: MyST sources under book/, in the order of the table of contents, as notebooks with
stable cell ids.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

import jupytext
import yaml
from nbformat import NotebookNode

from repcost_book.runner.project import Project


@dataclass(frozen=True)
class Chapter:
    """One executed page; `name` is its path under book/ without the ending."""

    name: str
    source: Path

    def notebook(self) -> NotebookNode:
        """The source as a notebook; ids count cells, because jupytext's own are random at each
        conversion.
        """
        notebook = jupytext.read(self.source)
        for number, cell in enumerate(notebook.cells):
            cell["id"] = f"c{number:03d}"
        return notebook

    def parameters(self) -> set[str]:
        """The names that its parameters cell sets."""
        for cell in self.notebook().cells:
            if "parameters" in cell.metadata.get("tags", []):
                assigned = [
                    node for node in ast.parse(cell.source).body if isinstance(node, ast.Assign)
                ]
                return {
                    name.id
                    for node in assigned
                    for name in node.targets
                    if isinstance(name, ast.Name)
                }
        return set()


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells that came from the source: not the ones that papermill and the runner add."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and not is_added(cell)]


def is_added(cell: NotebookNode) -> bool:
    return bool({"injected-parameters", "recording"} & set(cell.metadata.get("tags", [])))


def pages(project: Project) -> list[str]:
    """Every page of the table of contents, by its path from the top without the ending."""
    return _files(yaml.safe_load((project.root / "_toc.yml").read_text(encoding="utf-8")))


def chapters(project: Project, only: list[str] | None = None) -> list[Chapter]:
    """The pages that are executed (their front matter names a kernel), or those of them called
    `only`.
    """
    sources = {name.removeprefix("book/"): project.root / f"{name}.md" for name in pages(project)}
    found = [
        Chapter(name, path)
        for name, path in sources.items()
        if path.is_file() and _names_a_kernel(path)
    ]
    known = {chapter.name: chapter for chapter in found}
    wanted = [name.removeprefix("book/").removesuffix(".md") for name in only or ()]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"No chapter {', '.join(unknown)}; the chapters are: {', '.join(known)}")
    return [known[name] for name in wanted] or found


def _files(entry) -> list[str]:
    if isinstance(entry, list):
        return [name for item in entry for name in _files(item)]
    if not isinstance(entry, dict):
        return []
    own = [entry[key] for key in ("root", "file") if key in entry]
    return own + [
        name for key in ("parts", "chapters", "sections") for name in _files(entry.get(key))
    ]


def _names_a_kernel(path: Path) -> bool:
    front_matter = path.read_text(encoding="utf-8").split("---", 2)
    return len(front_matter) == 3 and "kernelspec:" in front_matter[1]
