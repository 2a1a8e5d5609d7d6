"""The drawing of two functions and their prices: it computes what the library does; mouse, finger
and keys can work it.
"""

from itertools import pairwise

import numpy as np
import pytest

from repcost_book.kernel.widgets import Priced, PricesWidget
from repcost_book.kernel.widgets.base import parts
from repcost_book.kernel.widgets.prices import (
    COUNT,
    GAP,
    HIGH,
    LIMIT,
    LOW,
    NAMES,
    SIDE,
    preferred,
)
from tests.browser.conftest import SITE
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

PAGE = "book/beyond/prices"
ASK = "inputs => inputs.map(([points, depth]) => repcostPrices.solve(points, depth))"
LARGEST = 20_000  # bytes of script, without the common parts


# ---- Mathematics ----


def _points(rng, kind: int) -> list[list[float]]:
    """Anywhere, on a coarse grid, monotone, nearly flat, or far from zero."""
    room = 2 * SIDE - GAP * (COUNT - 1)
    inner = np.sort(rng.uniform(0, room, COUNT - 2)) + GAP * np.arange(1, COUNT - 1) - SIDE
    y = rng.uniform(-LIMIT, LIMIT, COUNT)
    if kind == 1:
        inner, y = np.sort(rng.choice(np.arange(-4, 5), COUNT - 2, replace=False)), np.round(y)
    y = {2: np.sort(y), 3: y * 10 ** rng.uniform(-3, 0), 4: 1.5 + y / 4}.get(kind, y)
    return np.column_stack([[-SIDE, *inner, SIDE], y]).tolist()


def _inputs() -> list[tuple[list[list[float]], int]]:
    rng = np.random.default_rng(0)
    drawn = [(_points(rng, k % 5), int(rng.integers(3, 65))) for k in range(100)]
    flat = [[float(x), 0.5] for x in (-SIDE, -1, 0, 1, SIDE)]
    return [*drawn, (np.array(HIGH).tolist(), 3), (np.array(LOW).tolist(), 64), (flat, 4)]


INPUTS = _inputs()


def _priced(points, depth) -> dict:
    return Priced(tuple((x, y) for x, y in points)).ends(depth)


@pytest.fixture(scope="module")
def prices() -> list[tuple]:
    return [(points, depth, _priced(points, depth)) for points, depth in INPUTS]


@pytest.fixture(scope="module")
def answers(opened) -> list[dict]:
    return opened.evaluate(ASK, INPUTS)


def _errors(points, depth, ends, answer) -> dict[str, float]:
    return {
        name: np.max(np.abs(np.subtract(answer[name], both)) / np.maximum(both, 1.0))
        for name, both in ends.items()
    }


def test_it_computes_what_the_library_computes(answers, prices):
    assert disagreements(_errors, prices, answers) == []


