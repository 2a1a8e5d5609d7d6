"""The chapters: MyST sources under book/, in the order of the contents, with stable cell ids."""

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jupytext
import yaml
from nbformat import NotebookNode

from repcost_book.runner.project import Project

# Cells that papermill and the runner add to those of the source.
ADDED = {"injected-parameters", "recording"}


@dataclass(frozen=True)
class Chapter:
    """One executed page; `name` is its path under book/ without the ending."""

    name: str
    source: Path

    @cached_property
    def text(self) -> str:
        """The source, as it was when somebody first asked.

        Who edits a chapter while it runs would otherwise find the old outputs beside new code.
        """
        return self.source.read_text(encoding="utf-8")

    def notebook(self) -> NotebookNode:
        """The source as a notebook."""
        notebook = jupytext.reads(self.text, fmt="md:myst")
        # Ids count cells, because jupytext draws others at each conversion.
        for number, cell in enumerate(notebook.cells):
            cell["id"] = f"c{number:03d}"
        return notebook

    def front_matter(self) -> dict[str, Any]:
        """What stands between the two lines at the head of the source."""
        return yaml.safe_load(self.text.split("---", 2)[1])

    def parameters(self) -> set[str]:
        """The names that its parameters cell sets."""
        for cell in self.notebook().cells:
            if "parameters" in tags(cell):
                return _assigned(cell.source)
        return set()


def tags(cell: NotebookNode) -> list[str]:
    """The tags of a cell."""
    return cell.metadata.get("tags", [])


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells that came from the source."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and not is_added(cell)]


def is_added(cell: NotebookNode) -> bool:
    """Whether papermill or the runner added this cell."""
    return bool(ADDED & set(tags(cell)))


def pages(project: Project) -> list[str]:
    """Every page of the table of contents, by its path from the top without the ending."""
    return listed(project.contents.read_text(encoding="utf-8"))


def listed(contents: str) -> list[str]:
    """The pages that a table of contents lists, in its order."""
    return _files(yaml.safe_load(contents))


def chapters(project: Project, only: list[str] | None = None) -> list[Chapter]:
    """The pages whose front matter names a kernel, or those of them called `only`."""
    sources = {name.removeprefix("book/"): project.root / f"{name}.md" for name in pages(project)}
    found = [Chapter(name, path) for name, path in sources.items() if _names_a_kernel(path)]
    known = {chapter.name: chapter for chapter in found}
    # As a shell completes them, too: book/savarese-2019/cost.md.
    wanted = [name.removeprefix("book/").removesuffix(".md") for name in only or ()]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"No chapter {', '.join(unknown)}; the chapters are: {', '.join(known)}")
    return [known[name] for name in wanted] or found


def _files(entry: Any) -> list[str]:
    """The files below an entry of the contents, which may be a part, a chapter or a section."""
    if isinstance(entry, list):
        return [name for item in entry for name in _files(item)]
    if not isinstance(entry, dict):
        return []
    own = [entry[key] for key in ("root", "file") if key in entry]
    below = [_files(entry.get(key)) for key in ("parts", "chapters", "sections")]
    return own + [name for names in below for name in names]


def _names_a_kernel(path: Path) -> bool:
    if not path.is_file():
        return False
    front_matter = path.read_text(encoding="utf-8").split("---", 2)
    return len(front_matter) == 3 and "kernelspec:" in front_matter[1]


def _assigned(code: str) -> set[str]:
    """The names that stand on the left of an assignment at the top of this code."""
    assignments = [node for node in ast.parse(code).body if isinstance(node, ast.Assign)]
    targets = [target for node in assignments for target in node.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}
