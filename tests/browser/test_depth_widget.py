"""The drawing of both sides against depth: it computes what the library does; mouse, finger and
keys can work it.
"""

import numpy as np
import pytest

from repcost_book.kernel.widgets import DepthWidget, Knots
from repcost_book.kernel.widgets.depth import GAP, LIMIT, MOST_POINTS, ZIGZAG
from tests.browser.drawings import (
    NOTEBOOK,
    OnPage,
    arrows,
    disagreements,
    drag,
    drag_along,
    noticed,
    pages,
)

PAGE = "book/jacot-2023/play"
ASK = """inputs => inputs.map(([points, depth]) => {
    const {sides: [{lower, upper, carried}], near} = repcostDepth.solve(points, [depth]);
    return {lower, upper, carried, near};
})"""


# ---- Mathematics ----


def _points(rng, kind: int) -> list[list[float]]:
    """Anywhere, on a coarse grid, monotone, nearly flat, or far from zero."""
    n = int(rng.integers(2, MOST_POINTS + 1))
    inner = np.sort(rng.uniform(0, 2 - GAP * (n - 1), n - 2)) + GAP * np.arange(1, n - 1) - 1
    y = rng.uniform(-LIMIT, LIMIT, n)
    if kind == 1:
        inner, y = np.sort(rng.choice(np.arange(-7, 8), n - 2, replace=False)) / 8, np.round(y)
    y = {2: np.sort(y), 3: y * 10 ** rng.uniform(-3, 0), 4: 1.5 + y / 4}.get(kind, y)
    return np.column_stack([[-1, *inner, 1], y]).tolist()


def _inputs() -> list[tuple[list[list[float]], int]]:
    """100 inputs; most are not very deep, for the sake of the library, which tries them all. In
    few, as in the first, it is cheapest to pass on all hidden units.
    """
    rng = np.random.default_rng(0)
    depths = [2, 3, 4, 256, *np.round(2 ** rng.uniform(1, 5, 95)).astype(int).tolist()]
    return [
        ([[-1, -1], [-0.625, 2], [1, 1]], 3),
        *((_points(rng, k % 5), depth) for k, depth in enumerate(depths)),
    ]


INPUTS = _inputs()


# Takes ten seconds: the library tries every depth up to the one that is asked for.
@pytest.fixture(scope="module")
def costs() -> list[tuple[float, float]]:
    return [
        (cost.lower, cost.upper)
        for cost in (_knots(points).cost(depth) for points, depth in INPUTS)
    ]


@pytest.fixture(scope="module")
def answers(opened) -> list[dict]:
    return opened.evaluate(ASK, INPUTS)


def _knots(points) -> Knots:
    return Knots(tuple((x, y) for x, y in points))


def _with(costs) -> list[tuple]:
    return [(*given, cost) for given, cost in zip(INPUTS, costs, strict=True)]


def _errors(points, depth, cost, answer) -> dict[str, float]:
    ends = zip(("lower", "upper"), cost, strict=True)
    return {name: abs(answer[name] - end) / max(end, 1.0) for name, end in ends}


def test_it_computes_what_the_library_computes(answers, costs):
    assert disagreements(_errors, _with(costs), answers) == []


