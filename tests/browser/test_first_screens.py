"""What a reader sees first, on a laptop and on a phone, before anything is scrolled."""

import pytest
from playwright.sync_api import ViewportSize

from repcost_book.runner.chapters import chapters, pages
from tests.browser.conftest import PROJECT, visitor
from tests.browser.seen import MOVED, WATCH

LAPTOP, PHONE = ViewportSize(width=1366, height=768), ViewportSize(width=390, height=844)
CHAPTERS = [f"book/{chapter.name}" for chapter in chapters(PROJECT)]
PLAYS = [name for name in CHAPTERS if name.endswith("/play")]
LOW = "e => e.getBoundingClientRect().bottom"


@pytest.fixture(params=[LAPTOP, PHONE], ids=["laptop", "phone"])
def screen(request, visit):
    visit.page.set_viewport_size(request.param)
    return visit


def _height(page) -> int:
    return page.viewport_size["height"]


def test_one_sentence_a_drawing_and_three_ways_in_fit_the_first_screen(screen):
    page = screen.open("book/start/welcome")
    page.locator(".repcost-hero svg[role]").wait_for()
    ways = page.locator(".repcost-ways a b")
    assert ways.all_inner_texts() == ["Read", "Run", "Price your network"]
    assert page.locator(".repcost-hero-price").is_visible()
    assert all(way.evaluate(LOW) < _height(page) for way in ways.all())


def test_the_lists_of_chapters_wait_behind_the_cards_and_open(visit):
    page = visit.open("book/start/welcome")
    lists = page.locator(".repcost-paper-card details")
    assert lists.count() == 4 and lists.locator("li:visible").count() == 0
    lists.first.locator("summary").click()
    assert lists.first.locator("li:visible").count() > 5
    assert "min, after" in lists.first.inner_text()
    above = page.locator("main h2:visible").all_inner_texts()
    assert above[0].startswith("Four papers") and above[1].startswith("Run it")


def test_the_first_statement_of_the_ledger_is_seen_at_once(screen):
    page = screen.open("book/start/ledger")
    row = page.locator("main tbody tr").first
    assert row.locator("td").nth(1).evaluate(LOW) < _height(page)


def test_the_first_erratum_is_seen_at_once(screen):
    page = screen.open("book/start/errata")
    entry = page.locator("section:has(> .repcost-kind)").first
    assert entry.locator("h2").evaluate(LOW) < _height(page)
    if page.viewport_size == LAPTOP:
        assert entry.locator(".repcost-printed").evaluate(LOW) < _height(page)
    assert not page.locator("#repcost-papers").is_visible()
    page.locator("#kinds > summary").click()
    assert page.locator("#repcost-papers li").count() == 4 and page.locator("#kinds").is_visible()


@pytest.mark.parametrize("name", PLAYS)
def test_a_drawing_comes_before_what_is_said_of_it(screen, name):
    page = screen.open(name)
    drawing = page.locator("main .repcost-widget svg[role]").first
    drawing.wait_for()
    top = drawing.evaluate("e => e.getBoundingClientRect().top")
    assert top + 200 < _height(page)
    words = page.locator("main p").evaluate_all(
        """(all, top) => {
            const isAbove = e => e.checkVisibility() && e.getBoundingClientRect().bottom < top;
            return all.filter(isAbove).map(e => e.innerText).join(' ').split(' ').length;
        }""",
        top,
    )
    assert 5 < words < 60


def test_the_badges_lead_to_what_verdicts_mean(visit):
    page = visit.open("book/start/ledger", "#verdicts")
    assert page.locator("#verdicts").get_by_text("holds under a condition").is_visible()


def test_errata_of_the_ledger_have_their_kind(visit):
    page = visit.open("book/start/ledger")
    cells = " ".join(page.locator("td:nth-child(2)").all_inner_texts())
    kinds = [cells.count(f"({kind})") for kind in ("slip", "gap", "false")]
    assert min(kinds) > 5 and sum(kinds) == cells.count("erratum")


