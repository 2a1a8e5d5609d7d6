"""The small live figures: each shows the numbers of the library, and its slider can be worked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page
from scipy.optimize import root_scalar

from repcost import (
    TwoLayer,
    cost_per_layer,
    function_cost,
    interpolate_line,
    linear_layers_cost,
    regularised_fit,
    schatten_power,
)
from repcost.constructions import direction_between, ray_directions, rescaled, turned_to
from repcost.datasets import example_networks, ten_points
from repcost.experiments import paid_biases
from repcost_book.kernel.widgets import (
    Aligned,
    LiveFigure,
    Moved,
    PerLayer,
    Powers,
    Rescaling,
    Strengths,
)
from repcost_book.kernel.widgets.base import parts
from tests.browser.conftest import SITE, visitor
from tests.browser.drawings import CLOSE, OnPage, drag_along
from tests.browser.seen import violations_within

TEN, FIVE = np.column_stack(ten_points()), np.column_stack(paid_biases.FIVE)
LARGEST = 20_000  # bytes of script, without the common parts


def _rescaling(given: dict, s: float) -> dict[str, float]:
    net = rescaled(TwoLayer([[given["w"]]], [given["a"]], [0.0]), [s])
    into = np.sum(net.W**2) / 2
    return {"into": into, "out": net.weight_cost - into, "least": net.path_norm}


def _powers(given: dict, depth: int) -> dict[str, float]:
    return {"sum": schatten_power(np.diag(given["values"]), 2 / depth)}


def _nets(given: dict, angle: float) -> list[TwoLayer]:
    """Along the rays and along w_0, with outer weights of both signs and no bias."""
    first, second = given["weights"]
    f = TwoLayer(ray_directions(np.pi * angle), [first, -second])
    return [f, turned_to(f, direction_between(np.pi * (1 - angle) / 2))]


def _aligned(given: dict, depth: int) -> dict[str, float]:
    """Some of the stored costs anew, and the crossing between the two places beside it."""

    def ahead(angle: float) -> float:
        f, g = (linear_layers_cost(net, depth).value for net in _nets(given, angle))
        return f - g

    angles = given["angles"]
    wins = [ahead(angle) > 0 for angle in angles]
    if wins[0] or not any(wins):
        return {"from": angles[0] if wins[0] else -1.0}
    n = wins.index(True)
    return {"from": root_scalar(ahead, bracket=angles[n - 1 : n + 1], xtol=1e-8).root}


def _moved(given: dict, c: float) -> dict[str, float]:
    x, y = np.array(given["points"]).T
    return {"cost": interpolate_line(x + c, y, biases="paid").cost.value}


def _strengths(given: dict, n: int) -> dict[str, float]:
    x, y = TEN.T
    fit = regularised_fit(x, y, given["strongest"] * np.geomspace(1, 1e-3, 41)[n])
    error = np.sqrt(np.mean((fit.fitted - y) ** 2))
    return {"cost": function_cost(fit.function).value, "error": error}


TENT = example_networks()["tent"]


def _perlayer(given: dict, depth: int) -> dict[str, float]:
    cost = cost_per_layer(TENT.network, depth, TENT.domain)
    return {"lower": cost.lower, "upper": cost.upper}


@dataclass(frozen=True)
class Figure:
    """A figure as its chapter has it; where it is asked; the library's answer; what is as close."""

    page: str
    python: LiveFigure
    script: str
    places: list
    right: Callable[[dict, Any], dict[str, float]]
    close: float = CLOSE

    def __str__(self) -> str:
        return self.python.kind

    def found(self, page: Page) -> list[dict]:
        ask = f"([given, all]) => all.map(at => {self.script}.solve(given, at))"
        return page.evaluate(ask, [self.python.given, self.places])

    def off(self, found: dict, at: float) -> float:
        right = self.right(self.python.given, at)
        told = {name: -1.0 if found[name] is None else found[name] for name in right}
        return max(abs(told[name] - value) / (1 + abs(value)) for name, value in right.items())


