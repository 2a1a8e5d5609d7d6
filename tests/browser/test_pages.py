"""Every page as a reader meets it: from a file, without a network, in light, dark, narrow and on
paper.
"""

import json
import os
import re
import statistics
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from repcost_book.runner.chapters import chapters, pages
from tests.browser.colours import faint
from tests.browser.conftest import PROJECT, SITE, Visit, again, visitor
from tests.browser.seen import (
    BEYOND,
    FAULTS,
    UNSIGNED,
    Seen,
    broken_links,
    in_the_dark,
    in_windows,
    on_a_phone,
    seen,
    violations,
)

PAGES = pages(PROJECT)
CHAPTERS = [f"book/{chapter.name}" for chapter in chapters(PROJECT)]
# With everything that it loads: a page of text, and one with a drawing to move or many pictures.
BUDGET, BUDGET_OF_PICTURES, MANY = 600_000, 1_000_000, 400_000


@pytest.fixture(scope="session")
def reader(browser) -> Iterator[Visit]:
    """One window for all pages, one after the other; each has to answer for its own problems."""
    with visitor(browser, "light") as visit:
        yield visit


@pytest.fixture(scope="module")
def visits() -> dict[str, Seen]:
    """The visits so far, by page."""
    return {}


@pytest.fixture(scope="module", params=PAGES)
def page(request, reader, visits) -> Seen:
    """What a visit to a page has collected."""
    visits[request.param] = seen(reader, request.param)
    return visits[request.param]


def test_it_opens_complete_and_leads_somewhere(page):
    raw = [sign for sign in ("\\(", "\\[", "$$") if sign in page.text]
    assert raw == [], "a formula was not set"
    assert {fault: count for fault, count in page.faults.items() if count} == {}
    assert page.broken_links == []
    assert page.problems == []


def test_it_is_accessible_in_the_light(page):
    assert page.themes[0] == "light"
    assert page.violations + page.faint_in_the_light == []


def test_its_colours_can_be_read_in_the_dark(page):
    assert page.themes[1] == "dark"
    assert page.faint_in_the_dark == []


def test_it_fits_a_phone(page):
    assert page.wide <= 376
    assert page.outside == []


def test_what_scrolls_by_itself_on_a_phone_says_so(page):
    assert page.unsigned == []


def test_nothing_falls_off_a_laptops_screen(page):
    assert page.beyond == []


def test_code_is_out_of_sight_but_for_open_cells(page):
    assert page.set_up == 0
    assert page.code[0] == page.code[1] <= 0.10


def test_half_of_all_chapters_show_next_to_no_code(visits):
    shares = [visits[name].code[0] for name in CHAPTERS if name in visits]
    assert not shares or statistics.median(shares) <= 0.05


def _loaded(page: Path) -> list[Path]:
    """What a page loads, and itself; the faces, too, which its style sheets name."""
    # What readers save of a figure is fetched when they do.
    text = re.sub(r"<a [^>]*download=[^>]*>", "", page.read_text("utf-8"))
    links = re.findall(r'(?:src|href)="([^"#?]+\.(?:css|js|png|svg))', text)
    files = {Path(os.path.normpath(page.parent / link)) for link in links}
    return [page, *files, *(SITE / "_static" / "look" / "faces").glob("*.woff2")]


@pytest.mark.parametrize("name", [*PAGES, "search", "genindex"])
def test_it_keeps_within_its_budget(name):
    loaded = _loaded(SITE / f"{name}.html")
    pictures = sum(path.stat().st_size for path in loaded if path.suffix == ".png")
    has_drawing = any(path.name == "widget-common.js" for path in loaded)
    is_rich = has_drawing or pictures > MANY
    allowed = BUDGET_OF_PICTURES if is_rich else BUDGET
    assert sum(path.stat().st_size for path in loaded) < allowed


def test_the_faces_are_light():
    faces = (SITE / "_static" / "look" / "faces").glob("*.woff2")
    assert 50_000 < sum(path.stat().st_size for path in faces) <= 120_000


