"""Pages on paper: in the light, the text alone, and nothing cut."""

import re

import pytest

from repcost_book.pages.whole import whole
from tests.browser.conftest import PROJECT, SITE


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


def test_what_is_folded_in_the_text_is_open_on_paper_and_closed_after(visit):
    page = visit.open("book/savarese-2019/cost")
    page.evaluate(
        """addEventListener('beforeprint', () => {
            const folds = '.repcost-proof, .repcost-aside, .repcost-solution';
            window.folds = [...document.querySelectorAll(folds)].map(fold => fold.open);
        })"""
    )
    page.pdf()
    assert page.locator(".repcost-solution").count() >= 2
    assert all(page.evaluate("window.folds"))
    assert page.locator(".repcost-solution[open]").count() == 0


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


def test_no_formula_of_an_erratum_runs_into_what_stands_beside_it(reader):
    page, desktop = reader.open("book/start/errata"), reader.page.viewport_size
    page.emulate_media(media="print")
    # The width of A4 between the margins of the whole book.
    page.set_viewport_size({"width": 658, "height": 1000})
    try:
        assert page.evaluate(BEYOND_ITS_PART) == []
        page.add_style_tag(content=".repcost-entry > .repcost-printed { width: 20px; }")
        narrow = ".repcost-entry > .repcost-printed { flex: none; min-width: 0 !important; }"
        page.add_style_tag(content=narrow)
        assert len(page.evaluate(BEYOND_ITS_PART)) > 20, "the test must be able to fail"
    finally:
        page.emulate_media(media="screen")
        page.set_viewport_size(desktop)


BEYOND_ITS_PART = """() => [...document.querySelectorAll('.repcost-entry > div')].flatMap(part => {
    const edge = Math.min(part.getBoundingClientRect().right, innerWidth) + 1;
    return [...part.querySelectorAll('mjx-container > svg')]
        .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > edge)
        .map(() => part.closest('section').id);
})"""
CUT = """() => [...document.querySelectorAll('main :is(td, th, p, li, pre, img, h1, h2)')]
    .filter(e => e.checkVisibility() && !e.closest('details:not([open])'))
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1
        || (e.matches('pre') && e.scrollWidth > e.clientWidth + 1))
    .map(e => e.outerHTML.slice(0, 90))"""


def test_the_whole_book_draws_every_letter_of_its_formulas():
    """A letter's name means another letter on each page."""
    if not (SITE / "index.html").is_file():
        pytest.skip("the pages are not built: make book")
    html = whole(PROJECT, {})
    drawn = dict(re.findall(r'<path id="(letter-[^"]+)" d="([^"]*)"', html))
    used = re.findall(r'<use href="#([^"]+)"', html)
    assert len(used) > 10_000 and set(used) == set(drawn)
    assert len(set(drawn.values())) == len(drawn)
    assert html.count("<mjx-container") > 1000
