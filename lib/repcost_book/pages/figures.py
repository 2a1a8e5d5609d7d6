"""What a page has of a figure beside the picture: files to take away, and one for narrow screens.

They are files under `_figures/`, by chapter and name. The line that leads to PNG, SVG, numbers and
code stands below the caption; none of these is loaded with a page.
"""

import base64
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

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


# What tells values by colours; `kernel.drawn` has these names. Turned over they would be wrong.
COLOURED = {"image", "mesh", "bands between levels"}
COLOURED_CLASS = "repcost-coloured"
# Up to here a screen shows the panels of a figure below each other, as in book/_static/look.
NARROW = "(max-width: 600px)"
BELOW = "On this screen its panels stand below each other; what is called left comes first."


def is_coloured(axes: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a figure, by its numbers, has a scale of colours or an image."""
    entries = [entry for each in axes for entry in each.get("shown", [])]
    return any(entry["kind"] in COLOURED or "values" in entry for entry in entries)


def figure_files(chapter: str, executed: NotebookNode) -> dict[Path, bytes]:
    """SVG, numbers and code of each figure of a chapter, and it on a narrow screen, by their places
    in the mirror.
    """
    files = {}
    for cell, about, found in _figures(executed):
        place = Path(FOLDER, chapter, about["name"])
        told = {"figure": about["name"], "chapter": chapter, "version": __version__}
        axes = json.loads(found["data"])
        told |= {"is_coloured": is_coloured(axes)}
        # Notebooks of before have none.
        narrow = dict(found.get("narrow", {}))
        picture = narrow.pop("png", "")
        told |= {"narrow": narrow}
        told |= {"licence": LICENCE, "caption": about["caption"], "alt": about["alt"]}
        data = json.dumps({**told, "axes": axes}, allow_nan=False, ensure_ascii=False)
        files[place.with_suffix(".svg")] = found["svg"].encode()
        files[place.with_suffix(".json")] = f"{data}\n".encode()
        files[place.with_suffix(".py")] = _code(chapter, about["name"], executed, cell).encode()
        if picture:
            files[place.with_suffix(".png")] = base64.b64decode(picture)
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


class Beside(SphinxPostTransform):
    """A line with the files of a figure below its caption, and the picture for narrow screens."""

    # When what an output shows is chosen.
    default_priority = 199
    formats = ("html",)

    def run(self, **kwargs) -> None:
        chapter = self.env.docname.removeprefix("book/")
        for figure in self.document.findall(nodes.figure):
            for name in figure["names"]:
                place = Path(FOLDER, chapter, name)
                numbers = Path(self.env.srcdir, place).with_suffix(".json")
                image = next(figure.findall(nodes.image), None)
                if image and numbers.is_file():
                    told = json.loads(numbers.read_text(encoding="utf-8"))
                    image["classes"] += [COLOURED_CLASS] * told["is_coloured"]
                    figure += _raw(self._line(name, place, image))
                    below = told["narrow"].get("panels_below_each_other", False)
                    self._narrow(figure, image, place, below)

    def _line(self, name: str, place: Path, image: nodes.image) -> str:
        files = {"PNG": f"_images/{self.env.images[image['uri']][1]}"}
        ends = {"SVG": "svg", "numbers (JSON)": "json", "code (Python)": "py"}
        files |= {what: f"{place.as_posix()}.{end}" for what, end in ends.items()}
        links = [
            f'<a href="{self._there(file)}" download="{name}{Path(file).suffix}">{what}</a>'
            for what, file in files.items()
        ]
        return f'<p class="repcost-saves">Save this figure: {", ".join(links)}</p>'

    def _narrow(self, figure: nodes.figure, image: nodes.image, place: Path, below: bool) -> None:
        file = place.with_suffix(".png")
        if not Path(self.env.srcdir, file).is_file():
            return
        source = f'<source media="{NARROW}" srcset="{self._there(file.as_posix())}">'
        around, at = image.parent, image.parent.index(image)
        around[at : at + 1] = [_raw(f"<picture>{source}"), image, _raw("</picture>")]
        if below:
            figure += _raw(f'<p class="repcost-below">{BELOW}</p>')

    def _there(self, file: str) -> str:
        return relative_uri(self.app.builder.get_target_uri(self.env.docname), file)


def _raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


def _finished(app: Sphinx, error: Exception | None) -> None:
    """Lay the files beside the pages; those of figures that are gone go."""
    staged, laid = Path(app.srcdir, FOLDER), Path(app.outdir, FOLDER)
    if error is None:
        shutil.rmtree(laid, ignore_errors=True)
    if error is None and staged.is_dir():
        shutil.copytree(staged, laid)


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.add_post_transform(Beside)
    app.connect("build-finished", _finished)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
