"""The notebooks that readers download: what MyST alone shows, as Markdown for every viewer."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from repcost import __version__
from repcost_book.kernel.ledger import statements
from repcost_book.kernel.sources import PACKAGES
from repcost_book.pages.bibliography import works
from repcost_book.runner.files import write
from repcost_book.runner.project import Project

INSTALL = (
    "This chapter runs on its own after `pip install {what}`. "
    "The cells that are folded away on the page are open here."
)
# Where the library is there already, and offline, the cell does nothing.
CELL = """from importlib.util import find_spec

if find_spec("repcost_book") is None:
    %pip install --quiet {what}"""
# What only these modules of the library import, at their top.
TORCH = re.compile(r"^(?:import|from) torch\b", re.MULTILINE)
# A fence of three or more, of backticks or colons, with a directive; closed by the same fence.
_DIRECTIVE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[\w:-]+)\}[ ]*(?P<title>[^\n]*)\n"
    r"(?P<body>.*?)^(?P=fence)[ ]*$",
    re.DOTALL | re.MULTILINE,
)
_OPTION = re.compile(r"^:(?P<key>[\w-]+):[ ]*(?P<value>.*)$")
_ROLE = re.compile(r"\{(?P<name>[\w:-]+)\}`(?P<text>[^`]+)`")
_GLUED = "application/papermill.record/text/plain"


def simplify_downloads(folder: Path) -> None:
    """Rewrite every notebook below `folder`; doing it twice changes nothing."""
    for path in folder.rglob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        if "downloaded" not in notebook.metadata.get("repcost", {}):
            write(path, nbformat.writes(simplified(notebook)))


def simplified(notebook: NotebookNode) -> NotebookNode:
    """The notebook with plain Markdown, and a cell that says how to run it."""
    glued = _glued(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain_markdown(cell.source, glued)
    what = what_to_install(notebook)
    made = nbformat.v4.new_code_cell(CELL.format(what=what), id="install-here")
    # Behind the title.
    said = nbformat.v4.new_markdown_cell(INSTALL.format(what=what), id="install")
    notebook.cells[1:1] = [said, made]
    notebook.metadata.setdefault("repcost", {})["downloaded"] = True
    return notebook


def needs_torch(notebook: NotebookNode, files: Iterable[str]) -> bool:
    """Whether a chapter cannot run without PyTorch: it, or a module that it used, imports it."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    own = [PACKAGES / name for name in files if name.endswith(".py")]
    used = [path.read_text(encoding="utf-8") for path in own if path.is_file()]
    return any(TORCH.search(text) for text in [*code, *used])


def what_to_install(notebook: NotebookNode) -> str:
    """What pip is asked for, at the version of the page, with PyTorch where it is used."""
    needs = notebook.metadata.get("repcost", {}).get("needs_torch", True)
    return f'"repcost[{"torch,book" if needs else "book"}]=={__version__}"'


def plain_markdown(text: str, glued: dict[str, str] | None = None) -> str:
    """Directives become quotations with a title, roles their text, glued numbers their value."""
    text = _DIRECTIVE.sub(_quotation, text)
    # Labels, which other viewers would show.
    text = re.sub(r"^\([\w./-]+\)=\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[\]\(#(?P<id>[\w./-]+)\)", lambda found: _number(found["id"]), text)
    return _ROLE.sub(lambda found: _role(found, glued or {}), text)


def _quotation(found: re.Match) -> str:
    # From the inside: a proof may hold a formula.
    body = _DIRECTIVE.sub(_quotation, found["body"])
    options, lines = _options(body.rstrip("\n").split("\n"))
    if found["name"] == "math":
        return "\n".join(["$$", *lines, "$$"])
    title = _title(options.get("label", "")) or found["title"]
    heading = [f"**{title}.**", ""] if title else []
    return "\n".join(f"> {line}".rstrip() for line in [*heading, *lines])


def _options(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """The options that a directive begins with, and the lines that follow."""
    options = {}
    while lines and (option := _OPTION.match(lines[0])):
        options[option["key"]] = option["value"]
        lines = lines[1:]
    return options, lines


def _title(label: str) -> str:
    """What a box of a statement is called; nothing for other boxes."""
    statement = statements().get(label)
    return f"{statement.number}, {statement.source}" if statement else ""


def _role(found: re.Match, glued: dict[str, str]) -> str:
    name, text = str(found["name"]), str(found["text"])
    if name.startswith("glue"):
        key, _, format_spec = text.partition(":")
        value = glued.get(key, text)
        return format(float(value), format_spec) if format_spec else value.strip("'")
    # Without its target: "the lemma <savarese-2019/lemma-1>".
    shown = re.sub(r"\s*<[^>]*>$", "", text)
    if name.startswith("cite"):
        return ", ".join(_work(key.strip(), name) for key in shown.split(","))
    return _number(shown)


def _work(key: str, role: str) -> str:
    """A work by its authors and its year: "Savarese et al. (2019)", in brackets where cited so."""
    said = _works().get(key, key)
    return said if role == "cite:t" else f"({said.replace('(', '').replace(')', '')})"


@cache
def _works() -> dict[str, str]:
    return works(Project.here().root)


def _number(id: str) -> str:
    statement = statements().get(id)
    return f"{statement.number} ({statement.source})" if statement else id


def _glued(notebook: NotebookNode) -> dict[str, str]:
    """The values that the chapter has glued, as text."""
    found = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            data = output.get("data", {})
            found[name] = data.get(_GLUED) or data.get("text/plain", "")
    return {name: value for name, value in found.items() if name}
