"""The ledger, the errata and the map: filters, and ways between them and the chapters."""

from repcost_book.kernel.ledger import statements
from repcost_book.pages.citation import Citation
from tests.browser.conftest import PROJECT


def test_the_ledger_filters_and_leads_to_the_check_and_back(visit):
    page = visit.open("book/start/ledger")
    rows = page.locator("main tbody tr")
    total = rows.count()
    assert (
        page.locator("form.repcost-filters output").inner_text() == f"{total} of {total} statements"
    )
    page.get_by_label("Verdict").select_option("holds")
    assert 0 < page.locator("main tbody tr:visible").count() < total
    page.get_by_label("Verdict").select_option("all")
    page.get_by_label("Evidence").select_option("experiment")
    assert 0 < page.locator("main tbody tr:visible").count() <= total

    claim = statements()["savarese-2019/lemma-1"].claims[0]
    page.get_by_label("Evidence").select_option("all")
    page.get_by_role("link", name=claim.text, exact=True).click()
    page.wait_for_url("**/rescaling.html#check-*")
    check = page.locator("div.repcost-check:target")
    assert check.is_visible()
    check.get_by_role("link").click()
    page.wait_for_url("**/ledger.html#savarese-2019-lemma-1")
    assert page.locator("tr:has(:target)").is_visible()


def test_a_link_to_a_statement_shows_it_even_if_it_was_filtered_away(visit):
    page = visit.open("book/start/ledger")
    page.get_by_label("Verdict").select_option("holds under a condition")
    row = page.locator("tr:has(#savarese-2019-lemma-1)")
    assert not row.is_visible()
    page.evaluate("location.hash = '#savarese-2019-lemma-1'")
    row.wait_for(state="visible")


def test_filters_are_kept_in_the_address(visit):
    page = visit.open("book/start/errata")
    everything = page.locator("main h2:visible").count()
    page.get_by_label("Kind").select_option("false")
    page.get_by_label("Words").fill("theorem")
    shown = page.locator("main h2:visible").count()
    assert 0 < shown < everything
    assert "kind=false" in page.url and "words=theorem" in page.url
    page.reload()
    assert page.locator("main h2:visible").count() == shown


def test_an_erratum_leads_to_its_box_and_is_cited_by_its_number(visit):
    page = visit.open("book/start/errata", "#savarese-e3")
    entry = page.locator("section#savarese-e3")
    assert entry.locator("h2").inner_text().startswith("Erratum 2:")
    assert entry.locator("a.headerlink").get_attribute("href") == "#savarese-e3"
    entry.get_by_text("Cite this erratum").click()
    assert "Erratum 2, to COLT 2019" in entry.locator("pre").inner_text()
    answer = entry.get_by_role("link", name="Answer it").get_attribute("href")
    assert "issues/new" in answer and "Erratum+2" in answer and "Equations" in answer
    cited = entry.locator("pre").inner_text()
    known = Citation.read(PROJECT.root)
    assert f"year   = {{{known.day[:4]}}}" in cited and f"author = {{{{{known.authors}}}}}" in cited
    assert f"version {known.version} of {known.day}, book/start/errata.html#savarese-e3" in cited
    entry.get_by_role("link", name="Equations (15) to (19)").click()
    page.wait_for_url("**/proof.html#savarese-2019-equations-15-19")
    assert page.locator("div.repcost-box:target").is_visible()


def test_a_counterexample_is_where_it_is_executed(visit):
    page = visit.open("book/start/errata", "#savarese-e2")
    entry = page.locator("section#savarese-e2")
    assert entry.locator(".repcost-example").is_visible()
    entry.get_by_role("link", name="Executed counterexample").click()
    page.wait_for_url("**/*.html#check-savarese-2019-footnote-4-*")
    assert page.locator("div.repcost-check:target").is_visible()


def test_the_map_shows_what_a_statement_stands_on_by_mouse_and_keys(visit):
    page = visit.open("book/start/map")
    page.locator("[data-id='savarese-2019/theorem-3.3']").hover()
    card = page.locator(".repcost-map-card")
    assert "Theorem 3.3" in card.inner_text() and "stands on 2" in card.inner_text()
    assert page.locator(".repcost-edge.repcost-lit").count() >= 2
    page.locator("[data-id='savarese-2019/theorem-3.1']").focus()
    page.keyboard.press("ArrowLeft")
    assert "Lemma 1" in card.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**/rescaling.html#savarese-2019-lemma-1")


def test_the_map_of_one_paper(visit):
    page = visit.open("book/start/map")
    items = page.locator(".repcost-map-list > li:visible")
    everything = items.count()
    page.get_by_role("button", name="Jacot (2023)").click()
    assert 0 < items.count() < everything
    assert "paper=jacot-2023" in page.url
