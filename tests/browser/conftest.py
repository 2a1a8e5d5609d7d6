"""Chromium on the built pages, with no network: every request that is not for a file fails the test
(and would find nothing).
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

import jaxtyping
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from repcost_book.runner.project import Project

PROJECT = Project.here()
SITE = PROJECT.html
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
INSTALL = "apt-get install chromium   (or set CHROMIUM to where it is)"


def _skip(reason: str) -> None:
    """A reader without a browser loses nothing; CI must not pass by skipping."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module", autouse=True)
def unchecked_types() -> Iterator[None]:
    """Drawings ask the library for thousands of numbers, which takes three times as long with its
    shapes and types checked; its own tests do that.
    """
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    path = next((found for found in map(shutil.which, names) if found), None)
    if path is None:
        _skip(f"no Chromium here: {INSTALL}")
    if not (SITE / "index.html").is_file():
        _skip("the pages are not built: make book")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page that remembers what went wrong while it was open."""

    def __init__(self, page: Page):
        self.page = page
        self.problems: list[str] = []
        page.on(
            "console", lambda message: self._note(message.text) if message.type == "error" else None
        )
        page.on("pageerror", lambda error: self._note(f"script error: {error}"))
        page.on("requestfailed", self._note_failure)
        # Told of, and not answered by us: that would stop the page at each of its files.
        page.on("request", lambda request: self._only_files(request.url))

    def _note(self, problem: str) -> None:
        self.problems.append(problem)

    def _note_failure(self, request: Request) -> None:
        # What a narrower window shows in its place is no longer waited for, and nothing is missing.
        if request.failure != "net::ERR_ABORTED":
            self._note(f"failed: {request.url}")

    def _only_files(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self._note(f"asked the network for {url}")

    def open(self, name: str, fragment: str = "") -> Page:
        """A page of the book by its path without the ending."""
        self.page.goto(f"{(SITE / name).with_suffix('.html').as_uri()}{fragment}")
        return self.page


DESKTOP: dict[str, Any] = {"viewport": {"width": 1300, "height": 900}}
READERS: dict[str, dict[str, Any]] = {
    "light": {**DESKTOP, "color_scheme": "light"},
    "dark": {**DESKTOP, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 375, "height": 800}, "has_touch": True, "is_mobile": True},
}


def _reader(browser: Browser, kind: str) -> BrowserContext:
    context = browser.new_context(**READERS[kind], offline=True)
    if kind == "dark":
        context.add_init_script(
            "localStorage.setItem('mode', 'dark'); localStorage.setItem('theme', 'dark')"
        )
    return context


@contextlib.contextmanager
def visitor(browser: Browser, kind: str) -> Iterator[Visit]:
    """A reader who was never here; the pages must come through without a problem."""
    context = _reader(browser, kind)
    visit = Visit(context.new_page())
    yield visit
    context.close()
    assert not visit.problems


@pytest.fixture(scope="session")
def readers(browser) -> Iterator[dict[str, BrowserContext]]:
    """A reader of each kind, who comes again: a new one takes the browser three times as long."""
    readers = {kind: _reader(browser, kind) for kind in READERS}
    yield readers
    for context in readers.values():
        context.close()


@pytest.fixture(scope="session")
def reader(browser) -> Iterator[Visit]:
    """One window for all pages, one after the other; each has to answer for its own problems."""
    with visitor(browser, "light") as visit:
        yield visit


@contextlib.contextmanager
def again(reader: BrowserContext) -> Iterator[Visit]:
    """A new window of a reader, who has forgotten what was before."""
    visit = Visit(reader.new_page())
    yield visit
    if visit.page.url.startswith("file:"):
        visit.page.evaluate("localStorage.clear()")
    for page in reader.pages:
        page.close()
    assert not visit.problems


@pytest.fixture
def visit(readers) -> Iterator[Visit]:
    with again(readers["light"]) as visit:
        yield visit


@pytest.fixture
def dark_visit(readers) -> Iterator[Visit]:
    with again(readers["dark"]) as visit:
        yield visit


@pytest.fixture
def phone(readers) -> Iterator[Visit]:
    with again(readers["phone"]) as visit:
        yield visit


@pytest.fixture(scope="module")
def opened(request, browser) -> Iterator[Page]:
    """The page that the tests of a module are about, opened once for all of them."""
    with visitor(browser, "light") as visit:
        yield visit.open(request.module.PAGE)


@pytest.fixture
def drawing(request, opened):
    """The first drawing of that page, by the module's own `Drawing`, as if just opened."""
    return request.module.Drawing(opened).anew()
