"""Chromium on the built pages, with no network: every request that is not for a file is refused and
fails the test.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from typing import Literal, Self

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

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
        page.route("**/*", self._only_files)

    def _note(self, problem: str) -> None:
        self.problems.append(problem)

    def _only_files(self, route) -> None:
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            self._note(f"asked the network for {route.request.url}")
            route.abort()

    def open(self, name: str, fragment: str = "") -> Page:
        """A page of the book by its path without the ending, once its formulas are set."""
        self.page.goto(f"{(SITE / name).with_suffix('.html').as_uri()}{fragment}")
        self.page.wait_for_function(
            "!window.MathJax || (MathJax.startup && MathJax.startup.promise !== undefined)"
        )
        self.page.evaluate("window.MathJax ? MathJax.startup.promise.then(() => true) : true")
        return self.page


@contextlib.contextmanager
def visitor(browser: Browser, scheme: Literal["light", "dark"]) -> Iterator[Visit]:
    """A fresh visitor with a desktop window; the page must come through without a problem."""
    context = browser.new_context(viewport={"width": 1300, "height": 900}, color_scheme=scheme)
    if scheme == "dark":
        context.add_init_script(
            "localStorage.setItem('mode', 'dark'); localStorage.setItem('theme', 'dark')"
        )
    visit = Visit(context.new_page())
    yield visit
    visit.page.unroute_all(
        behavior="ignoreErrors"
    )  # or a request on its way complains when the page goes
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
def dark_visit(browser) -> Iterator[Visit]:
    with visitor(browser, "dark") as visit:
        yield visit


@pytest.fixture
def phone(browser) -> Iterator[Visit]:
    context = browser.new_context(
        viewport={"width": 375, "height": 800}, has_touch=True, is_mobile=True
    )
    visitor = Visit(context.new_page())
    yield visitor
    context.close()
    assert not visitor.problems


class OnPage:
    """A widget of a page, seen as a reader does: handles by their places, the outcome by what is
    announced.
    """

    kind: str

    def __init__(self, page: Page, number: int = 0, kind: str = ""):
        self.page = page
        self.kind = kind or self.kind
        self.root = page.locator(f".repcost-{self.kind}").nth(number)
        self.handles = self.root.locator(".repcost-widget-handle")

    @property
    def state(self) -> dict:
        return self.root.evaluate("root => root.repcostWidget.state()")

    @property
    def points(self) -> list[list[float]]:
        return self.state["points"]

    def centre(self, n: int) -> tuple[float, float]:
        """Of handle n, counted from one as its name is."""
        return middle(self.handles.nth(n - 1).locator(".repcost-widget-dot"))

    def anew(self) -> Self:
        """As it is when the page has just been opened; opening it again would take a hundred times
        as long.
        """
        self.root.evaluate(
            """(root, kind) => {
                root.repcostWidget.remove();
                delete root.repcostWidget;
                const { names, mount } = repcostWidgets.kinds[kind];
                repcostWidgets.define(kind, names, mount);
            }""",
            self.kind,
        )
        self.page.mouse.move(0, 0)
        self.root.scroll_into_view_if_needed()
        return self

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def told(self) -> str:
        """What a screen reader is told, once the drawing has come to rest."""
        self.root.locator("[role=status]:not([aria-busy=true])").wait_for(
            state="attached", timeout=3000
        )
        return self.root.get_by_role("status").inner_text()


def middle(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Finger:
    """Touches as the browser receives them from a screen, so that scrolling and `touch-action` are
    decided by it.
    """

    def __init__(self, page):
        self.session = page.context.new_cdp_session(page)

    def drag(self, start, by, steps=8):
        self._send("touchStart", start)
        for step in range(1, steps + 1):
            self._send(
                "touchMove", (start[0] + by[0] * step / steps, start[1] + by[1] * step / steps)
            )
        self.session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def _send(self, kind, at):
        self.session.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}]}
        )


def contrast(one: str, other: str) -> float:
    """As WCAG counts it, between two opaque colours: #rrggbb, or rgb(r, g, b)."""

    def luminance(colour: str) -> float:
        parts = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour)
        channels = map(int, parts.groups()) if parts else bytes.fromhex(colour[1:])
        linear = [
            c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
            for c in (n / 255 for n in channels)
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


# For scripts of tests: load(text) is the widget that a notebook imports, and modelOf(state) stands
# for its kernel.
NOTEBOOK = """
const load = async text => (await import(URL.createObjectURL(new Blob([text], {type: 'text/javascript'})))).default;
const modelOf = state => {
    const heard = {}, saved = [];
    return {
        state, heard, saved,
        get: name => state[name],
        set(name, value) {
            const changes = state[name] !== value;
            state[name] = value;
            if (changes) heard['change:' + name]?.();
        },
        save_changes() { saved.push(JSON.stringify(state)); },
        on(event, act) { heard[event] = act; },
        off(event) { delete heard[event]; },
    };
};
const place = () => document.body.appendChild(document.createElement('div'));
"""
