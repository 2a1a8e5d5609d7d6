"""What the tests of the drawings share: a drawing as a reader uses it, and its script's numbers."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from playwright.sync_api import Locator, Page

# The script computes what the library computes, to this.
CLOSE = 1e-9

Errors = Mapping[str, float]


def disagreements(errors: Callable[..., Errors], inputs: Sequence, answers: Sequence) -> list:
    """Where the script is further than CLOSE from the library; NaN counts."""
    return [
        (name, error, given[:2])
        for given, answer in zip(inputs, answers, strict=True)
        for name, error in errors(*given, answer).items()
        if not error <= CLOSE
    ]


def noticed(
    errors: Callable[..., Errors],
    inputs: Sequence,
    answers: Sequence,
    change: Callable[[Any], dict],
) -> int:
    """For how many inputs the answers of a wrong formula are told from the library's."""
    wrong = [{**answer, **change(answer)} for answer in answers]
    pairs = zip(inputs, wrong, strict=True)
    return sum(max(errors(*given, answer).values()) > CLOSE for given, answer in pairs)


class OnPage:
    """A widget of a page as a reader meets it: handles by their places, words as announced."""

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
        """As it is when the page has just been opened, in a hundredth of the time."""
        self.root.evaluate(
            """(root, kind) => {
                root.repcostWidget.remove();
                history.replaceState(null, '', location.pathname);
                delete root.repcostWidget;
                const { names, mount, allows } = repcostWidgets.kinds[kind];
                repcostWidgets.define(kind, names, mount, allows);
            }""",
            self.kind,
        )
        self.page.mouse.move(0, 0)
        self.root.scroll_into_view_if_needed()
        return self

    def drags_one(self, n: int, by: tuple[float, float]) -> tuple[list[float], list[float]]:
        """Where point n was, and is after a drag by the mouse that moved no other.

        Caught off its centre it does not jump, and once it is let go it stays.
        """
        before, mouse = self.state, self.page.mouse
        x, y = self.centre(n)
        mouse.move(x + 3, y - 2)
        mouse.down()
        assert self.state == before
        mouse.move(x + 3 + by[0], y - 2 + by[1], steps=7)
        mouse.up()
        mouse.move(x, y, steps=3)
        after = self.state
        others = [point for m, point in enumerate(after["points"]) if m != n - 1]
        assert others == [point for m, point in enumerate(before["points"]) if m != n - 1]
        same = set(after) - {"points"}
        assert {name: after[name] for name in same} == {name: before[name] for name in same}
        return before["points"][n - 1], after["points"][n - 1]

    def follows_keys(self, n: int, keys: Iterable[tuple[str, float, float]]) -> None:
        """Each key moves point n by so much in x and in y, and nothing else."""
        for key, right, up in keys:
            expected = [list(point) for point in self.points]
            expected[n - 1] = [expected[n - 1][0] + right, expected[n - 1][1] + up]
            self.handles.nth(n - 1).press(key)
            assert self.points == expected, key

    def centre_on_screen(self, handle: int | Locator) -> tuple[float, float]:
        """Of a handle, by its number or itself, with its drawing in the middle of the screen."""
        self.root.locator("svg[role]").first.evaluate(
            "svg => svg.scrollIntoView({block: 'center'})"
        )
        return self.centre(handle) if isinstance(handle, int) else middle(handle)

    def finger_drags(self, at: tuple[float, float], by: tuple[float, float]) -> None:
        """A finger near the handle at this place moves it, and the page stays."""
        scroll = self._scrolled()
        Finger(self.page).drag((at[0] + 5, at[1] + 5), by)
        assert self._scrolled() == scroll

    def finger_scrolls(self, at: tuple[float, float]) -> None:
        """A finger at this place, which is no handle's, scrolls the page and changes nothing."""
        before, scroll = self.state, self._scrolled()
        Finger(self.page).drag(at, (0, -100))
        self.page.wait_for_function("scroll => window.scrollY !== scroll", arg=scroll)
        assert self.state == before

    def _scrolled(self) -> float:
        return self.page.evaluate("window.scrollY")

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


def drag(page: Page, start: tuple[float, float], by: tuple[float, float]) -> None:
    """With the mouse, in steps."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + by[0], start[1] + by[1], steps=9)
    page.mouse.up()


def drag_along(slider: Locator, start: float, end: float) -> None:
    """The thumb of a range, from one part of its length to another."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box
    at = box["x"] + start * box["width"], box["y"] + box["height"] / 2
    drag(slider.page, at, ((end - start) * box["width"], 0))


def arrows(right: float, up: float) -> list[tuple[str, float, float]]:
    """What the four arrows move a point by, in x and in y."""
    across = [("ArrowRight", right, 0.0), ("ArrowLeft", -right, 0.0)]
    return [*across, ("ArrowUp", 0.0, up), ("ArrowDown", 0.0, -up)]


def pages(up: float) -> list[tuple[str, float, float]]:
    """The same for Page Up and Page Down."""
    return [("PageUp", 0.0, up), ("PageDown", 0.0, -up)]


class Finger:
    """Touches as the browser receives them: it decides between scrolling and `touch-action`."""

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
const address = text => URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
const load = async text => (await import(address(text))).default;
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
