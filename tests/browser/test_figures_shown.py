"""Figures as readers meet them: in the dark, on a phone, enlarged."""

import json
import re
import struct
from pathlib import Path

import pytest

from repcost_book.pages.figures import COLOURED_CLASS
from repcost_book.runner.chapters import chapters
from tests.browser.conftest import PROJECT, SITE

CHAPTERS = [chapter.name for chapter in chapters(PROJECT)]
# In pixels of the page: a screen of 390 without the margins of the text, and what can be read.
TEXT, LEAST = 354, 9
# Of all kinds: one panel, two, many, images, filled contours, bars, legends beside the panel.
ON_A_PHONE = [
    "jacot-2022/forces",
    "jacot-2023/autoencoders",
    "jacot-2023/classes",
    "jacot-2023/digits",
    "jacot-2023/figure-1",
    "ongie-willett-2022/tilting",
    "ongie-willett-2022/which-line",
    "savarese-2019/cost",
    "savarese-2019/depth",
    "savarese-2019/fits",
    "start/welcome",
]


def told(chapter: str) -> dict[str, dict]:
    """What the files of the figures of a chapter say, by their names."""
    files = sorted((SITE / "_figures" / chapter).glob("*.json"))
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


def width(png: Path) -> int:
    """In pixels of the file, from its head."""
    return struct.unpack(">I", png.read_bytes()[16:20])[0]


def letters(figure: dict, png: Path) -> float:
    """How tall the smallest letters on its axes are, in pixels of a narrow page."""
    narrow = figure["narrow"]
    return narrow["points"] / 72 * narrow["dpi"] * TEXT / width(png)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_figure_can_be_read_on_a_narrow_screen(chapter):
    for name, figure in told(chapter).items():
        png = SITE / "_figures" / chapter / f"{name}.png"
        assert figure["narrow"]["points"] is None or letters(figure, png) >= LEAST


def test_the_figure_of_a_wide_screen_could_not_be_read():
    """So what is measured above can fail: five panels beside each other."""
    page = (SITE / "book/savarese-2019/cost.html").read_text(encoding="utf-8")
    there = re.search(r'id="fig-five-costs".*?<img [^>]*src="([^"]+)"', page, re.DOTALL)
    assert there
    wide = SITE / "book/savarese-2019" / there[1]
    assert letters(told("savarese-2019/cost")["fig-five-costs"], wide) < LEAST


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_colours_that_are_values_are_marked(chapter):
    page = (SITE / "book" / f"{chapter}.html").read_text(encoding="utf-8")
    for name, figure in told(chapter).items():
        shown = re.search(rf'<figure [^>]*id="{name}".*?<img ([^>]*)>', page, re.DOTALL)
        assert shown and (COLOURED_CLASS in shown[1]) == figure["is_coloured"]


LOOK = """image => {
    const {filter, backgroundColor} = getComputedStyle(image);
    return [filter, backgroundColor];
}"""


def test_the_dark_turns_lines_over_and_no_values(dark_visit):
    page = dark_visit.open("book/ongie-willett-2022/which-line")
    coloured = page.locator("#fig-5 img").evaluate(LOOK)
    assert coloured == ["none", "rgb(253, 253, 251)"]
    lines = page.locator("#fig-7 img").evaluate(LOOK)
    assert "invert" in lines[0] and lines[1] == "rgba(0, 0, 0, 0)"
    page.locator("#fig-5 .repcost-enlarge").click()
    assert page.locator("dialog img").evaluate(LOOK) == coloured


def test_the_dark_gallery_keeps_values_too(dark_visit):
    page = dark_visit.open("book/start/gallery")
    looks = page.locator("main img").evaluate_all(f"all => all.map({LOOK})")
    kept = [filter for filter, _ in looks if filter == "none"]
    assert 0 < len(kept) < len(looks)


SHOWN = """all => all.map(image => [
    image.closest('figure').id, image.currentSrc, image.clientWidth, image.naturalWidth])"""


@pytest.mark.parametrize("chapter", ON_A_PHONE)
def test_a_phone_shows_panels_below_each_other(visit, chapter):
    visit.page.set_viewport_size({"width": 390, "height": 800})
    page = visit.open(f"book/{chapter}")
    figures = told(chapter)
    for image in page.locator("figure img").all():
        image.scroll_into_view_if_needed()
    shown = page.locator("figure img").evaluate_all(SHOWN)
    assert len(shown) == len(figures) > 0
    for name, source, seen, natural in shown:
        narrow = figures[name]["narrow"]
        assert source.endswith(f"_figures/{chapter}/{name}.png") and seen <= TEXT
        assert (
            narrow["points"] is None or narrow["points"] / 72 * narrow["dpi"] * seen / natural >= 9
        )


def test_a_phone_enlarges_to_the_whole_figure(visit):
    visit.page.set_viewport_size({"width": 390, "height": 800})
    page = visit.open("book/ongie-willett-2022/which-line")
    small = page.locator("#fig-5 img")
    small.scroll_into_view_if_needed()
    assert "_figures" in small.evaluate("image => image.currentSrc")
    page.locator("#fig-5 .repcost-enlarge").click()
    large, around = page.locator("dialog img"), page.locator("dialog > div")
    assert "_images" in large.evaluate("image => image.currentSrc")
    assert large.evaluate("image => image.clientWidth") > 1.5 * TEXT
    assert around.evaluate("box => box.scrollWidth > box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.keyboard.press("Escape")
    assert page.locator("dialog").count() == 0
