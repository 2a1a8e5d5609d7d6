"""Every page as a reader meets it: from a file, without a network, in light, dark and narrow."""

import os
import re
import statistics
from pathlib import Path

import pytest

from repcost_book.runner.chapters import chapters, pages
from tests.browser.conftest import PROJECT, SITE, again
from tests.browser.seen import WATCH, Seen, seen

PAGES = pages(PROJECT)
CHAPTERS = [f"book/{chapter.name}" for chapter in chapters(PROJECT)]
# With everything that it loads: a page of text, and one with a drawing to move or many pictures.
BUDGET, BUDGET_OF_PICTURES, MANY = 600_000, 1_000_000, 400_000


@pytest.fixture(scope="module")
def visits(reader) -> dict[str, Seen]:
    """The visits so far, by page."""
    reader.page.add_init_script(WATCH)
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


def test_nothing_moves_after_the_first_paint(page):
    assert page.moved < 0.01


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


def test_parameters_and_imports_wait_behind_one_line(page):
    if page.name in CHAPTERS:
        assert page.behind >= 2
        assert "import numpy" not in page.text.partition("Price your own network")[0]
        assert 'profile = "quick"' not in page.text


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


@pytest.mark.parametrize("width", [375, 1024, 1366])
def test_the_menu_scrolls_downward_alone_and_has_small_titles(visit, width):
    visit.page.set_viewport_size({"width": width, "height": 700})
    for name in ("welcome", "notation"):
        page = visit.open(f"book/start/{name}")
        page.locator(".repcost-menu > summary").click()
        inside = page.locator(".repcost-menu > div")
        assert inside.evaluate("e => e.scrollWidth - e.clientWidth") == 0
        last = inside.get_by_role("link").last
        last.scroll_into_view_if_needed()
        box = last.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width
        sizes = inside.locator("h2").evaluate_all(
            "all => all.map(e => getComputedStyle(e).fontSize)"
        )
        assert set(sizes) == {"15px"}


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
