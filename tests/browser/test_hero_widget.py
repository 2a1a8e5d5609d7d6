"""The drawing of the first page: what it says something costs is what the library proves."""

import numpy as np
import pytest

from repcost import interpolate_line
from tests.browser.drawings import CLOSE

PAGE = "book/start/welcome"
# Floats of the barrier method in the script allow so much.
CLOSE_WHEN_PAID = 1e-6
ASK = """([kind, all]) => all.map(points => {
    const answer = repcostHero[kind](points);
    return [answer.cost, Math.max(...points.map(([x, y]) => Math.abs(answer.at(x) - y)))];
})"""


def _points(seed: int, count: int = 10) -> list:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.choice(np.arange(-38, 39), count, replace=False)) / 16
    return [*zip(x.tolist(), rng.normal(size=count).round(2).tolist(), strict=True)]


CASES = [_points(seed) for seed in range(12)]


def _brackets(**how):
    return [interpolate_line(*np.array(points).T, **how).cost for points in CASES]


@pytest.mark.parametrize(
    "kind, how, close",
    [("free", {}, CLOSE), ("paid", {"biases": "paid"}, CLOSE_WHEN_PAID)],
)
def test_the_price_is_what_the_library_proves(opened, kind, how, close):
    answers = opened.evaluate(ASK, [kind, CASES])
    for (cost, misses), truth in zip(answers, _brackets(**how), strict=True):
        assert truth.lower * (1 - close) <= cost <= truth.upper * (1 + close)
        assert misses < 1e-7, "the curve must go through the points"


def test_free_and_paid_are_told_apart(opened):
    free = [cost for cost, _ in opened.evaluate(ASK, ["free", CASES])]
    for cost, truth in zip(free, _brackets(biases="paid"), strict=True):
        assert cost < truth.lower * (1 - 1e-3)


@pytest.mark.parametrize("layers", [3, 4])
def test_added_layers_are_linear_layers(opened, layers):
    """Ongie & Willett (2022), Theorem 3.1: the same function, its cost to the power 2 / L."""
    price = "([L, all]) => all.map(p => repcostHero.priced(repcostHero.free(p), {layers: L}))"
    for found, truth in zip(
        opened.evaluate(price, [layers, CASES]), _brackets(depth=layers), strict=True
    ):
        assert truth.lower * (1 - CLOSE) <= found <= truth.upper * (1 + CLOSE)


@pytest.fixture
def hero(visit):
    return visit.open(PAGE).locator(".repcost-hero")


def _price(hero) -> float:
    return float(hero.locator(".repcost-hero-price strong").inner_text())


def test_it_is_there_before_a_reader_scrolls(hero):
    screen = hero.page.viewport_size["height"]
    ways = hero.page.locator(".repcost-ways").bounding_box()
    assert ways["y"] + ways["height"] <= screen
    about = hero.page.locator(".repcost-about").bounding_box()
    assert about["y"] > screen, "parameters are further down"


def test_a_reader_moves_a_point_and_pays_for_biases(hero):
    assert _price(hero) == 8.4
    hero.get_by_role("slider", name="Point 3 of 10").press("PageUp")
    moved = _price(hero)
    assert moved > 8.4
    hero.get_by_role("button", name="paid").click()
    assert _price(hero) > moved
    three = hero.get_by_role("button", name="3", exact=True)
    assert three.get_attribute("aria-disabled") == "true", "no theorem says anything of that"
    hero.get_by_role("button", name="free").click()
    three.click()
    assert _price(hero) == pytest.approx(moved ** (2 / 3), abs=0.02)


def test_paid_biases_say_why_there_are_no_more_layers(hero):
    hero.get_by_role("button", name="paid").click()
    assert "more than two layers" in hero.locator(".repcost-hero-why").inner_text()
    box = hero.page.locator(".repcost-ways").bounding_box()
    assert box["y"] + box["height"] <= hero.page.viewport_size["height"]


def test_a_link_to_the_drawing_shows_the_title_too(visit):
    visit.page.set_viewport_size({"width": 1366, "height": 700})
    page = visit.open(PAGE, "?hero=((0.5))#drawing-hero")
    page.locator(".repcost-hero svg[role]").wait_for()
    page.evaluate("document.querySelector('#drawing-hero').scrollIntoView()")
    assert page.evaluate("scrollY") == 0


SHARE = {2: "half the squares", 3: "a third of the squares", 4: "a quarter of the squares"}


@pytest.mark.parametrize("layers", SHARE)
def test_under_the_price_stands_what_it_counts_in_the_librarys_words(hero, layers):
    counts = str(interpolate_line(*np.array(CASES[0]).T, depth=layers).cost.counts)
    hero.get_by_role("button", name=str(layers), exact=True).click()
    said = hero.locator(".repcost-hero-convention").inner_text()
    assert said == counts.replace("the squares over L", SHARE[layers])


def test_under_the_price_of_paid_biases_stands_which_of_them_pay(hero):
    hero.get_by_role("button", name="4", exact=True).click()
    hero.get_by_role("button", name="paid").click()
    truth = interpolate_line(*np.array(CASES[0]).T, biases="paid").cost
    assert hero.locator(".repcost-hero-convention").inner_text() == str(truth.counts)
