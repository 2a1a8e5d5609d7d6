"""Chromium on the built pages, with no network: every request that is not for a file fails the test
(and would find nothing).
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Literal

import jaxtyping
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

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
        page.on("requestfailed", lambda request: self._note(f"failed: {request.url}"))
        # Told of, and not answered by us: that would stop the page at each of its files.
        page.on("request", lambda request: self._only_files(request.url))

    def _note(self, problem: str) -> None:
        self.problems.append(problem)

    def _only_files(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self._note(f"asked the network for {url}")

    def open(self, name: str, fragment: str = "") -> Page:
        """A page of the book by its path without the ending."""
        self.page.goto(f"{(SITE / name).with_suffix('.html').as_uri()}{fragment}")
        return self.page


@contextlib.contextmanager
def visitor(browser: Browser, scheme: Literal["light", "dark"]) -> Iterator[Visit]:
    """A fresh visitor with a desktop window; the page must come through without a problem."""
    context = browser.new_context(
        viewport={"width": 1300, "height": 900}, color_scheme=scheme, offline=True
    )
    if scheme == "dark":
        context.add_init_script(
            "localStorage.setItem('mode', 'dark'); localStorage.setItem('theme', 'dark')"
        )
    visit = Visit(context.new_page())
    yield visit
    context.close()
    assert not visit.problems


@pytest.fixture
def visit(browser) -> Iterator[Visit]:
    with visitor(browser, "light") as visit:
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


@pytest.fixture
def dark_visit(browser) -> Iterator[Visit]:
    with visitor(browser, "dark") as visit:
        yield visit


@pytest.fixture
def phone(browser) -> Iterator[Visit]:
    context = browser.new_context(
        viewport={"width": 375, "height": 800}, has_touch=True, is_mobile=True, offline=True
    )
    visitor = Visit(context.new_page())
    yield visitor
    context.close()
    assert not visitor.problems