FIGURES = [
    Figure(
        "savarese-2019/rescaling",
        Rescaling(2.0, 0.5),
        "repcostRescaling",
        np.geomspace(0.2, 5, 60).tolist(),
        _rescaling,
    ),
    Figure(
        "savarese-2019/linear-networks",
        Powers([4, 1, 0.2]),
        "repcostPowers",
        [*range(2, 65)],
        _powers,
    ),
    # Between two stored places the crossing is straight.
    Figure("ongie-willett-2022/angle", Aligned(), "repcostAligned", [*range(2, 9)], _aligned, 1e-4),
    Figure(
        "savarese-2019/biases",
        Moved(FIVE),
        "repcostMoved",
        np.linspace(-4, 4, 41).tolist(),
        _moved,
        1e-7,
    ),
    Figure(
        "savarese-2019/fits", Strengths(TEN), "repcostStrengths", [*range(0, 41, 4)], _strengths
    ),
    Figure(
        "jacot-2023/infinite-depth",
        PerLayer(TENT.network, TENT.domain, TENT.jacobian_rank),
        "repcostPerLayer",
        [4, 6, 16, 64, 256],
        _perlayer,
    ),
]


@pytest.fixture(scope="module", params=FIGURES, ids=str)
def figure(request) -> Figure:
    return request.param


@pytest.fixture(scope="module")
def page(figure, browser) -> Iterator[Page]:
    with visitor(browser, "light") as visit:
        yield visit.open(f"book/{figure.page}")


@pytest.fixture
def drawn(figure, page) -> OnPage:
    return OnPage(page, kind=figure.python.kind).anew()


def test_its_numbers_are_the_librarys(figure, page):
    pairs = zip(figure.found(page), figure.places, strict=True)
    assert max(figure.off(found, at) for found, at in pairs) < figure.close


def test_numbers_of_another_place_are_noticed(figure, page):
    found = figure.found(page)
    off = [figure.off(one, at) for one, at in zip(found[1:], figure.places, strict=False)]
    assert np.mean(np.array(off) > figure.close) > 0.25


def test_the_chapter_has_the_very_figure(figure, drawn):
    given = drawn.root.evaluate("root => JSON.parse(root.dataset.given)")
    here = figure.python.given
    assert set(given) == set(here)
    for name, value in here.items():
        if name != "fits":
            assert np.allclose(given[name], value, rtol=1e-9)


def test_the_slider_is_worked_by_keys_and_mouse(drawn):
    slider, seen = drawn.root.get_by_role("slider"), []
    for key in ("Home", "ArrowRight", "End", "ArrowLeft", "PageDown"):
        slider.press(key)
        seen.append(drawn.state["at"])
    assert all(one != other for one, other in pairwise(seen))
    drag_along(slider, 0.9, 0.3)
    assert drawn.state["at"] != seen[-1]
    assert drawn.told() == drawn.root.locator(".repcost-live-words").inner_text()
    slider.press("Control+z")
    assert drawn.state["at"] == seen[-1]


def test_a_finger_moves_the_slider(figure, phone):
    drawing = OnPage(phone.open(f"book/{figure.page}"), kind=figure.python.kind)
    before = drawing.state["at"]
    slider = drawing.root.get_by_role("slider")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box and box["height"] >= 24 and box["x"] + box["width"] <= 376
    drawing.page.touchscreen.tap(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2)
    assert drawing.state["at"] != before


def test_it_is_accessible_in_both_themes(figure, drawn):
    page, within = drawn.page, f".repcost-{figure.python.kind}"
    drawn.root.get_by_role("slider").press("PageUp")
    assert violations_within(page, within) == []
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    assert violations_within(page, within) == []
    page.emulate_media(color_scheme="light")


def test_without_scripts_its_words_stay(figure, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((SITE / f"book/{figure.page}.html").as_uri())
    assert "Needs JavaScript" in page.locator(f".repcost-{figure.python.kind}").inner_text()
    context.close()


def test_it_is_small(figure):
    static = SITE / "_static"
    own = parts(figure.python.kind)[-1]
    assert (static / f"{own}.js").stat().st_size < LARGEST