WRONG = {
    "no surcharge for the place": lambda a: {"hidden": a["free"]},
    "all squares": lambda a: {"paid": [2 * end for end in a["paid"]]},
    "the bends alone behind linear layers": lambda a: {"layers": a["free"]},
    "a millionth off": lambda a: {"deep": [a["deep"][0], a["deep"][1] * (1 + 1e-6)]},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_formula_is_noticed(answers, prices, name):
    assert noticed(_errors, prices, answers, WRONG[name]) > 50


def test_it_prefers_what_the_library_prefers(opened, prices):
    ends = [each for *_, each in prices]
    pairs = [(one[name], other[name]) for one, other in pairwise(ends) for name in NAMES]
    theirs = opened.evaluate(
        "pairs => pairs.map(([one, other]) => repcostPrices.preferred(one, other))", pairs
    )
    assert theirs == [preferred(*pair) for pair in pairs]
    assert set(theirs) == {"drawn", "kept", "neither", "not known"}


def test_it_keeps_within_its_budget():
    own = [name for name in parts("prices") if not name.startswith("widget-")]
    sizes = [(SITE / "_static" / f"{name}.js").stat().st_size for name in own]
    assert sum(sizes) <= LARGEST


# ---- Interaction ----


class Drawing(OnPage):
    kind = "prices"

    @property
    def depth(self):
        return self.root.get_by_role("slider", name="Layers", exact=True)

    def check_table(self) -> str:
        """What is seen and told is what the library says of the state."""
        told, state = self.told(), self.state
        drawn, kept = (_priced(state[each], state["depth"]) for each in ("points", "kept"))
        choices = PricesWidget(**state).preferences
        rows = self.root.locator("tbody tr").all()
        for name, row in zip(NAMES, rows, strict=True):
            one, other, verdict = row.locator("td").all_inner_texts()
            assert one == _shown(name, drawn[name]) and other == _shown(name, kept[name])
            assert verdict == choices[name]
            assert row.locator(".repcost-prices-least").count() == (verdict in ("drawn", "kept"))
        count = sum(choice == "drawn" for choice in choices.values())
        assert f"The drawn one is preferred by {count or 'none'}" in told
        return told


def _shown(name, ends) -> str:
    low, high = (f"{end:.0f}" if name == "rank" else f"{end:.3f}" for end in ends)
    return high if low == high else f"{low}–{high}"


def test_the_first_table_is_right(drawing):
    assert drawing.state["depth"] == 16 and drawing.points == [list(point) for point in HIGH]
    told = drawing.check_table()
    assert "The kept one is preferred by 2: biases free; linear layers." in told


def test_the_mouse_drags_a_knot_and_not_the_kept_function(drawing):
    before = drawing.state["kept"]
    _, after = drawing.drags_one(3, (20, -30))
    assert after[0] > 0.25 and after[1] > 1.2
    assert drawing.state["kept"] == before
    drawing.check_table()


def test_a_knot_stays_between_its_neighbours_and_an_end_at_its_place(drawing):
    for n, where in ((1, [-GAP, LIMIT]), (0, [-SIDE, LIMIT])):
        drag(drawing.page, drawing.centre(n + 1), (2000, -2000))
        assert drawing.points[n] == where
    drawing.check_table()


KEYS = [
    *arrows(1 / 8, 1 / 16),
    ("Shift+ArrowRight", 1 / 2, 0),
    ("Shift+ArrowDown", 0, -1 / 4),
    *pages(1 / 4),
]


def test_keys_move_a_knot_and_the_depth(drawing):
    drawing.follows_keys(3, KEYS)
    drawing.check_table()
    for key, depth in (("End", 64), ("Home", 3), ("ArrowUp", 4), ("PageUp", 8)):
        drawing.depth.press(key)
        assert drawing.state["depth"] == depth
    drawing.check_table()
    drag_along(drawing.depth, 0.3, 0.7)
    assert 20 < drawing.state["depth"] < 36
    drawing.check_table()


def test_functions_are_kept_and_swapped(drawing):
    drawing.button("Swap").click()
    assert drawing.points == [list(point) for point in LOW]
    drawing.check_table()
    drawing.button("Keep this one").click()
    assert drawing.state["kept"] == drawing.points
    told = drawing.check_table()
    assert "The drawn one is preferred by none. The kept one is preferred by none." in told
    drawing.button("Line and hat").click()
    rows = drawing.root.locator("tbody tr").all()[:4]
    verdicts = [row.locator("td").last.inner_text() for row in rows]
    assert verdicts == ["kept", "kept", "drawn", "kept"]
    drawing.check_table()


def test_a_finger_drags_a_knot_and_the_page_stays(phone):
    drawing = Drawing(phone.open(PAGE))
    before = drawing.points[2]
    drawing.finger_drags(drawing.centre_on_screen(3), (0, -40))
    assert drawing.points[2][1] > before[1] + 0.3
    drawing.check_table()


def test_as_a_module_it_serves_a_notebook(visit):
    """The very text that a notebook imports, with a model that stands for the kernel's."""
    state = PricesWidget().state
    found = visit.open("book/start/notation").evaluate(
        f"""async ([script, state]) => {{
            {NOTEBOOK}
            const el = place(), model = modelOf(structuredClone(state));
            const end = (await load(script)).render({{model, el}});
            el.querySelectorAll('button')[1].click();
            model.set('depth', 64);
            const told = el.querySelector('output, b').textContent;
            const knots = el.querySelectorAll('.repcost-widget-handle').length;
            end();
            const left = [el.querySelector('svg'), Object.keys(model.heard)];
            return [model.saved.map(JSON.parse), told, knots, ...left];
        }}""",
        [PricesWidget._esm, state],
    )
    swapped = {"points": state["kept"], "kept": state["points"], "depth": 16}
    assert found == [[swapped], "64", 5, None, []]
