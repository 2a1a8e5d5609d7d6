"""The drawing of two rays: it computes what the library does, and mouse, finger, keys and buttons
can work it.
"""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq

from repcost import TwoLayer, linear_layers_cost
from repcost_book.kernel.widgets import TwoRays
from tests.browser.drawings import CLOSE, NOTEBOOK, OnPage, disagreements, middle, noticed

PAGE = "book/ongie-willett-2022/play"
ASK = """inputs => inputs.map(([angle, share, places]) => {
    const answer = repcostRays.solve({angle, share});
    const values = answer.networks.map(units => places.map(x => repcostRays.evaluate(units, x)));
    return {...answer, values};
})"""


# ---- Mathematics ----


def _inputs() -> list[tuple[float, float, list]]:
    """200 inputs: all over the map, near its edges, and equal rays."""
    rng = np.random.default_rng(0)
    angle, share = rng.uniform(0.5, 1, 200), rng.uniform(0, 1, 200)
    angle[::5] = 0.5 + 10 ** rng.uniform(-6, -2, 40)
    angle[1::10] = 1 - 10 ** rng.uniform(-6, -2, 20)
    share[2::5] = 10 ** rng.uniform(-6, -2, 40)
    share[3::10] = 1 - 10 ** rng.uniform(-6, -2, 20)
    share[4::20] = 0.5
    places = rng.uniform(-1.15, 1.15, (200, 30, 2))
    return [(float(a), float(p), x.tolist()) for a, p, x in zip(angle, share, places, strict=True)]


INPUTS = _inputs()


@pytest.fixture(scope="module")
def answers(opened) -> list[dict]:
    return opened.evaluate(ASK, INPUTS)


@cache
def _library(angle: float, share: float) -> tuple:
    """R_2, R_3, the networks and the tilt by the library; once, for right formulas and wrong."""
    rays = TwoRays(angle, share)
    two, three = ([cost.value for cost in rays.costs(depth)] for depth in (2, 3))
    return two, three, rays.networks, rays.tilt


def _errors(angle, share, places, answer) -> dict[str, float]:
    """How far the script is from the library, relative to the size of the values compared."""
    two, three, networks, tilt = _library(angle, share)
    theta = np.pi * (1 - angle)
    condition = 1 / np.cos(theta / 2) ** 2 - 1 - 4 * share * (1 - share) * np.sin(theta)
    pairs = {
        "R_2": (answer["two"], two),
        "R_3": (answer["three"], three),
        "values": (answer["values"], [network(np.array(places)) for network in networks]),
        "tilt": (answer["tilt"], tilt),
        "promised": (answer["isPromised"], condition <= 0),
    }
    return {name: np.max(np.abs(np.subtract(a, b, dtype=float))) for name, (a, b) in pairs.items()}


def test_it_computes_what_the_library_computes(answers):
    assert disagreements(_errors, INPUTS, answers) == []


def test_the_inputs_try_every_case(answers):
    assert 30 < sum(answer["isPromised"] for answer in answers) < 170
    assert sum(answer["three"][0] < answer["three"][1] for answer in answers) > 30


WRONG = {
    "(39) for the rays": lambda a: {"three": [np.cbrt(1.5**2 * _thirty_nine(a)), *a["three"][1:]]},
    "w_0 for the best direction": lambda a: {"three": [*a["three"][:2], a["three"][1]]},
    "the same number with three layers": lambda a: {"three": a["two"]},
    "always promised": lambda a: {"isPromised": True},
}


def _thirty_nine(answer) -> float:
    return 1 + 4 * answer["share"] * (1 - answer["share"]) * np.sin(np.pi * answer["angle"])


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_formula_is_noticed(answers, name):
    assert noticed(_errors, INPUTS, answers, WRONG[name]) > 30


def test_the_curves_of_the_map_are_where_the_costs_meet_and_the_condition_begins(opened):
    shares = [0.05, 0.3, 0.45, 0.75, 0.9]
    found = opened.evaluate(
        "shares => shares.map(p => [repcostRays.crossing(p), repcostRays.promised(p)])", shares
    )
    for share, (crossing, promised) in zip(shares, found, strict=True):
        f, g, _ = TwoRays(crossing, share).costs(3)
        assert abs(f.value - g.value) < CLOSE
        theta = np.pi * (1 - promised)
        assert abs(1 / np.cos(theta / 2) ** 2 - 1 - 4 * share * (1 - share) * np.sin(theta)) < CLOSE
        assert 0.5 < crossing < promised


# ---- Interaction ----


