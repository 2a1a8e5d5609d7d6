"""First page, a chapter, map, ledger and search in Firefox and in WebKit, from files.

Skipped by name where a browser is not installed; Chromium is the one that everything is tested in.
"""

from collections.abc import Iterator

import pytest

from tests.browser.conftest import SITE
from tests.browser.drivers import Driven, firefox, missing, webkit

BROWSERS = {"Firefox": firefox, "WebKit": webkit}
PAGES = ["start/welcome", "savarese-2019/cost", "start/map", "start/ledger"]


@pytest.fixture(scope="module", params=BROWSERS)
def other(request, tmp_path_factory) -> Iterator[Driven]:
    if reason := missing(request.param):
        pytest.skip(reason)
    if not (SITE / "index.html").is_file():
        pytest.skip("the pages are not built: make book")
    with BROWSERS[request.param](tmp_path_factory.mktemp(request.param)) as driven:
        yield driven


def opened(other: Driven, name: str, rest: str = "") -> Driven:
    other.open(f"{(SITE / name).with_suffix('.html').as_uri()}{rest}")
    return other


FACES = "return [...document.fonts].filter(face => face.status === 'loaded').length"
# A formula is drawn if its strokes take place, as high as its frame says, and upright if their axis
# points up.
FORMULAS = """return [...document.querySelectorAll('mjx-container > svg')].map(svg => {
    const group = svg.querySelector('g'), box = svg.getBoundingClientRect();
    const axes = group.getCTM(), frame = svg.viewBox.baseVal, isSeen = svg.checkVisibility();
    const high = Math.abs(box.height - box.width * frame.height / frame.width) < 1;
    return [box.width > 1 && high || !isSeen, axes === null || axes.d < 0];
})"""
SIDEWAYS = "return document.documentElement.scrollWidth - innerWidth"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_its_look_and_its_formulas(other, name):
    opened(other, f"book/{name}")
    assert other.run(FACES) > 0
    formulas = other.run(FORMULAS)
    assert all(drawn and upright for drawn, upright in formulas)
    assert formulas or name == "start/map" or name == "start/ledger"
    assert other.run(SIDEWAYS) <= 1


def test_the_drawing_of_the_first_page_is_there(other):
    opened(other, "book/start/welcome")
    assert other.run("return document.querySelectorAll('.repcost-hero svg circle').length") >= 10


def test_code_unfolds_and_the_theme_changes(other):
    opened(other, "book/savarese-2019/cost")
    seen = "return document.querySelector('details.repcost-code pre').checkVisibility()"
    assert not other.run(seen)
    other.run("document.querySelector('details.repcost-code > summary').click()")
    assert other.run(seen)
    theme = "return document.documentElement.dataset.theme"
    before = other.run(theme)
    other.run("document.querySelector('.theme-switch-button').click()")
    assert other.run(theme) != before


def test_a_statement_of_the_map_shows_its_card(other):
    opened(other, "book/start/map")
    other.run("document.querySelector('[data-id=\"savarese-2019/theorem-3.1\"]').focus()")
    card = other.run("return document.querySelector('.repcost-map-card').textContent")
    assert "Theorem 3.1" in card


def test_the_ledger_filters(other):
    opened(other, "book/start/ledger")
    rows = "return [...document.querySelectorAll('main tbody tr')].filter(e => !e.hidden).length"
    everything = other.run(rows)
    other.run(
        """const menu = document.querySelector('select[name=verdict]');
        menu.value = 'holds';
        menu.dispatchEvent(new Event('input', {bubbles: true}));"""
    )
    assert 0 < other.run(rows) < everything


def test_the_search_finds(other):
    opened(other, "search", "?q=bottleneck+rank")
    first = other.run(
        "return document.querySelector('#search-results li > a').getAttribute('href')"
    )
    assert "jacot-2023/ranks.html" in first