@pytest.fixture(scope="module")
def watched(browser):
    """A phone that notes what moves after the first paint, without a reader having done it."""
    with visitor(browser, "light") as visit:
        visit.page.set_viewport_size(PHONE)
        visit.page.add_init_script(WATCH)
        yield visit


@pytest.mark.parametrize("name", pages(PROJECT))
def test_nothing_moves_on_a_phone_after_the_first_paint(watched, name):
    """On a laptop the visit of `test_pages` has looked."""
    assert watched.open(name).evaluate(MOVED) < 0.01


def test_what_moves_is_noticed(watched):
    page = watched.open("book/savarese-2019/cost")
    page.evaluate("document.querySelector('h1').style.marginTop = '300px'")
    # A busy machine tells of it later.
    page.wait_for_function(f"async () => await ({MOVED})() > 0.05")


def test_parameters_and_imports_come_out_when_their_line_is_opened(visit):
    visit.page.set_viewport_size(LAPTOP)
    page = visit.open("book/savarese-2019/cost")
    setup = page.locator(".repcost-about .highlight")
    assert not any(cell.is_visible() for cell in setup.all())
    page.locator(".repcost-about > summary").click()
    assert setup.first.is_visible()


@pytest.mark.parametrize("name", PLAYS)
def test_the_words_of_a_drawing_stand_between_it_and_its_buttons(visit, name):
    """And its code, which asks for it in two lines, stands below."""
    page = visit.open(name)
    words = page.locator("main .repcost-widget-words").first
    box = "e => e.getBoundingClientRect().top"
    buttons = page.locator(".repcost-widget-words + .repcost-widget-buttons").first
    assert words.inner_text() and words.evaluate(LOW) < buttons.evaluate(box)
    cell = page.locator("main .tag_open").first
    code = cell.locator(".cell_input").first
    assert cell.locator(".repcost-widget").first.evaluate(LOW) <= code.evaluate(box)


def test_every_letter_of_the_map_is_read_and_none_leaves_its_node(visit):
    visit.page.set_viewport_size(LAPTOP)
    page = visit.open("book/start/map")
    told = page.evaluate(
        """() => [...document.querySelectorAll('.repcost-node')].map(node => {
            const shape = node.querySelector('.repcost-shape').getBoundingClientRect();
            const text = node.querySelector('text').getBoundingClientRect();
            return [shape.width - text.width, shape.height - text.height,
                Math.min(shape.left, innerWidth - shape.right)];
        })"""
    )
    assert all(wide >= 4 and high >= 0 and edge >= 0 for wide, high, edge in told)
    size = "svg => svg.getScreenCTM().a * parseFloat(getComputedStyle(svg).fontSize)"
    assert page.locator(".repcost-node text").first.evaluate(size) >= 12
    page.locator("[data-id='savarese-2019/theorem-3.1']").hover()
    assert "variation" in page.locator(".repcost-map-card p").inner_text()


def test_no_card_of_the_notation_names_a_paper_twice(visit):
    page = visit.open("book/start/notation")
    cards = [card.split("; ") for card in page.locator(".repcost-elsewhere").all_inner_texts()]
    assert len(cards) > 20
    assert [card for card in cards if len(card) != len(set(card))] == []


def test_the_results_of_a_search_have_no_raw_keys_and_no_raw_formulas(visit):
    page = visit.open("search")
    # Names of the library are shown as their first sentence stands in the code.
    places = "PLACES.filter(({ kind }) => kind !== 'name')"
    told = page.evaluate(f"{places}.map(({{ says = '', title }}) => `${{title}} ${{says}}`)")
    keys = ("savarese2019", "ongie2022", "jacot2022", "jacot2023", "bomze2015", "du2018")
    signs = ("$", "\\", "_{", "^{", "**", "[](")
    assert [text for text in told if any(each in text for each in (*keys, *signs))] == []
    assert sum("Savarese et al. (2019)" in text for text in told) > 5
