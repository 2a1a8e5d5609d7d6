"""The gallery: figures of the papers, and what is made of them here."""

import base64
import io
from pathlib import Path
from typing import NamedTuple

import nbformat
from PIL import Image

from repcost_book.kernel.ledger import Statement
from repcost_book.kernel.outputs import FIGURE as BESIDE
from repcost_book.kernel.outputs import METADATA_KEY
from repcost_book.pages.gallery import WIDE, gallery, of, pictures


class Chapter(NamedTuple):
    name: str


FIGURE = Statement("savarese-2019/figure-1", "Figure 1", "A line.", "holds", "savarese-2019/lines")
OTHER = Statement("savarese-2019/lemma-1", "Lemma 1", "A sum.", "holds", "savarese-2019/lines")


def png(wide: int) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (wide, wide // 2), "white").save(made, "png")
    return made.getvalue()


def drawn(name: str, caption: str, wide: int = 40, narrow: int = 0):
    about = {METADATA_KEY: {"figure": {"name": name, "caption": caption, "alt": f"{name} seen"}}}
    data: dict = {"image/png": base64.b64encode(png(wide)).decode()}
    if narrow:
        data[BESIDE] = {"narrow": {"png": base64.b64encode(png(narrow)).decode()}, "data": "[]"}
    output = nbformat.v4.new_output("display_data", data, metadata=about)
    return nbformat.v4.new_code_cell("", outputs=[output])


def box(id: str):
    return nbformat.v4.new_markdown_cell(f"```{{prf:remark}} A box\n:label: {id}\n```")


def found(*cells):
    chapter = Chapter("savarese-2019/lines")
    return pictures({chapter: nbformat.v4.new_notebook(cells=list(cells))})  # pyright: ignore


def test_a_figure_belongs_to_the_box_that_it_stands_behind():
    own = found(box(OTHER.id), drawn("a", "A."), box(FIGURE.id), drawn("b", "B."))
    assert [each.name for each in of(FIGURE, own)] == ["b"]


def test_a_caption_may_name_it_and_else_the_chapter_shows_its_first():
    named = found(drawn("a", "A."), drawn("b", "Figure 1 of the paper."), box(FIGURE.id))
    assert [each.name for each in of(FIGURE, named)] == ["b"]
    alone = found(drawn("a", "A."), drawn("b", "B."), box(FIGURE.id))
    assert [each.name for each in of(FIGURE, alone)] == ["a"]


def test_the_page_has_figures_alone_with_pictures_as_wide_as_needed():
    page, files = gallery([FIGURE, OTHER], found(box(FIGURE.id), drawn("b", "B.", 2 * WIDE)))
    assert "### Figure 1" in page and "Lemma 1" not in page
    assert "../savarese-2019/lines.html#b" in page and ":alt: b seen" in page
    (place,) = files
    assert place == Path("book/start/_gallery/savarese-2019-lines-b.png")
    assert Image.open(io.BytesIO(files[place])).size == (WIDE, WIDE // 2)


def test_on_a_narrow_screen_too_it_is_no_wider_than_needed():
    shown = drawn("b", "B.", narrow=2 * WIDE)
    page, files = gallery([FIGURE], found(box(FIGURE.id), shown))
    place = "_figures/gallery/savarese-2019-lines-b.png"
    assert f'srcset="../../{place}"' in page
    assert Image.open(io.BytesIO(files[Path(place)])).size[0] == WIDE


def test_a_figure_that_is_checked_and_not_drawn_says_so():
    page, files = gallery([FIGURE], found(box(FIGURE.id)))
    assert "it has no picture of its own" in page and files == {}
