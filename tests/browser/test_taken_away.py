"""What readers take away of a chapter: its notebook and its figures."""

import json
import re
import xml.etree.ElementTree as ET

import nbformat
import pytest

from repcost_book.runner.chapters import chapters
from tests.browser.conftest import PROJECT, SITE

CHAPTERS = [f"book/{chapter.name}" for chapter in chapters(PROJECT)]


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_download_is_plain_markdown(name):
    notebook = nbformat.read(SITE / "_sources" / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert (
        "```{" not in prose
        and "{glue" not in prose
        and "{cite" not in prose
        and ":label:" not in prose
    )
    assert "pip install" in prose


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_figure_can_be_taken_away(name):
    """As a picture in two kinds, as numbers and as code, all with the figure's name."""
    text = (SITE / f"{name}.html").read_text(encoding="utf-8")
    for figure in re.findall(r'<figure [^>]*id="(fig-[^"]+)".*?</figure>', text, re.DOTALL):
        place = SITE / "_figures" / name.removeprefix("book/") / figure
        assert text.count(f'download="{figure}.') == 4
        assert ET.fromstring(place.with_suffix(".svg").read_text("utf-8")).tag.endswith("}svg")
        compile(place.with_suffix(".py").read_text(encoding="utf-8"), figure, "exec")
        told = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))
        assert told["figure"] == figure
        assert any(axes.get("shown") for axes in told["axes"])