@pytest.mark.parametrize("name", PAGES)
def test_it_loads_no_widget_manager(name):
    text = (SITE / f"{name}.html").read_text(encoding="utf-8")
    assert "require.js" not in text and "embed-amd" not in text and "html-manager" not in text


def test_a_narrow_window_opens_the_menu(visit):
    visit.page.set_viewport_size({"width": 375, "height": 800})
    page = visit.open("book/start/welcome")
    page.locator(".repcost-menu > summary").click()
    page.get_by_role("link", name="Notation").first.wait_for(state="visible")


def test_the_theme_is_that_of_the_readers_system(dark_visit):
    page = dark_visit.open("book/start/welcome")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_theme_switches(visit):
    page = visit.open("book/start/welcome")
    seen = set()
    for _ in range(3):
        page.locator(".theme-switch-button").first.click()
        seen.add(page.evaluate("document.documentElement.dataset.theme"))
    assert seen == {"light", "dark"}


def test_a_reader_who_comes_again_has_forgotten_the_theme(readers):
    for _ in range(2):
        with again(readers["light"]) as visit:
            page = visit.open("book/start/welcome")
            assert page.evaluate("document.documentElement.dataset.theme") == "light"
            page.evaluate("localStorage.setItem('mode', 'dark')")


def test_a_dark_page_is_printed_in_the_light_theme(dark_visit):
    page = dark_visit.open("book/savarese-2019/rescaling")
    page.evaluate(
        """addEventListener('beforeprint', () => {
            window.printed = document.documentElement.dataset.theme;
        })"""
    )
    page.pdf()
    assert page.evaluate("window.printed") == "light"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_paper_shows_the_text_alone(visit):
    page = visit.open("book/savarese-2019/rescaling")
    page.emulate_media(media="print")
    assert not page.locator(".repcost-path").is_visible()
    assert (
        page.locator("h1").first.is_visible() and page.locator("mjx-container").first.is_visible()
    )


# Wide tables, long code, wide formulas, cards.
PRINTED = ["notation", "ledger", "errata", "library", "speed", "conversions", "map", "welcome"]
PRINTED = [f"book/start/{name}" for name in PRINTED]
PRINTED += ["book/jacot-2022/plateau", "book/savarese-2019/cost"]


@pytest.mark.parametrize("name", PRINTED)
def test_paper_loses_no_column(reader, name):
    page, desktop = reader.open(name), reader.page.viewport_size
    page.emulate_media(media="print")
    # The width of A4 between its margins.
    page.set_viewport_size({"width": 718, "height": 1000})
    try:
        assert page.evaluate(CUT) == []
        page.add_style_tag(content="main td, main p { min-width: 900px }")
        assert page.evaluate(CUT) != [], "the test must be able to fail"
    finally:
        page.emulate_media(media="screen")
        page.set_viewport_size(desktop)


CUT = """() => [...document.querySelectorAll('main :is(td, th, p, li, pre, img, h1, h2)')]
    .filter(e => e.checkVisibility() && !e.closest('details:not([open])'))
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1
        || (e.matches('pre') && e.scrollWidth > e.clientWidth + 1))
    .map(e => e.outerHTML.slice(0, 90))"""


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


# Whether what is collected can be wrong


PLANTED = {
    "faint ink": "color: #888",
    "half transparent ink": "color: rgb(0 0 0 / 45%)",
    "a wash over everything": "opacity: 0.45",
    "a ground of its own": "color: #222; background: #777",
    "a ground that shines through": "color: #222; background: rgb(0 0 0 / 50%)",
    "large, and not large enough": "color: #888; font-size: 23px",
    "large, and faint": "color: #aaa; font-size: 30px",
}
FINE = {
    "large": "color: #888; font-size: 25px",
    "large and bold": "color: #888; font-size: 19px; font-weight: 700",
    "dark enough": "color: #6d6d6d",
    "hidden": "color: #ddd; display: none",
    "not there yet": "opacity: 0",
    "white on black": "color: white; background: black",
}
ON_PAPER = "position: relative; background: white"