class Drawing(OnPage):
    kind = "rays"

    def __init__(self, page):
        super().__init__(page)
        self.dot = self.root.locator(".repcost-rays-dot")
        self.angle = self.root.get_by_role("slider", name="Angle of the rays")
        self.share = self.root.get_by_role("slider", name="Weight of the first ray")

    def map_label(self) -> str:
        return self.root.locator(".repcost-rays-map").get_attribute("aria-label") or ""

    def check_announcement(self) -> str:
        """What a screen reader is told, and what is seen, are the library's costs for what is
        drawn.
        """
        text = self.told()
        rays = TwoRays(**self.state)
        names = ("along the rays", "along w₀", "best direction")
        columns = self.root.locator(".repcost-rays-column")
        for row, depth in enumerate((2, 3)):
            costs = [cost.value for cost in rays.costs(depth)]
            told = ", ".join(f"{name} {cost:.4f}" for name, cost in zip(names, costs, strict=True))
            assert f"{'R₂' if depth == 2 else 'R₃'}: {told}" in text
            for n, cost in enumerate(costs):
                shown = columns.nth(n).locator(".repcost-rays-cost").nth(row)
                assert shown.locator("b").inner_text() == f"{cost:.4f}"
                assert (shown.locator("em").inner_text() == "least") == (
                    cost <= min(costs) * (1 + 1e-9)
                )
        return text


def test_the_first_announcement_is_right(drawing):
    assert drawing.state == {"angle": 0.55, "share": 0.75}
    assert (
        "w₀ costs less than the rays, as Proposition 5.2 promises" in drawing.check_announcement()
    )


def test_the_mouse_drags_the_dot(drawing):
    before = drawing.state
    x, y = middle(drawing.dot)
    drawing.page.mouse.move(x + 3, y - 2)  # caught off its centre, it must not jump
    drawing.page.mouse.down()
    assert drawing.state == before
    drawing.page.mouse.move(x - 60, y - 80, steps=7)
    drawing.page.mouse.up()
    drawing.page.mouse.move(x, y, steps=3)  # let go, it stays
    after = drawing.state
    assert after["angle"] > before["angle"] + 0.1 and after["share"] < before["share"] - 0.1
    drawing.check_announcement()
    x, y = middle(drawing.dot)
    drawing.page.mouse.move(x, y)
    drawing.page.mouse.down()
    drawing.page.mouse.move(x - 2000, y + 2000, steps=5)
    drawing.page.mouse.up()
    assert drawing.state == {"angle": 0.505, "share": 0.02}
    drawing.check_announcement()


def test_a_click_on_the_map_calls_the_dot(drawing):
    x, y = middle(drawing.dot)
    drawing.page.mouse.click(x - 70, y - 50)
    assert np.allclose(middle(drawing.dot), (x - 70, y - 50), atol=2)
    drawing.check_announcement()


KEYS = [("ArrowRight", 0.005), ("ArrowUp", 0.005), ("ArrowLeft", -0.005), ("ArrowDown", -0.005)]
KEYS += [("Shift+ArrowRight", 0.05), ("PageUp", 0.05), ("PageDown", -0.05)]


@pytest.mark.parametrize("name", ["angle", "share"])
def test_keys_move_the_sliders(drawing, name):
    slider = getattr(drawing, name)
    for key, step in KEYS:
        expected = {**drawing.state, name: round(drawing.state[name] + step, 9)}
        slider.press(key)
        assert drawing.state == pytest.approx(expected, abs=1e-12), key
        assert float(slider.input_value()) == drawing.state[name]
    drawing.check_announcement()
    for key, bound in (("Home", "min"), ("End", "max")):
        slider.press(key)
        assert drawing.state[name] == float(slider.get_attribute(bound))
        drawing.check_announcement()


def test_from_outside_the_range_a_key_never_goes_the_other_way(drawing):
    drawing.root.evaluate("root => root.repcostWidget.set({angle: 0.501, share: 0.99})")
    for slider, key in ((drawing.angle, "ArrowLeft"), (drawing.share, "ArrowRight")):
        slider.press(key)
        assert drawing.state == {"angle": 0.501, "share": 0.99}, key
    drawing.angle.press("ArrowRight")
    drawing.share.press("ArrowLeft")
    assert drawing.state == pytest.approx({"angle": 0.505, "share": 0.98}, abs=0.006)
    drawing.check_announcement()


def test_the_map_says_where_the_dot_is(drawing):
    assert "The dot: Rays 0.55 π apart; the first has 75 %" in drawing.map_label()
    drawing.button("Figure 3").click()
    assert "The dot: Rays 0.6667 π apart; the first has 50 %" in drawing.map_label()


def test_a_slider_can_be_dragged(drawing):
    box = drawing.share.bounding_box()
    drawing.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + box["height"] / 2)
    drawing.page.mouse.down()
    drawing.page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2, steps=5)
    drawing.page.mouse.up()
    assert 0.2 < drawing.state["share"] < 0.4
    drawing.check_announcement()


