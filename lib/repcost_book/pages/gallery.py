"""The gallery: each figure of the papers in words, that made here, and the cell that makes it."""

import base64
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode

from repcost_book.kernel.ledger import PAPERS, Statement
from repcost_book.kernel.outputs import FIGURE, METADATA_KEY
from repcost_book.pages.figures import COLOURED_CLASS, FOLDER, NARROW, is_coloured
from repcost_book.runner.chapters import Chapter

LABEL = re.compile(r"^:label: (\S+)$", re.MULTILINE)
# In pixels: a card is at most half as wide, and a screen may have two for one.
WIDE = 720


class Picture(NamedTuple):
    """A figure of the book: its name on its page, its caption, what is seen, and the picture.

    beside: what `kernel.figure` lays beside it.
    """

    chapter: str
    name: str
    caption: str
    alt: str
    png: bytes
    beside: Mapping[str, Any]

    @property
    def file(self) -> str:
        """Names of figures are those of their page alone."""
        return f"{self.chapter.replace('/', '-')}-{self.name}.png"

    @property
    def narrow(self) -> bytes | None:
        """The same for a narrow screen, if there is such a one."""
        found = self.beside.get("narrow", {}).get("png")
        return base64.b64decode(found) if found else None


def pictures(executed: Mapping[Chapter, NotebookNode]) -> dict[str, list[Picture]]:
    """The figures that stand behind the box of each statement, before the next box.

    Those before the first box are found by the name of the chapter.
    """
    found: dict[str, list[Picture]] = {}
    for chapter, notebook in executed.items():
        statement = chapter.name
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                statement = [statement, *LABEL.findall(cell.source)][-1]
            found.setdefault(statement, []).extend(_pictures(chapter.name, cell))
    return found


def _pictures(chapter: str, cell: NotebookNode) -> Iterator[Picture]:
    for output in cell.get("outputs", []):
        about = output.get("metadata", {}).get(METADATA_KEY, {}).get("figure")
        if about and "image/png" in output.get("data", {}):
            png = base64.b64decode(output["data"]["image/png"])
            beside = output["data"].get(FIGURE, {})
            yield Picture(chapter, about["name"], about["caption"], about["alt"], png, beside)


def of(statement: Statement, found: Mapping[str, list[Picture]]) -> list[Picture]:
    """The pictures that show a figure of a paper: behind its box, or called so in the caption."""
    chapter = [each for own in found.values() for each in own if each.chapter == statement.chapter]
    number = statement.number.partition(",")[0]
    named = [each for each in chapter if number in each.caption]
    behind = found.get(statement.id, [])
    return list({each.name: each for each in [*behind, *named]}.values()) or chapter[:1]


def gallery(
    statements: Iterable[Statement], found: Mapping[str, list[Picture]]
) -> tuple[str, dict[Path, bytes]]:
    """The page as Markdown, by papers, and its pictures by their places in the mirror."""
    figures = [each for each in statements if "/figure-" in each.id and each.chapter]
    parts, files = [], {}
    for paper, name in PAPERS.items():
        own = [each for each in figures if each.paper == paper]
        parts += [f"## {name}", *(_card(each, of(each, found)) for each in own)]
        for each in own:
            for picture in of(each, found):
                files[Path("book", "start", "_gallery", picture.file)] = picture.png
                if picture.narrow:
                    files[Path(FOLDER, "gallery", picture.file)] = picture.narrow
    return "\n\n".join(parts) + "\n", {place: _smaller(png) for place, png in files.items()}


def _card(statement: Statement, own: list[Picture]) -> str:
    """What the paper shows, then what is shown here, each under a link to its cell."""
    head = f"### {statement.number}\n\n**In the paper**, in our words: {statement.says}"
    here = [f"**Here**: [](#{statement.id}), with its checks."]
    if not own:
        here = [
            f"**Here** it has no picture of its own: its claims are checked at [](#{statement.id})."
        ]
    return "\n\n".join([head, *here, *map(_shown, own)])


def _shown(picture: Picture) -> str:
    there = f"../{picture.chapter}.html#{picture.name}"
    axes = json.loads(picture.beside.get("data", "[]"))
    look = f"\n:class: {COLOURED_CLASS}" if is_coloured(axes) else ""
    image = f"```{{image}} _gallery/{picture.file}\n:alt: {picture.alt}{look}\n```"
    if picture.narrow:
        narrow = f'srcset="../../{FOLDER}/gallery/{picture.file}"'
        before = _raw(f'<picture><source media="{NARROW}" {narrow}>')
        image = f"{before}\n\n{image}\n\n{_raw('</picture>')}"
    link = f'<a href="{escape(there)}">The figure, its caption and its code</a>'
    link = f'<p class="repcost-from">{link}</p>'
    return f"{image}\n\n{_raw(link)}"


def _raw(html: str) -> str:
    return f"```{{raw}} html\n{html}\n```"


def _smaller(png: bytes) -> bytes:
    """The same picture, no wider than what a card can show."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png))
    if picture.width <= WIDE:
        return png
    size = (WIDE, round(picture.height * WIDE / picture.width))
    made = io.BytesIO()
    # As few colours as a drawing has.
    small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    small.quantize(64).save(made, format="png", optimize=True)
    return made.getvalue()