def _plant(page, style: str, inside: str = "planted words") -> None:
    """The words on white, as the only ones of the page that are asked about."""
    page.evaluate(
        """([paper, style, inside]) => {
            const words = `<p>Words. <span style="${style}">${inside}</span></p>`;
            document.body.innerHTML = `<main style="${paper}">${words}</main>`;
        }""",
        [f"{ON_PAPER}; color: black", style, inside],
    )


@pytest.fixture(scope="module")
def paper(reader):
    """A page of the book that may be written on, in the light."""
    return reader.open("book/start/notation")


@pytest.mark.parametrize("name", PLANTED)
def test_faint_text_is_found_as_axe_finds_it(paper, name):
    _plant(paper, PLANTED[name])
    assert len(faint(paper)) == 1 and "planted words" in faint(paper)[0]
    assert [line for line in violations(paper) if line.startswith("color-contrast")]


@pytest.mark.parametrize("name", FINE)
def test_readable_text_is_left_alone_as_axe_leaves_it(paper, name):
    _plant(paper, FINE[name])
    assert faint(paper) == []
    assert not [line for line in violations(paper) if line.startswith("color-contrast")]


@pytest.mark.parametrize(
    "style, is_told",
    [
        ("color: #333; text-decoration: none", False),
        ("color: #333; text-decoration: underline", True),
        ("color: #06c; text-decoration: none", True),
    ],
)
def test_a_link_that_only_its_colour_tells_is_found_as_axe_finds_it(paper, style, is_told):
    _plant(paper, "", f"some <a href='#there' style='{style}'>way</a> out")
    assert (faint(paper) == []) == is_told
    rule = [line for line in violations(paper) if line.startswith("link-in-text-block")]
    assert (rule == []) == is_told


def test_broken_links_are_found(paper):
    _plant(paper, "", "<a href='nowhere.html'>a</a> <a href='notation.html#nothing'>b</a>")
    ends = [link.rpartition("/")[2] for link in broken_links(paper)]
    assert ends == ["notation.html#nothing", "nowhere.html"]


def test_a_column_without_a_heading_is_found(paper):
    heads = "<table><tr><th>a</th><th> </th><th><p></p></th></tr></table>"
    paper.evaluate(f"document.body.innerHTML = '<main>{heads}</main>'")
    assert paper.locator(FAULTS["a column without a heading"]).count() == 2
    paper.locator("th").first.evaluate("head => { head.textContent = ''; }")
    assert paper.locator(FAULTS["a column without a heading"]).count() == 3


def test_what_is_too_wide_for_a_phone_is_found(paper):
    paper.evaluate("document.body.innerHTML = '<main><h1 style=\"width: 500px\">W</h1></main>'")
    wide, outside = on_a_phone(paper)
    assert wide > 376 and len(outside) == 1


def test_what_scrolls_without_a_sign_is_found(paper):
    table = "<div style='overflow-x: auto'><p style='width: 999px'>W</p></div>"
    paper.evaluate("table => { document.body.innerHTML = `<main>${table}</main>`; }", table)
    assert len(in_windows(paper, [375], UNSIGNED)) == 1
    assert in_windows(paper, [375], BEYOND) == [], "what scrolls can be reached"


def test_a_note_beyond_the_edge_is_found_even_where_the_page_hides_it(paper):
    note = "<dl style='margin-left: 1300px; width: 200px'>Note</dl>"
    note = f"<div style='overflow-x: clip'>{note}</div>"
    paper.evaluate("note => { document.body.innerHTML = `<main>${note}</main>`; }", note)
    assert len(in_windows(paper, [1366], BEYOND)) == 1


def test_words_that_the_dark_swallows_are_found(paper):
    """A colour that does not change with the theme can be read in one of them alone."""
    paper.evaluate("document.body.innerHTML = '<main><p style=\"color: #222\">W</p></main>'")
    theme, lost = in_the_dark(paper)
    assert faint(paper) == []
    assert theme == "dark" and len(lost) == 1
