"""Letters in boxes explain themselves to a pointer, to a tap, and at the end of the page."""


def test_pointing_at_a_formula_of_a_box_explains_its_letters(visit):
    page = visit.open("book/savarese-2019/cost", "#savarese-2019-theorem-3.1")
    card = page.locator(".repcost-symbol-card")
    assert not card.is_visible()
    formula = page.locator(".repcost-box:target [data-symbols]").first
    formula.hover()
    assert card.is_visible() and card.inner_text()
    # What the list at the end of the page says of each of its letters.
    for number in formula.get_attribute("data-symbols").split():
        listed = page.locator(f"#symbol-{number} + dd")
        assert listed.evaluate("e => e.textContent") in card.evaluate("e => e.textContent")
    page.keyboard.press("Escape")
    assert not card.is_visible()


def test_a_tap_explains_and_another_one_elsewhere_hides(phone):
    page = phone.open("book/savarese-2019/cost", "#savarese-2019-theorem-3.1")
    page.locator(".repcost-box:target [data-symbols]").first.tap()
    card = page.locator(".repcost-symbol-card")
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 375
    page.locator("h1").tap()
    assert not card.is_visible()


def test_the_list_at_the_end_has_them_for_all(visit):
    page = visit.open("book/ongie-willett-2022/low-rank")
    page.locator(".repcost-box a.repcost-to-symbols").first.click()
    terms = page.locator(".repcost-symbols dt")
    assert page.locator("#symbols").is_visible() and terms.count() > 5
    listed = {each.get_attribute("id").removeprefix("symbol-") for each in terms.all()}
    used = page.eval_on_selector_all(
        "[data-symbols]", "all => all.flatMap(e => e.dataset.symbols.split(' '))"
    )
    assert set(used) == listed


def test_a_card_of_the_notation_leads_to_the_same_letter_elsewhere(visit):
    page = visit.open("book/start/notation")
    elsewhere = page.locator(".repcost-elsewhere")
    assert elsewhere.count() > 10
    link = elsewhere.first.locator("a").first
    link.click()
    assert page.locator("tr:target").is_visible()
