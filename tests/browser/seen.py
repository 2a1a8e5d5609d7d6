"""What one visit to a page collects; the tests look at that, and open nothing again."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.colours import MARKED, faint, mark_pairs
from tests.browser.conftest import Visit

WCAG = ["wcag2a", "wcag2aa"]
# Rules of axe about colours.
OF_COLOURS = ["color-contrast", "link-in-text-block"]


@dataclass(frozen=True)
class Seen:
    """A page in the light, in the dark, on a phone: what is wrong with it, by name.

    moved: what moved after the first paint, as the browser scores it.
    themes: what the page took for its theme when the reader's system asked for light, and for dark.
    wide: how wide it is in a window of 375.
    unsigned: what scrolls by itself there and does not show it.
    beyond: what lies beyond the edges of windows of 1366 and 1024.
    code: the share of its height that code takes, as it opens; of its `open` cells alone.
    set_up: cells of imports and parameters that are seen.
    behind: those that wait behind the line under the title.
    """

    name: str
    text: str
    moved: float
    faults: dict[str, int]
    broken_links: list[str]
    problems: list[str]
    themes: tuple[str, str]
    faint_in_the_light: list[str]
    faint_in_the_dark: list[str]
    wide: int
    outside: list[str]
    unsigned: list[str]
    beyond: list[str]
    violations: list[str]
    code: tuple[float, float]
    set_up: int
    behind: int


SAYS = ":text-matches('[^ ]')"
# What no page may show.
FAULTS = {
    "a formula with an error": "merror, mjx-container:not(:has(use, path, rect))",
    "letters that are not drawn": "use:not([href])",
    "a message of the builder": ".system-message, .error, .problematic",
    "a figure without alternative text": "main img:not([alt]), main img[alt='']",
    "a column without a heading": f"main th:not({SAYS}, :has({SAYS}))",
    "a second header": "header ~ header, body > header ~ * header input[type=search]",
}


def seen(visit: Visit, name: str) -> Seen:
    """Open a page once and look at it in every way."""
    visit.problems.clear()
    page = visit.open(name)
    moved = page.evaluate(MOVED)
    text = page.locator("main").inner_text()
    faults = {fault: page.locator(there).count() for fault, there in FAULTS.items()}
    light, faint_in_the_light = _theme(page), faint(page)
    code, set_up, behind = page.evaluate(CODE)
    (wide, outside, unsigned), *beyond = in_windows(page, WINDOWS)
    dark, faint_in_the_dark = in_the_dark(page)
    return Seen(
        name,
        text,
        moved,
        faults,
        broken_links(page),
        list(visit.problems),
        (light, dark),
        faint_in_the_light,
        faint_in_the_dark,
        wide,
        outside,
        unsigned,
        [each for (found,) in beyond for each in found],
        # The last, because it changes the page.
        violations(page),
        (code["all"], code["open"]),
        set_up,
        behind,
    )


# As the browser scores it: the share of the screen that moves, times how far.
WATCH = """
    window.moved = [];
    const note = list => window.moved.push(...list.getEntries().map(({ value }) => value));
    new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true });
"""
MOVED = """() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(
    window.moved.reduce((sum, one) => sum + one, 0)), 50)))"""


# Folded code has a height too, while nobody sees it.
CODE = """() => {
    const seen = e => e.checkVisibility();
    const tall = cells => [...cells].filter(seen).reduce((sum, e) => sum + e.offsetHeight, 0);
    const text = document.querySelector('main section, main article');
    const share = cells => tall(text.querySelectorAll(cells)) / text.offsetHeight;
    const set_up = ['parameters', 'injected-parameters', 'imports', 'glue']
        .map(name => `.tag_${name} .cell_input, .repcost-about .cell_input`);
    return [{all: share('.cell_input'), open: share('.tag_open > .cell_input')},
        [...text.querySelectorAll(set_up)].filter(seen).length,
        text.querySelectorAll('.repcost-about .highlight').length];
}"""


def in_the_dark(page: Page) -> tuple[str, list[str]]:
    """The theme of the page, and its faint colours, when the reader's system is dark."""
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    try:
        page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
        return _theme(page), faint(page)
    finally:
        page.emulate_media(color_scheme="light")
        page.wait_for_function("document.documentElement.dataset.theme === 'light'")


def _theme(page: Page) -> str:
    return page.evaluate("document.documentElement.dataset.theme")


def violations(page: Page) -> list[str]:
    """What axe finds on a page against WCAG 2 A and AA, apart from the colours of code.

    It would take four fifths of its time for the colours of each word; of these it is asked once
    for each pair of colours.
    """
    _prepare(page)
    mark_pairs(page)
    others = {"rules": {name: {"enabled": False} for name in OF_COLOURS}}
    colours = {"runOnly": {"type": "rule", "values": OF_COLOURS}}
    return _found(page, "html", others) + _found(page, MARKED, colours)


def violations_within(page: Page, part: str) -> list[str]:
    """What axe finds in a part of a page, there for each word."""
    _prepare(page)
    return _found(page, part, {})


