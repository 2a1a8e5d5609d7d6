"""Finding a place by what it is about, by its number, and by its name."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from repcost_book.kernel.ledger import statements
from repcost_book.pages.search_index import terms
from tests.browser.conftest import PROJECT, SITE, visitor
from tests.browser.queries import QUERIES
from tests.browser.seen import broken_links

SETTLED = [statement for statement in statements().values() if statement.chapter]
TERMS = terms(PROJECT.book / "terms.yml")


@pytest.fixture(scope="module")
def search(browser) -> Iterator[Page]:
    """The page of the search, its index read once."""
    with visitor(browser, "light") as visit:
        yield visit.open("search")


def found(search: Page, words: str) -> list[str]:
    """The places that are listed, the first one first, as they are called in `queries`."""
    search.locator(".repcost-search-page input").fill(words)
    links = search.eval_on_selector_all(
        "#search-results li > a", "all => all.map(a => a.getAttribute('href'))"
    )
    return [link.removeprefix("book/").replace(".html", "") for link in links]


def test_the_address_of_a_search_has_its_words(visit):
    visit.page.goto(f"{(SITE / 'search.html').as_uri()}?q=Theorem+3.3")
    visit.page.locator("#search-results li a", has_text="Theorem 3.3").first.wait_for()


def test_the_field_of_any_page_leads_to_the_results(visit):
    page = visit.open("book/savarese-2019/cost")
    page.get_by_label("Search the book").fill("bottleneck rank")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=bottleneck+rank")
    page.locator("#search-results li > a").first.click()
    page.wait_for_url("**/jacot-2023/ranks.html*")


@pytest.mark.parametrize("query", QUERIES)
def test_what_is_sought_comes_first(search, query):
    right = QUERIES[query]
    first = found(search, query)[0]
    assert first in ([right] if isinstance(right, str) else right)


def test_a_search_for_what_is_not_there_says_so(search):
    assert found(search, "quaternion") == []
    assert "another word" in search.locator("#search-results").inner_text()


@pytest.mark.parametrize("statement", SETTLED, ids=lambda statement: statement.id)
def test_the_number_of_a_statement_finds_its_box_first(search, statement):
    # Several papers may have a statement of this number: their boxes come first, in any order. A
    # term of the same words leads to what explains it.
    same = [other for other in SETTLED if other.number == statement.number]
    is_term = statement.number.lower().removeprefix("the ") in TERMS
    place = f"{statement.chapter}#{statement.id.replace('/', '-')}"
    assert place in found(search, statement.number)[: len(same) + is_term]


def test_a_result_has_its_kind_its_paper_and_what_it_says(search):
    found(search, "Theorem 3.1 Savarese")
    told = search.locator("#search-results li").first.inner_text()
    assert "Statement · Savarese et al. (2019) · What does a function of one variable cost?" in told
    assert "the larger of the variation of its slope" in told
    assert search.locator("#search-results li mark").count() > 0


# Takes up to ten seconds: the search is asked for each of the book's terms.
def test_every_place_of_every_term_is_there(search):
    for term in TERMS:
        found(search, term)
        assert broken_links(search) == [], term
