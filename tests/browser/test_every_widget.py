"""What holds for every drawing of the book: narrow screens, contrast, paper, keys, and readers
without scripts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import FloatRect, Locator, Page

from tests.browser.colours import faint
from tests.browser.conftest import SITE, visitor
from tests.browser.drawings import OnPage, contrast
from tests.browser.seen import violations


@dataclass(frozen=True)
class Kind:
    """A drawing, what its words without scripts hold, its colours of lines and marks, and some work
    with it.

    tab: what the Tab key reaches, in order.
    """

    name: str
    page: str
    words: str
    colours: tuple[str, ...]
    tab: tuple[str, ...]
    work: Callable[[Locator], None]

    def __str__(self) -> str:
        return self.name

    def on(self, page: Page) -> Locator:
        return OnPage(page, kind=self.name).anew().root

    @property
    def address(self) -> str:
        return f"book/{self.page}/play"


def _button(root: Locator, name: str) -> Locator:
    return root.get_by_role("button", name=name, exact=True)


def _line(root: Locator) -> None:
    points = root.locator(".repcost-widget-point")
    points.nth(0).press("Delete")
    points.nth(2).press("PageUp")
    for _ in range(20):
        _button(root, "Add a point").press("Enter")


def _rays(root: Locator) -> None:
    _button(root, "Figure 3").click()
    root.get_by_role("slider", name="Weight of the first ray").press("PageUp")


def _merging(root: Locator) -> None:
    _button(root, "Merge all").click()
    root.locator(".repcost-widget-point").nth(2).press("PageDown")
    _button(root, "Add a point").click()


def _depth(root: Locator) -> None:
    _button(root, "Step").click()
    root.locator(".repcost-widget-point").nth(1).press("PageUp")


def _several(name: str, count: int) -> list[str]:
    return [f"{name} {n} of {count}" for n in range(1, count + 1)]


KINDS = [
    Kind(
        "line",
        "savarese-2019",
        "costs 3.5",
        ("line-spline", "line-sparsest", "line-band-edge", "line-other"),
        (*_several("Point", 6), "Add a point", "Remove point 6", "Reset"),
        _line,
    ),
    Kind(
        "rays",
        "ongie-willett-2022",
        "R_3: along the rays 1.5988",
        ("rays-equal", "rays-bar", "rays-least"),
        (
            "Angle of the rays",
            "Weight of the first ray",
            "Figure 2 (a)",
            "Figure 2 (b)",
            "Figure 3",
            "Reset",
        ),
        _rays,
    ),
    Kind(
        "merging",
        "jacot-2022",
        "after the linear programme 5 units of 16.41",
        ("merging-up", "merging-down", "merging-before"),
        (
            *_several("Point", 5),
            *("Merge, pair by pair", "Unmerge", "Merge all", "Linear programme"),
            *("Add a point", "Remove point 5", "Reset"),
        ),
        _merging,
    ),
    Kind(
        "depth",
        "jacot-2023",
        "1.1892 to 1.5292 at depth 16",
        ("depth-upper", "depth-lower", "depth-graph"),
        (*_several("Knot", 5), "Depth", "Line", "Tent", "Step", "Zigzag", "Reset"),
        _depth,
    ),
]
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


@pytest.fixture(scope="module", params=KINDS, ids=str)
def kind(request) -> Kind:
    return request.param


@pytest.fixture(scope="module")
def light(kind, browser) -> Iterator[Page]:
    with visitor(browser, "light") as visit:
        yield visit.open(kind.address)


@pytest.fixture(scope="module")
def dark(kind, browser) -> Iterator[Page]:
    with visitor(browser, "dark") as visit:
        yield visit.open(kind.address)


def test_it_fits_a_phone_and_a_finger(kind, phone):
    root = kind.on(phone.open(kind.address))
    assert root.page.evaluate("document.documentElement.scrollWidth") <= 376
    for box in _boxes(root, "svg, button, input, li, p:not([role=status]), .repcost-widget-track"):
        assert box["x"] >= -16 and box["x"] + box["width"] <= 376
    for box in _boxes(root, "button, input, .repcost-widget-target"):
        assert box["width"] >= 24 and box["height"] >= 24


def _boxes(root: Locator, selector: str) -> list[FloatRect]:
    boxes = [box for part in root.locator(selector).all() if (box := part.bounding_box())]
    assert boxes
    return boxes


@THEMES
def test_it_is_accessible_while_in_use(kind, theme, request):
    root = kind.on(request.getfixturevalue(theme))
    kind.work(root)
    root.locator("[role=status]:not([aria-busy=true])").wait_for(state="attached", timeout=3000)
    assert violations(root.page, within=f".repcost-{kind.name}") + faint(root.page) == []


@THEMES
def test_lines_are_seen_on_the_page(kind, theme, request):
    """axe looks at text only; lines and marks need a contrast of 3 (WCAG 1.4.11)."""
    root = kind.on(request.getfixturevalue(theme))
    paper = root.page.evaluate("getComputedStyle(document.body).backgroundColor")
    for name in (*kind.colours, "widget-edge", "widget-ink"):
        colour = root.evaluate(
            f"root => getComputedStyle(root).getPropertyValue('--{name}').trim()"
        )
        assert contrast(colour, paper) >= 3, name


def test_tab_reaches_everything_in_order(kind, light):
    root = kind.on(light)
    root.locator("[tabindex='0'], input").first.focus()
    seen = []
    for _ in kind.tab:
        seen.append(
            root.page.evaluate(
                "document.activeElement.ariaLabel || document.activeElement.textContent"
            )
        )
        root.page.keyboard.press("Tab")
    assert seen == list(kind.tab)


def test_arrow_keys_do_not_turn_pages(kind, light):
    root = kind.on(light)
    address, sliders = root.page.url, root.get_by_role("slider")
    for n in range(sliders.count()):
        sliders.nth(n).press("ArrowRight")
        sliders.nth(n).press("ArrowLeft")
    root.page.wait_for_timeout(100)
    assert root.page.url == address


def test_paper_shows_the_drawing_without_its_buttons(kind, light):
    root = kind.on(light)
    light.emulate_media(media="print")
    try:
        assert root.locator("svg").first.is_visible()
        assert not _button(root, "Reset").is_visible()
    finally:
        light.emulate_media(media="screen")


def test_without_scripts_its_words_stay(kind, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((SITE / "book" / kind.page / "play.html").as_uri())
    text = page.locator(f".repcost-{kind.name}").first.inner_text()
    assert "Needs JavaScript" in text and kind.words in text
    context.close()


def test_only_pages_with_a_widget_load_its_script(kind, light, visit):
    for name in ("widget-common", f"{kind.name}-widget"):
        assert light.locator(f"script[src*='{name}.js']").count() == 1
        assert light.locator(f"link[href*='{name}.css']").count() == 1
    page = visit.open("book/start/notation")
    assert page.locator("script[src*='widget'], link[href*='widget']").count() == 0
