"""A figure and its files: the picture, the same as SVG, its numbers and its code."""

import base64
import json
import re
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from sphinx.testing.util import SphinxTestApp

from repcost_book.kernel import figures
from repcost_book.kernel.drawn import drawn
from repcost_book.kernel.outputs import FIGURE, METADATA_KEY
from repcost_book.pages.figures import figure_files, is_coloured
from repcost_book.pages.merge import _as_shown, caption_in_cell

DRAW = """import matplotlib.pyplot as plt
from repcost_book import figure
fig, ax = plt.subplots()
ax.plot([1, 2], [3, 1 / 3], label="cost")
figure(fig, "fig-cost", caption="A *line*.", alt="It falls to 1/3.")"""


@pytest.fixture
def told(monkeypatch) -> list:
    """What figures show, as in a cell."""
    shown = []
    monkeypatch.setattr(figures, "in_a_cell", lambda: True)
    monkeypatch.setattr(figures, "show", lambda *what: shown.append(what))
    return shown


def test_the_same_figure_has_the_same_bytes_and_the_numbers_beside_them(told):
    plt.close("all")
    exec(DRAW + "\n" + DRAW)
    (data, mark), (again, _) = told
    assert data == again and not plt.get_fignums()
    assert data["image/png"].startswith(b"\x89PNG") and "</svg>" in data[FIGURE]["svg"]
    assert json.loads(data[FIGURE]["data"])[0]["shown"][0]["y"] == [3, 1 / 3]
    assert mark["figure"]["name"] == "fig-cost"


@pytest.fixture
def executed(told):
    """A chapter with one figure, as it was run."""
    exec(DRAW)
    ((data, mark),) = told
    data["image/png"] = base64.b64encode(data["image/png"]).decode()
    output = nbformat.v4.new_output("display_data", data, metadata={METADATA_KEY: mark})
    glued = nbformat.v4.new_code_cell("glue('n', 1)", metadata={"tags": ["glue"]})
    cells = [
        nbformat.v4.new_markdown_cell("# Chapter"),
        nbformat.v4.new_code_cell("first = 1"),
        glued,
        nbformat.v4.new_code_cell(DRAW, outputs=[output]),
        nbformat.v4.new_code_cell("last = 1"),
    ]
    about = {"repcost": {"needs_torch": False}}
    return nbformat.v4.new_notebook(cells=cells, metadata=about)


def test_its_files_are_the_picture_the_numbers_and_a_script_up_to_it(executed):
    files = figure_files("paper/lines", executed)
    place = Path("_figures/paper/lines/fig-cost")
    assert sorted(files) == [place.with_suffix(end) for end in (".json", ".png", ".py", ".svg")]
    data = json.loads(files[place.with_suffix(".json")])
    assert data["axes"][0]["shown"][0]["label"] == "cost" and data["alt"] == "It falls to 1/3."
    assert data["narrow"] == {"panels_below_each_other": False, "points": 10.0, "dpi": 200}
    assert files[place.with_suffix(".png")].startswith(b"\x89PNG")
    code = files[place.with_suffix(".py")].decode()
    assert re.search(r'pip install "repcost\[book\]==\S+"\n', code)
    assert code.index("first = 1") < code.index("plt.subplots") and code.count("# %%") == 2
    assert "glue" not in code and "last = 1" not in code


def test_that_script_runs_and_writes_the_picture(executed, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(figures, "in_a_cell", lambda: False)
    monkeypatch.chdir(tmp_path)
    exec(figure_files("paper/lines", executed)[Path("_figures/paper/lines/fig-cost.py")], {})
    assert capsys.readouterr().out == "fig-cost.png: It falls to 1/3.\n"
    assert (tmp_path / "fig-cost.png").read_bytes().startswith(b"\x89PNG")


def test_a_page_carries_the_picture_alone(executed):
    (output,) = executed.cells[3].outputs
    assert set(_as_shown(output).data) == {"image/png", "text/plain"}
    assert FIGURE in output.data


@pytest.fixture
def built(executed, tmp_path) -> Path:
    """The page, as Sphinx makes it of a mirror."""
    for place, content in figure_files("lines", executed).items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(content)
    for cell in executed.cells:
        caption_in_cell(cell)
        if cell.cell_type == "code":
            cell.outputs = [_as_shown(output) for output in cell.outputs]
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "lines.ipynb").write_text(nbformat.writes(executed), encoding="utf-8")
    extensions = ["myst_nb", "repcost_book.pages.figures"]
    settings = {"extensions": extensions, "root_doc": "book/lines", "nb_execution_mode": "off"}
    (tmp_path / "conf.py").write_text("", encoding="utf-8")
    app = SphinxTestApp("html", srcdir=tmp_path, confoverrides=settings)
    app.build()
    app.cleanup()
    return Path(app.outdir)


def test_its_page_leads_to_each_of_them_and_they_are_there(built):
    page = (built / "book" / "lines.html").read_text(encoding="utf-8")
    caption = page.partition("<figcaption>")[2].partition("</figcaption>")[0]
    links = dict(re.findall(r'href="([^"#]+)" download="([^"]+)"', caption))
    endings = [".png", ".svg", ".json", ".py"]
    assert [*links.values()] == [f"fig-cost{ending}" for ending in endings]
    assert all((built / "book" / link).is_file() for link in links)
    assert '"fig-cost"' in (built / "_figures" / "lines" / "fig-cost.json").read_text("utf-8")
    narrow = '<picture><source media="(max-width: 600px)" srcset="../_figures/lines/fig-cost.png">'
    assert re.search(rf"{re.escape(narrow)}\s*<img [^>]*/>\s*</picture>", page)
    assert "repcost-coloured" not in page and "repcost-below" not in page


def test_a_notebook_of_before_has_no_picture_for_narrow_screens(executed):
    del executed.cells[3].outputs[0]["data"][FIGURE]["narrow"]
    files = figure_files("lines", executed)
    assert Path("_figures/lines/fig-cost.png") not in files and len(files) == 3


SHADES = np.arange(6.0).reshape(2, 3)
COLOURED = {
    "an image": lambda ax: ax.imshow(SHADES),
    "a mesh": lambda ax: ax.pcolormesh(SHADES),
    "filled contours": lambda ax: ax.contourf(SHADES),
    "dots with values": lambda ax: ax.scatter([1, 2], [3, 4], c=[5, 6]),
}
PLAIN = {
    "lines": lambda ax: ax.plot([1, 2], [3, 4], color="C1"),
    "a band": lambda ax: ax.fill_between([1, 2], [3, 4], color="C2"),
    "bars": lambda ax: ax.bar([1, 2], [3, 4]),
    "dots": lambda ax: ax.scatter([1, 2], [3, 4], color="C3"),
    "contours": lambda ax: ax.contour(SHADES, colors="black"),
}


@pytest.mark.parametrize("kind", [*COLOURED, *PLAIN])
def test_scales_of_colours_are_known_from_what_is_drawn(kind):
    fig, axes = plt.subplots(1, 2)
    {**COLOURED, **PLAIN}[kind](axes[1])
    assert is_coloured(drawn(fig)) == (kind in COLOURED)
    plt.close(fig)
