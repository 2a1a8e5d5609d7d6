"""Every page as a reader meets it: from a file, without a network, in light, dark, narrow and on
paper.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from repcost_book.runner.chapters import chapters, pages
from tests.browser.conftest import PROJECT, SITE, visitor
from tests.browser.drawings import contrast

PAGES = pages(PROJECT)
CHAPTERS = [f"book/{chapter.name}" for chapter in chapters(PROJECT)]
# What may be loaded once for the whole book; the rest belongs to a page.
PAGE_BUDGET = 1_500_000


# Of the rules, what another theme can break.
WCAG, COLOURS = ["wcag2a", "wcag2aa"], ["color-contrast", "link-in-text-block"]


def violations(page, rules=WCAG, within="html") -> list[str]:
    """What axe finds against WCAG 2 A and AA, and code that is too faint."""
    # The strokes of a formula are hidden from readers' tools (MathJax adds MathML for them), and
    # there are thousands. So are there words of code, of a dozen colours: axe would ask for each
    # what lies behind it.
    context = {"include": [[within]], "exclude": [["mjx-container > svg"], [".highlight pre"]]}
    options = {"runOnly": rules, "preload": False, "resultTypes": ["violations"]}
    found = Axe().run(page, context=context, options=options).response["violations"]
    named = [
        f"{one['id']}: {node['target']} {node['html'][:120]}"
        for one in found
        for node in one["nodes"]
    ]
    return named + [
        f"faint code: {ink} on {ground}"
        for ink, ground in inks(page)
        if contrast(ink, ground) < 4.5
    ]


def inks(page) -> list[tuple[str, str]]:
    """The colours of code, each with that of its background."""
    return page.evaluate(
        """() => {
            const ground = element => {
                const { backgroundColor } = getComputedStyle(element);
                const isClear = backgroundColor === 'rgba(0, 0, 0, 0)';
                return isClear ? ground(element.parentElement) : backgroundColor;
            };
            const code = [...document.querySelectorAll('.highlight pre, .highlight pre span')];
            const look = e => JSON.stringify([getComputedStyle(e).color, ground(e)]);
            const pairs = new Set(code.map(look));
            return [...pairs].map(JSON.parse);
        }"""
    )


def broken_links(page) -> list[str]:
    """Links within the book to a file or an anchor that is not there."""
    links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
    broken = []
    for link in {link for link in links if link.startswith("file:")}:
        address, _, fragment = link.partition("#")
        path = Path(url2pathname(urlsplit(address).path))
        target = (
            path.read_text(encoding="utf-8") if path.suffix == ".html" and path.is_file() else None
        )
        if not path.is_file() or (
            fragment and target is not None and f'id="{fragment}"' not in target
        ):
            broken.append(link)
    return broken


def too_wide(page) -> list[str]:
    """What a reader with a phone would have to look for outside the window."""
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 376
    return page.evaluate(
        """() => {
             const find = names => [...document.querySelectorAll(names)];
             const scrolls = e => e && getComputedStyle(e).overflowX === 'auto';
             const text = 'main img, main p, main div.proof, main h1, main h2';
             const all = `${text}, .bd-article mjx-container > svg`;
             const outside = find(all).filter(e => e.getBoundingClientRect().right > 376
               && !e.closest('.pst-scrollable-table-container')
               && !scrolls(e.closest('p, mjx-container[display]')));
             const beside = find('main aside').filter(e => getComputedStyle(e).float !== 'none');
             return [...outside, ...beside].map(e => e.outerHTML.slice(0, 80));
           }"""
    )


@pytest.fixture(scope="module", params=PAGES)
def opened(request, browser) -> Iterator[Page]:
    """A page, opened once for all that is looked at in it; the tests leave it as they found it."""
    with visitor(browser, "light") as visit:
        yield visit.open(request.param)


def test_it_opens_complete_and_leads_somewhere(opened):
    text = opened.locator("main").inner_text()
    assert "\\(" not in text and "\\[" not in text and "$$" not in text, "a formula was not set"
    assert opened.locator("mjx-merror").count() == 0
    assert opened.locator(".system-message, .error, .problematic").count() == 0
    assert opened.locator("main img:not([alt]), main img[alt='']").count() == 0, (
        "a figure has no alternative text"
    )
    assert opened.locator("header input[type=search], .bd-header .search-button").count() == 0, (
        "a second header"
    )
    assert broken_links(opened) == []


def test_it_is_accessible_in_the_light(opened):
    assert opened.evaluate("document.documentElement.dataset.theme") == "light"
    assert violations(opened) == []


def test_it_is_accessible_in_the_dark(opened):
    opened.emulate_media(color_scheme="dark", reduced_motion="reduce")
    try:
        opened.wait_for_function("document.documentElement.dataset.theme === 'dark'")
        assert violations(opened, COLOURS) == []
    finally:
        opened.emulate_media(color_scheme="light")


def test_it_fits_a_phone(opened):
    desktop = opened.viewport_size
    try:
        assert too_wide(opened) == []
    finally:
        opened.set_viewport_size(desktop)


@pytest.mark.parametrize("name", PAGES)
def test_it_keeps_within_its_budget(name):
    page = SITE / f"{name}.html"
    pictures = [
        path
        for path in (SITE / "_images").glob("*")
        if path.name in page.read_text(encoding="utf-8")
    ]
    assert page.stat().st_size + sum(path.stat().st_size for path in pictures) < PAGE_BUDGET


@pytest.mark.parametrize("name", PAGES)
def test_it_loads_no_widget_manager(name):
    text = (SITE / f"{name}.html").read_text(encoding="utf-8")
    assert "require.js" not in text and "embed-amd" not in text and "html-manager" not in text


def test_a_narrow_window_opens_the_menu(visit):
    visit.page.set_viewport_size({"width": 375, "height": 800})
    page = visit.open("book/start/welcome")
    page.locator(".primary-toggle, .sidebar-toggle.primary-toggle").first.click()
    page.get_by_role("link", name="Notation").first.wait_for(state="visible")


def test_the_theme_is_that_of_the_readers_system(dark_visit):
    page = dark_visit.open("book/start/welcome")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_theme_switches(visit):
    page = visit.open("book/start/welcome")
    seen = set()
    for _ in range(3):
        page.locator(".theme-switch-button").first.click()
        seen.add(page.evaluate("document.documentElement.dataset.theme"))
    assert seen == {"light", "dark"}


def test_a_dark_page_is_printed_in_the_light_theme(dark_visit):
    page = dark_visit.open("book/savarese-2019/rescaling")
    page.evaluate(
        """addEventListener('beforeprint', () => {
            window.printed = document.documentElement.dataset.theme;
        })"""
    )
    page.pdf()
    assert page.evaluate("window.printed") == "light"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_paper_shows_the_text_alone(visit):
    page = visit.open("book/savarese-2019/rescaling")
    page.emulate_media(media="print")
    assert not page.locator(".bd-sidebar-primary").is_visible()
    assert (
        page.locator("h1").first.is_visible() and page.locator("mjx-container").first.is_visible()
    )


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_download_is_plain_markdown(name):
    notebook = nbformat.read(SITE / "_sources" / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert (
        "```{" not in prose
        and "{glue" not in prose
        and "{cite" not in prose
        and ":label:" not in prose
    )
    assert "pip install" in prose