WRONG = {
    "the power 1/L": lambda a: {"lower": a["lower"] ** 0.5},
    "one for the upper side": lambda a: {"upper": 1},
    "a millionth off": lambda a: {"upper": a["upper"] * (1 + 1e-6)},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_formula_is_noticed(answers, costs, name):
    assert noticed(_errors, _with(costs), answers, WRONG[name]) > 75


def test_every_way_of_passing_on_is_tried(answers):
    ways = [answer["carried"] for answer in answers]
    assert {None, "its output", "its input", "all hidden units"} == set(ways)


def test_it_is_near_from_the_depth_that_it_says(opened):
    """By the library, and not one layer earlier; a constant never is."""
    shapes = [ZIGZAG, ((-1, -1), (1, 1)), ((-1, 0), (0, 1), (1, 0)), ((-1, 0), (-0.5, 0.1), (1, 0))]
    found = opened.evaluate(ASK, [(points, 2) for points in (*shapes, ((-1, 1), (1, 1)))])
    for points, answer in zip(shapes, found[:-1], strict=True):
        near, early = (Knots(points).cost(answer["near"] - back) for back in (0, 1))
        assert near.lower >= 0.9 and near.upper <= 1.1
        assert early.lower < 0.9 or early.upper > 1.1
    assert found[-1]["near"] is None


# ---- Interaction ----


class Drawing(OnPage):
    kind = "depth"

    @property
    def depth(self):
        return self.root.get_by_role("slider", name="Depth", exact=True)

    def check_announcement(self) -> str:
        """What a screen reader is told, and what is seen, is the library's cost of the drawing."""
        text, state = self.told(), self.state
        cost = _knots(state["points"]).cost(state["depth"])
        sides = f"between {cost.lower:.4f} and {cost.upper:.4f}"
        told = f"At depth {state['depth']} a layer costs {sides}."
        assert told in text
        assert told in self.root.locator(".repcost-widget-words").inner_text()
        assert told in (self.root.locator("svg[role=img]").first.get_attribute("aria-label") or "")
        return text


def test_the_first_announcement_is_right(drawing):
    assert drawing.state == {"points": [list(point) for point in ZIGZAG], "depth": 16}
    assert drawing.check_announcement().startswith("The steepest slopes are 4 up and 4 down.")


def test_the_mouse_drags_a_knot(drawing):
    x, y = drawing.centre(2)
    _, after = drawing.drags_one(2, (27, 82))
    assert after[0] > -0.45 and after[1] < 0.5
    assert np.allclose(drawing.centre(2), (x + 27, y + 82), atol=6)
    drawing.check_announcement()


def test_a_knot_stays_between_its_neighbours_and_an_end_at_its_place(drawing):
    for n, where in ((1, [-GAP, LIMIT]), (0, [-1, LIMIT])):
        drag(drawing.page, drawing.centre(n + 1), (2000, -2000))
        assert drawing.state["points"][n] == where
    drawing.check_announcement()


KEYS = [
    *arrows(1 / 32, 1 / 16),
    ("Shift+ArrowRight", 1 / 8, 0),
    ("Shift+ArrowDown", 0, -1 / 4),
    *pages(1 / 4),
]


def test_keys_move_a_knot(drawing):
    drawing.follows_keys(3, KEYS)
    drawing.check_announcement()
    for key, y in (("Home", -LIMIT), ("End", LIMIT)):
        drawing.handles.nth(2).press(key)
        assert drawing.state["points"][2][1] == y
    drawing.handles.nth(0).press("ArrowRight")
    assert drawing.state["points"][0][0] == -1
    drawing.check_announcement()


def test_keys_move_the_depth(drawing):
    seen = []
    keys = (
        "ArrowRight",
        "ArrowLeft",
        "Shift+ArrowRight",
        "PageUp",
        "PageDown",
        "End",
        "Home",
        "ArrowUp",
        "ArrowDown",
    )
    for key in keys:
        drawing.depth.press(key)
        seen.append(drawing.state["depth"])
    assert seen == [19, 16, 32, 64, 32, 256, 2, 3, 2]
    drawing.check_announcement()
    assert drawing.depth.get_attribute("aria-valuetext") == "depth 2"


def test_the_depth_can_be_dragged(drawing):
    drag_along(drawing.depth, 3 / 7, 5 / 7)
    assert 50 < drawing.state["depth"] < 80
    drawing.check_announcement()


def test_the_three_things_to_try(drawing):
    drawing.button("Step").click()
    drawing.depth.press("Home")
    assert "between 16.0000 and 32.5624." in drawing.check_announcement()
    drawing.depth.press("End")
    assert "passes on its output. From depth 83 on" in drawing.check_announcement()
    drawing.button("Tent").click()
    assert "From depth 25 on" in drawing.check_announcement()
    drawing.button("Line").click()
    assert drawing.check_announcement().startswith("Line. The steepest slope is 1.")
    for n in (0, 1):
        for key in ("Home", "PageUp", "PageUp", "PageUp", "PageUp"):
            drawing.handles.nth(n).press(key)
    told = drawing.check_announcement()
    assert "The function is a constant." in told and "passes on" not in told
    assert "rank zero" in drawing.root.locator(".repcost-widget-words").inner_text()
    drawing.button("Reset").click()
    assert drawing.check_announcement().startswith("Back to the start. ")
    assert drawing.state["depth"] == 16


def test_the_curves_are_the_librarys(drawing):
    """The dots in the picture, by its own axis: a decade is as long everywhere."""
    drawing.button("Tent").click()
    for key in ("Home", "End"):
        drawing.depth.press(key)
        heights = drawing.root.evaluate(
            """root => {
                const svg = root.querySelector('svg[role=img]');
                const texts = [...svg.querySelectorAll('text[text-anchor=end]')];
                const height = text => text.y.baseVal[0].value - 4;
                const ticks = texts.map(text => [Number(text.textContent), height(text)]);
                const dots = [...svg.querySelectorAll('circle')];
                return [ticks, dots.map(dot => dot.cy.baseVal.value)];
            }"""
        )
        ticks, dots = heights
        (low, bottom), (high, top) = ticks[0], ticks[-1]
        found = [low * (high / low) ** ((bottom - dot) / (bottom - top)) for dot in dots]
        cost = _knots(drawing.state["points"]).cost(drawing.state["depth"])
        assert found == pytest.approx([cost.lower, cost.upper], rel=1e-4)


# ---- Fingers, and notebooks ----


def test_a_finger_drags_a_knot_and_the_page_stays(phone):
    drawing = Drawing(phone.open(PAGE))
    before = drawing.points[2]
    drawing.finger_drags(drawing.centre_on_screen(3), (0, -60))
    assert drawing.points[2][1] > before[1] + 0.5
    drawing.check_announcement()


def test_as_a_module_it_serves_a_notebook(visit):
    """The very text that a notebook imports, with a model that stands for the kernel's."""
    found = visit.open("book/start/notation").evaluate(
        f"""async script => {{
            {NOTEBOOK}
            const el = place(), model = modelOf({{points: [[-1, -1], [1, 1]], depth: 4}});
            const end = (await load(script)).render({{model, el}});
            el.querySelectorAll('button')[1].click();
            model.set('depth', 64);
            model.set('points', [[-1, 0], [0.5, 1], [0.75, 0], [1, 0]]);
            const told = el.querySelector('.repcost-widget-words').textContent;
            const knots = el.querySelectorAll('.repcost-widget-handle').length;
            const follows = told.includes('At depth 64') && knots;
            end();
            const left = [el.querySelector('svg'), Object.keys(model.heard)];
            return [model.saved.map(JSON.parse), follows, ...left];
        }}""",
        DepthWidget._esm,
    )
    assert found == [[{"points": [[-1, 0], [0, 1], [1, 0]], "depth": 4}], 4, None, []]
