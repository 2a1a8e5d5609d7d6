"""A tour by keyboard alone: first page, map, chapter, a fold, the ledger, its filters."""

import pytest
from playwright.sync_api import Page

# How many tabs a reader may need to reach something.
MOST = 120
FOCUSED = """() => {
    const e = document.activeElement;
    return [e.tagName, (e.getAttribute('aria-label') || e.textContent || '').trim().slice(0, 80)];
}"""
# What shows where the focus is: an outline, or the thicker line of a shape in a drawing.
IS_SEEN = """() => {
    const e = document.activeElement, look = getComputedStyle(e);
    const box = e.getBoundingClientRect();
    const within = box.bottom > 0 && box.top < innerHeight;
    const shape = e.querySelector('.repcost-shape');
    const isThick = shape && parseFloat(getComputedStyle(shape).strokeWidth) >= 4;
    const hasOutline = look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 1;
    return within && (isThick || hasOutline);
}"""


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is on what the selector names, and see that it is shown."""
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if page.evaluate("names => document.activeElement.matches(names)", selector):
            assert page.evaluate(IS_SEEN), f"nobody sees that {selector} has the focus"
            return
    pytest.fail(f"{MOST} tabs do not lead to {selector}; the last is {page.evaluate(FOCUSED)}")


def test_the_whole_way_by_keyboard_alone(visit):
    page = visit.open("book/start/welcome")
    tab_to(page, ".repcost-skip")
    tab_to(page, ".repcost-shortcut[href*='map.html']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/start/map.html")

    # One tab leads to the drawing; arrows go from a statement to what it stands on.
    tab_to(page, "[data-id]")
    here = "document.activeElement.dataset.id"
    passed = {page.evaluate(here)}
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        passed.add(page.evaluate(here))
    assert None not in passed and len(passed) > 1
    page.keyboard.press("Enter")
    page.wait_for_url("**/book/*/*.html#*")

    # The code of a check unfolds under it.
    tab_to(page, "details.repcost-code > summary")
    fold = page.evaluate_handle("document.activeElement.parentElement")
    assert not fold.evaluate("e => e.open")
    page.keyboard.press("Enter")
    assert fold.evaluate("e => e.open && e.querySelector('pre').checkVisibility()")

    # A badge of a box leads to its row in the ledger.
    page.keyboard.press("Control+Home")
    tab_to(page, ".repcost-box a[href*='ledger.html#']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/start/ledger.html#*")
    rows = page.locator("main tbody tr:visible")
    everything = rows.count()
    page.reload()
    tab_to(page, "form.repcost-filters select[name=verdict]")
    page.keyboard.type("false")
    assert 0 < rows.count() < everything
    tab_to(page, "main tbody tr:not([hidden]) a")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "ledger.html" not in address)


def test_the_search_by_keyboard_alone(visit):
    page = visit.open("book/savarese-2019/cost")
    tab_to(page, ".repcost-search input")
    page.keyboard.type("infinite depth")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html*")
    tab_to(page, "#search-results li > a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/jacot-2023/infinite-depth.html*")


def test_the_test_notices_a_focus_that_is_not_shown(visit):
    page = visit.open("book/start/welcome")
    page.add_style_tag(content="* { outline: none !important; }")
    with pytest.raises(AssertionError, match="nobody sees"):
        tab_to(page, ".repcost-shortcut")


def test_a_figure_enlarges_by_keyboard_and_closes(visit):
    page = visit.open("book/savarese-2019/cost")
    tab_to(page, ".repcost-enlarge")
    page.keyboard.press("Enter")
    dialog = page.locator("dialog[open]")
    assert dialog.locator("img").is_visible()
    saved = dialog.get_by_role("link", name="PNG")
    assert saved.get_attribute("download").startswith("fig-")
    page.keyboard.press("Escape")
    assert dialog.count() == 0
    assert page.evaluate("document.activeElement.matches('.repcost-enlarge')")
