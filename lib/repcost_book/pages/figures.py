"""What a reader takes away of a figure: PNG, SVG, numbers, code; none is loaded with a page.

They are files beside the pages, under `_figures/`, by chapter and name. The line that leads to them
stands below the caption.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.osutil import relative_uri

from repcost import __version__
from repcost_book.kernel.outputs import FIGURE, METADATA_KEY
from repcost_book.pages.downloads import what_to_install
from repcost_book.runner.chapters import tags
from repcost_book.runner.project import REPOSITORY

FOLDER = "_figures"
LICENCE = "CC BY 4.0, the repcost authors"
HEAD = """\
# Figure {name} of the chapter {chapter} ({repository}, version {version}).
# This is the code of the chapter up to the figure, which its last cell draws. Run alone it prints
# what the checks before the figure say, and writes {name}.png here. It needs:
# pip install {what}
"""


def figure_files(chapter: str, executed: NotebookNode) -> dict[Path, str]:
    """SVG, numbers and code of each figure of a chapter, by their places in the mirror."""
    files = {}
    for cell, about, found in _figures(executed):
        place = Path(FOLDER, chapter, about["name"])
        told = {"figure": about["name"], "chapter": chapter, "version": __version__}
        told |= {"licence": LICENCE, "caption": about["caption"], "alt": about["alt"]}
        data = json.dumps({**told, "axes": found["data"]}, allow_nan=False, ensure_ascii=False)
        files[place.with_suffix(".svg")] = found["svg"]
        files[place.with_suffix(".json")] = data + "\n"
        files[place.with_suffix(".py")] = _code(chapter, about["name"], executed, cell)
    return files


def _figures(executed: NotebookNode) -> Iterator[tuple[NotebookNode, NotebookNode, NotebookNode]]:
    """The cell of each figure, what it says of it, and what it has beside the picture."""
    for cell in executed.cells:
        for output in cell.get("outputs", []):
            about = output.get("metadata", {}).get(METADATA_KEY, {}).get("figure")
            if about and FIGURE in output.get("data", {}):
                yield cell, about, output["data"][FIGURE]


def _code(chapter: str, name: str, executed: NotebookNode, last: NotebookNode) -> str:
    """A script of the cells up to this one; those for the prose alone need a notebook."""
    before = executed.cells[: executed.cells.index(last) + 1]
    code = [each for each in before if each.cell_type == "code" and "glue" not in tags(each)]
    what = what_to_install(executed)
    told = {"name": name, "chapter": chapter, "what": what, "repository": REPOSITORY}
    head = HEAD.format(**told, version=__version__).rstrip()
    return "\n\n".join([head, *(f"# %%\n{each.source}" for each in code)]) + "\n"


class Saves(SphinxPostTransform):
    """A line with the files of a figure, below its caption."""

    # When what an output shows is chosen.
    default_priority = 199
    formats = ("html",)

    def run(self, **kwargs) -> None:
        page = self.env.docname
        for figure in self.document.findall(nodes.figure):
            for name in figure["names"]:
                place = Path(FOLDER, page.removeprefix("book/"), name)
                image = next(figure.findall(nodes.image), None)
                if image and Path(self.env.srcdir, place).with_suffix(".svg").is_file():
                    files = {"PNG": f"_images/{self.env.images[image['uri']][1]}"}
                    ends = {"SVG": "svg", "numbers (JSON)": "json", "code (Python)": "py"}
                    files |= {what: f"{place.as_posix()}.{end}" for what, end in ends.items()}
                    figure += nodes.raw("", self._line(page, name, files), format="html")

    def _line(self, page: str, name: str, files: dict[str, str]) -> str:
        here = self.app.builder.get_target_uri(page)
        links = [
            f'<a href="{relative_uri(here, file)}" download="{name}{Path(file).suffix}">{what}</a>'
            for what, file in files.items()
        ]
        return f'<p class="repcost-saves">Save this figure: {", ".join(links)}</p>'


def _finished(app: Sphinx, error: Exception | None) -> None:
    """Lay the files beside the pages; those of figures that are gone go."""
    staged, laid = Path(app.srcdir, FOLDER), Path(app.outdir, FOLDER)
    if error is None:
        shutil.rmtree(laid, ignore_errors=True)
    if error is None and staged.is_dir():
        shutil.copytree(staged, laid)


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.add_post_transform(Saves)
    app.connect("build-finished", _finished)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
