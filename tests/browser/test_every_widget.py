"""What holds for every drawing of the book: narrow screens, contrast, paper, keys, and readers
without scripts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import FloatRect, Locator, Page

from repcost_book.kernel.widgets.base import has_look, parts
from tests.browser.colours import faint
from tests.browser.conftest import SITE, visitor
from tests.browser.drawings import OnPage, contrast
from tests.browser.seen import violations_within


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
    chapter: str = "play"

    def __str__(self) -> str:
        return self.name

    def on(self, page: Page) -> Locator:
        return OnPage(page, kind=self.name).anew().root

    @property
    def address(self) -> str:
        return f"book/{self.page}/{self.chapter}"


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


def _forces(root: Locator) -> None:
    _button(root, "two classes").click()
    root.locator(".repcost-widget-point").nth(2).press("PageUp")
    _button(root, "Repulsion alone").click()


def _prices(root: Locator) -> None:
    _button(root, "Line and hat").click()
    root.locator(".repcost-widget-point").nth(2).press("PageUp")
    _button(root, "Swap").click()


def _several(name: str, count: int) -> list[str]:
    return [f"{name} {n} of {count}" for n in range(1, count + 1)]


KINDS = [
    Kind(
        "line",
        "savarese-2019",
        "costs 3.5",
        ("line-spline", "line-sparsest", "line-paid", "line-band-edge", "line-other"),
        (
            *("free", "paid", *_several("Point", 6), "Add a point", "Remove point 6"),
            *("Undo", "Copy link", "Reset", "Bump", "Climb", "Bowl", "Far bowl", "Zigzag"),
            *("1. A free point", "2. A straight line", "3. A climb", "4. Biases pay"),
        ),
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
            "Undo",
            "Copy link",
            "Reset",
            *("1. Equal rays", "2. The window", "3. One heavy ray"),
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
            *("Add a point", "Remove point 5", "Undo", "Copy link", "Reset"),
            *("Wave", "Tent", "Slope", "Zigzag"),
            *("1. One merge", "2. All merges", "3. The programme"),
        ),
        _merging,
    ),
    Kind(
        "depth",
        "jacot-2023",
        "1.2968 to 1.5292 at depth 16",
        ("depth-upper", "depth-lower", "depth-graph"),
        (
            *(*_several("Knot", 5), "Depth", "Line", "Tent", "Step", "Zigzag"),
            *("Undo", "Copy link", "Reset"),
            *("1. A steep step", "2. Not steep, not free", "3. A flat function"),
        ),
        _depth,
    ),
    Kind(
        "forces",
        "jacot-2022",
        "neuron 1 is pulled by 1.94 and pushed by 2.27",
        ("forces-pull", "forces-push", "forces-way", "forces-0", "forces-1", "forces-2"),
        (
            *("three classes", "two classes", "exclusive or", *_several("Point", 6)),
            *("Let it flow", "Attraction alone", "Repulsion alone"),
            *("Undo", "Copy link", "Reset"),
            *("1. Classes contract", "2. One neuron is enough", "3. A point is pulled back"),
        ),
        _forces,
        "forces",
    ),
    Kind(
        "prices",
        "beyond",
        "biases free: 4 and 3.25",
        ("prices-graph", "prices-kept"),
        (
            *(*_several("Knot", 5), "Layers", "Keep this one", "Swap"),
            *("Two hats", "Line and hat", "Waves and cliff", "Undo", "Copy link", "Reset"),
            *("1. Who pays for the place", "2. A line for nothing", "3. Deeper"),
        ),
        _prices,
        "prices",
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
    assert violations_within(root.page, f".repcost-{kind.name}") + faint(root.page) == []


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
    root.locator("[tabindex='0'], input, button").first.focus()
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
        assert root.locator("svg[role]").first.is_visible()
        assert not _button(root, "Reset").is_visible()
    finally:
        light.emulate_media(media="screen")


def test_without_scripts_its_words_stay(kind, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((SITE / f"{kind.address}.html").as_uri())
    text = page.locator(f".repcost-{kind.name}").first.inner_text()
    assert "Needs JavaScript" in text and kind.words in text
    context.close()


def test_only_pages_with_a_widget_load_its_script(kind, light, visit):
    for name in parts(kind.name):
        assert light.locator(f"script[src*='{name}.js']").count() == 1
        assert light.locator(f"link[href*='{name}.css']").count() == has_look(name)
    page = visit.open("book/start/notation")
    assert page.locator("script[src*='widget'], link[href*='widget']").count() == 0


# ---- The tools that all of them have ----


def _state(root: Locator):
    return root.evaluate("root => root.repcostWidget.state()")


def _calm(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")


def test_what_a_reader_does_can_be_taken_back(kind, light):
    root = kind.on(light)
    first = _state(root)
    kind.work(root)
    root.page.wait_for_timeout(700)  # an arrow that moves by itself comes to rest
    assert _state(root) != first
    undo = _button(root, "Undo")
    for _ in range(60):
        if undo.get_attribute("aria-disabled") == "true":
            break
        undo.click()
    assert _state(root) == first


def test_control_z_takes_back_one_thing(kind, light):
    root = kind.on(light)
    slider = root.get_by_role("slider").first
    first = _state(root)
    slider.press("ArrowUp")
    second = _state(root)
    slider.press("ArrowUp")
    assert len({str(first), str(second), str(_state(root))}) == 3
    slider.press("Control+z")
    assert _state(root) == second
    slider.press("Control+z")
    assert _state(root) == first
    slider.press("Control+z")
    assert _state(root) == first


def test_the_address_holds_what_is_drawn(kind, visit):
    root = kind.on(visit.open(kind.address))
    first, page = _state(root), root.page
    kind.work(root)
    page.wait_for_function("kind => location.search.includes(`${kind}=`)", arg=kind.name)
    page.wait_for_timeout(1000)
    worked, address = _state(root), page.url
    assert worked != first
    page.goto("about:blank")
    page.goto(address)
    assert _state(OnPage(page, kind=kind.name).root) == worked
    _button(OnPage(page, kind=kind.name).root, "Reset").click()
    page.wait_for_function("kind => !location.search.includes(`${kind}=`)", arg=kind.name)


HOSTILE = ["", "(", "((0,1))", "(1e999,0)", "('x','y')", "(((0,0),(0,1)),'free')", "(0.1,7)"]
HOSTILE += ["(((0,0,0)),3)", "{}", "null", "(((1,1e300),(2,0)),-1)", "<script>", "(null,null)"]


def test_an_address_that_is_none_changes_nothing(kind, visit):
    root = kind.on(visit.open(kind.address))
    first = _state(root)
    for text in HOSTILE:
        found = root.evaluate(
            """(root, [kind, text]) => {
                history.replaceState(null, '', `?${kind}=${encodeURIComponent(text)}`);
                return repcostWidgets.address.read(root);
            }""",
            [kind.name, text],
        )
        assert found is None, text
    visit.open(kind.address, f"?{kind.name}=((0,0)")
    assert _state(OnPage(visit.page, kind=kind.name).root) == first


def test_its_stories_play_to_their_ends(kind, browser):
    with visitor(browser, "light") as visit:
        visit.page.clock.install()
        _calm(visit.page)
        root = OnPage(visit.open(kind.address), kind=kind.name).root
        stories = root.locator(".repcost-widget-stories button")
        assert stories.count() >= 3
        for n in range(stories.count()):
            before, told = _state(root), root.locator(".repcost-widget-caption")
            stories.nth(n).click()
            first = told.inner_text()
            assert stories.nth(n).get_attribute("aria-pressed") == "true"
            visit.page.clock.run_for(60_000)
            assert told.inner_text() != first
            assert stories.nth(n).get_attribute("aria-pressed") == "false"
            _button(root, "Undo").click()
            assert _state(root) == before, "one story is one thing to take back"


def test_a_reader_who_does_something_ends_a_story(kind, light):
    root = kind.on(light)
    story = root.locator(".repcost-widget-stories button").first
    story.click()
    root.get_by_role("slider").first.press("ArrowUp")
    assert story.get_attribute("aria-pressed") == "false"
    still = _state(root)
    root.page.wait_for_timeout(300)
    assert _state(root) == still