def _prepare(page: Page) -> None:
    page.evaluate(FLATTEN)
    page.evaluate(Axe().axe_script)


def _found(page: Page, part: str, special: dict) -> list[str]:
    context = {"include": [[part]], "exclude": [["mjx-container > svg"], [".highlight pre"]]}
    options = {"runOnly": WCAG, "preload": False, "resultTypes": ["violations"], **special}
    found = page.evaluate(RUN, [context, options])
    return [
        f"{one['id']}: {node['target']} {node['html'][:120]}"
        for one in found
        for node in one["nodes"]
    ]


RUN = "([part, options]) => axe.run(part, options).then(found => found.violations)"
# The strokes of a formula are hidden from readers' tools, and its MathML and the words of code are
# thousands of elements that axe has no rule for, but would walk through for each: frames and plain
# text of the same size stand for them. What lies behind each word of code `faint` knows.
FLATTEN = """() => {
    const find = names => document.querySelectorAll(names);
    find('mjx-container > svg').forEach(formula => formula.replaceChildren());
    find('mjx-container > math, .highlight pre').forEach(e => e.replaceChildren(e.textContent));
}"""


def broken_links(page: Page) -> list[str]:
    """Links within the book to a file or an anchor that is not there."""
    links = page.eval_on_selector_all("a[href]", LINKS)
    return sorted(link for link in set(links) if link.startswith("file:") and _leads_nowhere(link))


# A link in a drawing has its address as it was written.
LINKS = "all => all.map(a => new URL(a.href.baseVal ?? a.href, location).href)"


# Every page links to most others.
@cache
def _leads_nowhere(link: str) -> bool:
    address, _, fragment = link.partition("#")
    path = Path(url2pathname(urlsplit(address).path))
    return not path.is_file() or (
        bool(fragment) and path.suffix == ".html" and f'id="{fragment}"' not in _html(path)
    )


@cache
def _html(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def on_a_phone(page: Page) -> tuple[int, list[str]]:
    """How wide a page is in a narrow window, and what lies outside of it, or beside the text."""
    return in_windows(page, {375: (WIDTH, OUTSIDE)})[0]


def in_windows(page: Page, asked: Mapping[int, tuple[str, ...]]) -> list[Any]:
    """What scripts find in windows of some widths."""
    desktop, found = page.viewport_size, []
    assert desktop
    try:
        for width, scripts in asked.items():
            page.set_viewport_size({"width": width, "height": 800})
            found.append(tuple(page.evaluate(script) for script in scripts))
        return found
    finally:
        page.set_viewport_size(desktop)


# What is folded has a place, too, and a page may hide what lies beyond its edge.
FINDS = """
    const inScroller = e => e && (/auto|scroll/.test(getComputedStyle(e).overflowX)
        || inScroller(e.parentElement));
    const isSeen = e => e.checkVisibility() && !e.closest('details:not([open])');
    // Strokes of formulas and figures are most of what there is, and stay where these are.
    const drawn = 'svg *, math, math *, .repcost-unseen, .repcost-unseen *, .repcost-skip'
        + ', .repcost-menu *';
    const all = [...document.querySelectorAll(`main *:not(${drawn})`)].filter(isSeen);
    const told = e => e.outerHTML.slice(0, 90);
"""
BEYOND = f"""() => {{
    {FINDS}
    const isBeyond = box => box.width > 1 && box.height > 1
        && (box.left < -1 || box.right > document.documentElement.clientWidth + 1);
    return all.filter(e => isBeyond(e.getBoundingClientRect()) && !inScroller(e)).map(told);
}}"""
# A fade at its end, and reached by keys.
UNSIGNED = f"""async () => {{
    {FINDS}
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    const isCut = e => /auto|scroll/.test(getComputedStyle(e).overflowX)
        && e.scrollWidth > e.clientWidth + 1;
    const isSigned = e => e.tabIndex === 0 && getComputedStyle(e).maskImage !== 'none';
    return all.filter(e => isCut(e) && !isSigned(e)).map(told);
}}"""
OUTSIDE = """() => {
    const find = names => [...document.querySelectorAll(names)];
    const scrolls = e => e && getComputedStyle(e).overflowX === 'auto';
    const text = 'main img, main p, main div.proof, main h1, main h2';
    const all = `${text}, main mjx-container > svg`;
    const outside = find(all).filter(e => e.getBoundingClientRect().right > 376
        && !e.closest('.pst-scrollable-table-container')
        && !scrolls(e.closest('mjx-container')));
    const beside = find('main aside').filter(e => getComputedStyle(e).float !== 'none');
    return [...outside, ...beside].map(e => e.outerHTML.slice(0, 80));
}"""
WIDTH = "document.documentElement.scrollWidth"
# A phone, and laptops.
WINDOWS = {375: (WIDTH, OUTSIDE, UNSIGNED), 1366: (BEYOND,), 1024: (BEYOND,)}