# Takes up to ten seconds: each of a dozen moves waits until it is announced.
def test_the_three_things_to_try(drawing):
    drawing.button("Figure 3").click()
    text = drawing.check_announcement()
    assert (
        text.startswith("Figure 3. Rays 0.6667 π apart; the first has 50 %")
        and "The best direction is w₀." in text
    )
    drawing.button("Figure 2 (b)").click()
    assert "w₀ costs more than the rays" in drawing.check_announcement()
    for angle in (0.525, 0.53, 0.535, 0.54, 0.545, 0.55):
        drawing.angle.press("ArrowUp")
        assert drawing.state["angle"] == angle
        text = drawing.check_announcement()
        assert ("w₀ costs less" in text) == (angle > 0.5311)
        assert ("as Proposition 5.2 promises" in text) == (angle > 0.5474)
    drawing.share.press("End")
    assert "nearer to the first ray" in drawing.check_announcement()
    drawing.button("Reset").click()
    assert drawing.check_announcement().startswith("Back to the start. Rays 0.55 π apart")


def test_the_pictures_show_the_functions_of_the_library(drawing):
    """The centre of each polygon has a height within the band that the polygon stands for."""
    drawing.button("Figure 2 (b)").click()
    pictures = drawing.root.evaluate(
        """root => {
            const read = p => [Number(p.dataset.level), [...p.points].map(q => [q.x, q.y])];
            const pictures = [...root.querySelectorAll('.repcost-rays-picture')];
            return pictures.map(svg => [...svg.querySelectorAll('polygon')].map(read));
        }"""
    )
    for polygons, network in zip(pictures, TwoRays(**drawing.state).networks, strict=True):
        area = 0.0
        for level, corners in polygons:
            x, y = np.array(corners).T
            size = 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
            area += size
            if size > 1:
                centre = np.mean(corners, axis=0)
                height = float(network(np.array([[1, -1]]) * (centre / 200 - 0.5) * 2.3)[0])
                low, high = (level - 0.5 - 1e-3) / 10, (level + 0.5 + 1e-3) / 10
                assert (low <= height or level == -7) and (height <= high or level == 7)
        assert area == pytest.approx(200**2, rel=1e-3)


# ---- Fingers, and notebooks ----


def test_a_finger_drags_the_dot_and_the_page_stays(phone):
    drawing = Drawing(phone.open(PAGE))
    before = drawing.state
    drawing.finger_drags(drawing.centre_on_screen(drawing.dot), (-60, -60))
    assert drawing.state["angle"] > before["angle"] and drawing.state["share"] < before["share"]
    drawing.check_announcement()


def test_a_finger_beside_the_dot_scrolls(phone):
    drawing = Drawing(phone.open(PAGE))
    x, y = drawing.centre_on_screen(drawing.dot)
    drawing.finger_scrolls((x - 90, y - 20))


def test_as_a_module_it_serves_a_notebook_beside_another(visit):
    """The very texts that a notebook imports for two kinds of widgets, with models that stand for
    the kernel's.
    """
    from repcost_book.kernel.widgets import LineWidget, RaysWidget

    page = visit.open("book/start/notation")
    found = page.evaluate(
        "async scripts => {"
        + NOTEBOOK
        + """
            const [rays, line] = [await load(scripts[0]), await load(scripts[1])];
            const one = modelOf({angle: 0.55, share: 0.75}), el = place();
            const other = modelOf({points: [[0, 0], [1, 1]]});
            const end = rays.render({model: one, el});
            line.render({model: other, el: place()});
            el.querySelectorAll('button')[1].click();
            const clicked = {...one.state};
            el.querySelectorAll('button')[2].click();
            const both = {...one.state};
            one.set('share', 0.625);
            const cost = el.querySelector('.repcost-rays-cost b').textContent;
            const words = el.querySelector('.repcost-widget-words').textContent;
            const follows = words.includes('62.5 %');
            end();
            const left = [el.querySelector('svg'), Object.keys(one.heard)];
            return [clicked, both, one.saved.length, cost, follows, ...left];
        }""",
        [RaysWidget._esm, LineWidget._esm],
    )
    both = {"angle": 2 / 3, "share": 0.5}
    assert found == [{"angle": 0.52, "share": 0.75}, both, 2, "1.5000", True, None, []]


def test_the_crossing_of_the_map_is_the_chapters(opened):
    """Once more without any formula of ours: where the library's brackets of f and g meet for a
    share of 3/4.
    """

    def ahead(angle):
        rays = [[1, 0], [np.cos(np.pi * angle), np.sin(np.pi * angle)]]
        return linear_layers_cost(TwoLayer(rays, [0.75, 0.25]), 3).value ** 1.5 - 1 / np.sin(
            np.pi * angle / 2
        )

    crossing = brentq(ahead, 0.501, 0.7, xtol=1e-13)
    assert abs(opened.evaluate("repcostRays.crossing(0.75)") - crossing) < CLOSE
