"""The drawing of the cheapest functions: it computes what the library does, and mouse, finger and
keys can work it.
"""

import math

import numpy as np
import pytest

from repcost import interpolate_line
from tests.browser.drawings import (
    NOTEBOOK,
    OnPage,
    arrows,
    disagreements,
    drag,
    noticed,
    pages,
)

PAGE = "book/savarese-2019/play"
# What the script says of one set of points, at the places given.
ASK = """inputs => inputs.map(([points, places]) => {
    const answer = repcostLine.solve(points);
    const values = f => places.map(x => repcostLine.evaluate(f, x));
    return {
        cost: answer.cost, variation: answer.variation, slopeSum: answer.slopeSum,
        unique: answer.isUnique, band: places.map(answer.band), spline: values(answer.spline),
        sparsest: values(answer.sparsest),
        knots: answer.sparsest.knots.length,
    };
})"""


def fit(points):
    return interpolate_line(*np.array(points, dtype=float).T)


# ---- Mathematics ----


def _places(rng, n: int) -> np.ndarray:
    return np.sort(rng.choice(np.arange(-40, 41), n, replace=False)) / 8


def _any(rng, n):
    return _places(rng, n), rng.normal(size=n)


def _close_together(rng, n):
    return np.cumsum(10 ** rng.uniform(-7, 0, n)), rng.normal(size=n)


def _whole(rng, n):
    return _places(rng, n), rng.integers(-2, 3, n).astype(float)


def _on_a_line(rng, n):
    x = _places(rng, n)
    return x, x * rng.integers(-3, 4) / 2 + 1


def _climbing(rng, n):
    x = _places(rng, n)
    return x, 5 * x + rng.random(n)


def _falling(rng, n):
    x = np.cumsum(2.0 ** rng.integers(-2, 2, n))
    return x, rng.integers(0, 3, n) / 4 - 3 * x


def _nearly_on_a_line(rng, n):
    x = _places(rng, n)
    return x, 0.1 * x + 0.3 + rng.choice([0, 1e-16, 1e-15, -1e-15], n)


def _ends_nearly_outweigh(rng, n):
    """Slopes 0, ..., 2, with T = S up to a few units in the last place."""
    x = np.cumsum(0.1 + rng.random(n))
    return x, np.maximum(x - x[n // 2], 0) * 2 + rng.choice([0, 1e-16, 1e-15], n)


KINDS = [
    _any,
    _close_together,
    _whole,
    _on_a_line,
    _climbing,
    _falling,
    _nearly_on_a_line,
    _ends_nearly_outweigh,
]


def _inputs() -> list[tuple[list, list]]:
    """200 inputs: eight kinds, with every size from 1 to 9 (what is drawn through 1, 2 or 3 points
    is special).
    """
    rng = np.random.default_rng(0)
    found = []
    for number in range(200):
        x, y = KINDS[number % len(KINDS)](rng, 1 + (number // len(KINDS)) % 9)
        room = max(1.0, x[-1] - x[0])
        places = np.concatenate([x, rng.uniform(x[0] - room, x[-1] + room, 30)])
        found.append((np.column_stack([x, y]).tolist(), places.tolist()))
    return found


INPUTS = _inputs()


@pytest.fixture(scope="module")
def answers(opened) -> list[dict]:
    return opened.evaluate(ASK, INPUTS)


def _errors(points, places, answer) -> dict[str, float]:
    """How far the script is from the library, relative to the size of the values compared."""
    right = fit(points)
    low, high = right.band(places)
    pairs = {
        "cost": (answer["cost"], right.cost.value),
        "low end of the band": (np.array(answer["band"])[:, 0], low),
        "high end of the band": (np.array(answer["band"])[:, 1], high),
        "spline": (answer["spline"], right.function(places)),
        "sparsest": (answer["sparsest"], right.sparsest(places)),
    }
    errors = {
        name: np.max(np.abs(np.subtract(a, b)) / (1 + np.abs(b))) for name, (a, b) in pairs.items()
    }
    errors["unique"] = float(answer["unique"] != right.is_unique)
    errors["knots"] = float(answer["knots"] != len(right.sparsest.knots))
    return errors


def test_it_computes_what_the_library_computes(answers):
    assert disagreements(_errors, INPUTS, answers) == []


def test_the_inputs_try_every_case(answers):
    fits = [fit(points) for points, _ in INPUTS]
    assert {len(points) for points, _ in INPUTS} == set(range(1, 10))
    assert 30 < sum(found.is_unique for found in fits) < 170
    assert sum(answer["slopeSum"] > answer["variation"] for answer in answers) > 30
    near_ties = [
        a for a in answers if 0 < abs(a["slopeSum"] - a["variation"]) < 1e-12 * (1 + a["slopeSum"])
    ]
    assert len(near_ties) > 5


WRONG = {
    "max(T, S)": lambda answer: {"cost": max(answer["variation"], answer["slopeSum"])},
    "T alone": lambda answer: {"cost": answer["variation"]},
    "always halfway": lambda answer: {"cost": (answer["variation"] + answer["slopeSum"]) / 2},
    "no band": lambda answer: {"band": [[value, value] for value in answer["spline"]]},
    "the spline for the sparsest": lambda answer: {"sparsest": answer["spline"]},
    "always unique": lambda answer: {"unique": True},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_formula_is_noticed(answers, name):
    assert noticed(_errors, INPUTS, answers, WRONG[name]) > 30


# ---- Biases that pay ----

ASK_PAID = """all => all.map(points => {
    const answer = repcostPaid.solve(points);
    const misses = points.map(([x, y]) => Math.abs(answer.at(x) - y));
    return [answer.cost, Math.max(...misses), answer.bends, answer.off];
})"""
CLOSE_WHEN_PAID = 1e-7


def _spread(points) -> bool:
    """What a reader can draw: neighbours a step apart, and no bends a rounding in size."""
    x, y = np.array(points).T
    turns = np.diff(np.diff(y) / np.diff(x))
    seen = (np.abs(turns) == 0) | (np.abs(turns) > 1e-9)
    return len(x) == 1 or bool(np.min(np.diff(x)) >= 0.05 and np.all(seen))


def _paid_inputs() -> list[list]:
    """The sets above as far as they can be drawn, and larger ones to 16 points."""
    rng = np.random.default_rng(1)
    sets = [points for points, _ in INPUTS]
    sets += [np.column_stack(_any(rng, n)).tolist() for n in range(10, 17) for _ in range(8)]
    return [points for points in sets if _spread(points)]


PAID_INPUTS = _paid_inputs()


@pytest.fixture(scope="module")
def paid_answers(opened) -> list:
    return opened.evaluate(ASK_PAID, PAID_INPUTS)


@pytest.fixture(scope="module")
def brackets() -> list:
    return [interpolate_line(*np.array(points).T, biases="paid").cost for points in PAID_INPUTS]


def _outside(cost: float, bracket) -> float:
    size = max(bracket.upper, 1e-9)
    return max(cost - bracket.upper, bracket.lower - cost, 0) / size


def test_paid_biases_cost_what_the_library_proves(paid_answers, brackets):
    assert len(PAID_INPUTS) > 150
    off = [_outside(found[0], truth) for found, truth in zip(paid_answers, brackets, strict=True)]
    assert max(off) < CLOSE_WHEN_PAID


def test_the_curve_goes_through_the_points_and_costs_that(paid_answers, brackets):
    """The prices of its bends add up to the cost."""
    for (cost, misses, bends, off), truth in zip(paid_answers, brackets, strict=True):
        assert misses < 1e-9 and off < 1e-3 * (1 + cost)
        assert sum(price for _, price in bends) == pytest.approx(truth.value, rel=2e-3, abs=1e-6)


def test_a_wrong_price_of_a_bend_is_noticed(paid_answers, brackets):
    """As if a bend at t cost m, or (1 + |t|) m."""
    for price in (lambda t: 1, lambda t: 1 + abs(t)):
        wrong = [
            sum(each * price(t) / math.hypot(1, t) for t, each in bends)
            for _, _, bends, _ in paid_answers
        ]
        noticed_in = [_outside(w, truth) > 1e-3 for w, truth in zip(wrong, brackets, strict=True)]
        assert sum(noticed_in) > 100


def test_the_switch_prices_biases(drawing):
    drawing.button("paid").click()
    right = interpolate_line(*np.array(drawing.points).T, biases="paid").cost.value
    assert drawing.told().startswith(f"Biases paid. Cost {_shown(right)}. A bend by m at t costs")
    before = drawing.points
    drawing.drags_one(4, (20, 15))
    assert drawing.points != before and drawing.state["biases"] == "paid"
    assert "With free biases the points cost" in drawing.told()
    drawing.button("free").click()
    drawing.check_announcement()


# ---- Interaction ----


class Drawing(OnPage):
    kind = "line"

    def check_announcement(self) -> str:
        """What a screen reader is told is the library's answer for the points that are drawn."""
        right = fit(self.points)
        text = self.told()
        assert f"Cost {_shown(right.cost.value)}. " in text
        assert ("Only one function is this cheap" in text) == right.is_unique
        assert ("Many functions are this cheap" in text) == (not right.is_unique)
        assert self.root.locator(".repcost-line-cost strong").inner_text() == _shown(
            right.cost.value
        )
        return text


def _shown(number: float) -> str:
    return f"{round(number, 3):g}".replace("-", "−")


def test_the_first_announcement_is_right(drawing):
    assert drawing.check_announcement().startswith("Cost 3.5.")


def test_the_mouse_drags_a_point(drawing):
    cost = fit(drawing.points).cost.value
    before, after = drawing.drags_one(3, (27, -58))
    assert after[0] > before[0] and after[1] > before[1]
    assert fit(drawing.points).cost.value != cost
    drawing.check_announcement()


def test_a_point_stops_before_its_neighbours(drawing):
    x, y = drawing.centre(3)
    for target in (x + 2000, x - 2000):
        at = drawing.centre(3)
        drag(drawing.page, at, (target - at[0], y - at[1]))
        places = [x for x, _ in drawing.points]
        assert np.min(np.diff(places)) >= 1 / 8
    drawing.check_announcement()


def test_the_other_drawing_stays(drawing):
    other = Drawing(drawing.page, 1)
    before = other.points
    drawing.handles.nth(0).press("ArrowUp")
    assert other.points == before
    other.handles.nth(0).press("ArrowUp")
    assert other.points != before
    for one in (drawing, other):
        one.check_announcement()


KEYS = [
    *arrows(1 / 4, 1 / 8),
    ("Shift+ArrowUp", 0, 1 / 2),
    ("Shift+ArrowRight", 3 / 4, 0),  # 1 would meet the next point: it stops a step before it
    *pages(1 / 2),
]


def test_keys_move_a_point(drawing):
    drawing.follows_keys(3, KEYS)
    drawing.check_announcement()


def test_home_and_end_reach_the_edges(drawing):
    handle = drawing.handles.nth(1)
    for key, bound in (("Home", "aria-valuemin"), ("End", "aria-valuemax")):
        handle.press(key)
        assert drawing.points[1][1] == float(handle.get_attribute(bound))
        assert float(handle.get_attribute("aria-valuenow")) == float(handle.get_attribute(bound))
        drawing.check_announcement()


def test_keys_cannot_cross_points_either(drawing):
    for key in ["Shift+ArrowRight"] * 9 + ["ArrowRight"] * 9:
        drawing.handles.nth(2).press(key)
    assert np.min(np.diff([x for x, _ in drawing.points])) >= 1 / 8


def test_a_focused_point_is_told_apart(drawing):
    ring = drawing.handles.nth(1).locator(".repcost-widget-ring")
    assert ring.evaluate("ring => getComputedStyle(ring).stroke") == "none"
    drawing.handles.nth(0).focus()
    drawing.page.keyboard.press("Tab")
    assert ring.evaluate("ring => getComputedStyle(ring).strokeWidth") == "3.5px"


def test_adding_keeps_the_cost_and_removing_takes_it_back(drawing):
    before, cost = drawing.points, fit(drawing.points).cost.value
    drawing.button("Add a point").click()
    assert len(drawing.points) == 7 and fit(drawing.points).cost.value == cost
    assert "added at x −1, y 0.25" in drawing.check_announcement()
    drawing.button("Remove point 3").click()
    assert drawing.points == before
    drawing.check_announcement()


def test_points_can_be_added_and_removed_down_to_one(drawing):
    for _ in range(30):
        drawing.button("Add a point").press("Enter")
    assert len(drawing.points) <= 16
    assert drawing.button("Add a point").get_attribute("aria-disabled") == "true"
    assert np.min(np.diff([x for x, _ in drawing.points])) >= 1 / 8
    drawing.check_announcement()
    for _ in range(30):
        drawing.handles.nth(0).press("Delete")
    assert len(drawing.points) == 1
    assert drawing.page.evaluate("document.activeElement.ariaLabel") == "Point 1 of 1"
    assert drawing.check_announcement().startswith(
        "Point 1 removed. Cost 0. A constant fits one point"
    )
    drawing.button("Add a point").click()
    drawing.handles.nth(1).press("ArrowUp")
    assert len(drawing.points) == 2 and fit(drawing.points).cost.value > 0
    drawing.check_announcement()


def test_reset_brings_the_first_points_back(drawing):
    before = drawing.points
    drawing.handles.nth(3).press("PageUp")
    drawing.handles.nth(1).press("Backspace")
    assert drawing.points != before
    drawing.button("Reset").click()
    assert drawing.points == before
    assert drawing.check_announcement().startswith("Back to the first points. Cost 3.5.")


def test_reset_names_the_point_that_is_chosen_then(drawing):
    drawing.handles.nth(2).focus()
    assert drawing.button("Remove point 3").is_visible()
    drawing.button("Reset").click()
    assert drawing.button("Remove point 6").is_visible()


def test_the_three_things_to_try(opened):
    bump, climb = Drawing(opened, 0).anew(), Drawing(opened, 1).anew()
    bump.button("Add a point").click()
    costs = []
    for _ in range(10):
        bump.handles.nth(2).press("ArrowDown")
        costs.append(bump.root.locator(".repcost-line-cost strong").inner_text())
    assert costs[5] == "3.5" != costs[6] and costs[9] == "5"
    bump.button("Reset").click()
    for _ in range(3):
        bump.handles.nth(3).press("ArrowDown")
    assert bump.check_announcement().startswith("Cost 2.75.")
    assert bump.root.locator("svg[role=group] .repcost-line-band polygon").count() == 1
    climb.handles.nth(0).press("Shift+ArrowUp")
    assert "It reaches beyond the points." in climb.check_announcement()
    climb.handles.nth(0).press("Shift+ArrowUp")
    assert "Only one function is this cheap" in climb.check_announcement()


def test_the_drawing_shows_the_band_of_the_library(drawing):
    """The corners of the polygons, back in the coordinates of the data, lie on the ends of the
    band.
    """
    corners = drawing.root.evaluate("""root => {
        const polygons = [...root.querySelectorAll('svg[role=group] .repcost-line-band polygon')];
        const points = [...root.querySelectorAll('.repcost-widget-point')];
        const dots = points.map(g => g.transform.baseVal[0].matrix);
        return [polygons.map(p => [...p.points].map(q => [q.x, q.y])), dots.map(m => [m.e, m.f])];
    }""")
    polygons, dots = corners
    data = drawing.points
    scale = [np.polyfit(np.array(dots)[:, axis], np.array(data)[:, axis], 1) for axis in (0, 1)]
    assert len(polygons) == 2
    for polygon in polygons:
        (_, _), (h, v), (_, _) = polygon  # a triangle: its tip is between two points
        x, y = np.polyval(scale[0], h), np.polyval(scale[1], v)
        low, high = fit(data).band([x])
        assert math.isclose(y, low[0], abs_tol=0.02) or math.isclose(y, high[0], abs_tol=0.02)


# ---- Taps, holding, links ----


def test_a_tap_on_the_ground_adds_a_point_and_two_clicks_remove_it(drawing):
    drawing.button("Add a point").scroll_into_view_if_needed()
    x, y = drawing.centre(4)
    mouse, before = drawing.page.mouse, drawing.points
    mouse.click(x - 40, y - 60)
    assert len(drawing.points) == 7
    drawing.check_announcement()
    new = next(n for n, point in enumerate(drawing.points) if point not in before)
    mouse.dblclick(*drawing.centre(new + 1))
    assert drawing.points == before


def test_two_drags_in_a_row_remove_nothing(drawing):
    for _ in range(3):
        drawing.drags_one(3, (0, -20))
    assert len(drawing.points) == 6


def test_a_finger_that_stays_removes_the_point(phone):
    drawing = Drawing(phone.open(PAGE))
    at = drawing.centre_on_screen(3)
    touches = [{"x": at[0], "y": at[1]}]
    session = drawing.page.context.new_cdp_session(drawing.page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": touches})
    drawing.root.locator(".repcost-widget-held").wait_for(timeout=3000)
    drawing.page.wait_for_function(
        "root => root.repcostWidget.state().points.length === 5", arg=drawing.root.element_handle()
    )
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert len(drawing.points) == 5
    drawing.page.wait_for_timeout(500)  # so soon after a drag nothing is meant by a tap
    drawing.page.touchscreen.tap(at[0] + 4, at[1] - 50)
    drawing.page.wait_for_function(
        "root => root.repcostWidget.state().points.length === 6", arg=drawing.root.element_handle()
    )


def test_the_link_is_copied(drawing):
    drawing.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    drawing.handles.nth(0).press("PageUp")
    drawing.button("Copy link").click()
    assert "A link to this drawing is on the clipboard." in drawing.told()
    link = drawing.page.evaluate("navigator.clipboard.readText()")
    assert "line=(((-3,1)," in link and link.endswith("#drawing-line")


def test_terms_light_up_in_formula_and_picture(drawing):
    lit = drawing.root.locator("svg .repcost-line-ends.repcost-widget-lit")
    drawing.root.locator(".repcost-widget-formula >> visible=true").get_by_text(
        "S", exact=True
    ).hover()
    assert lit.count() == 1
    drawing.page.mouse.move(0, 0)
    assert lit.count() == 0


# ---- Fingers, and notebooks ----


def test_a_finger_drags_a_point_and_the_page_stays(phone):
    drawing = Drawing(phone.open(PAGE))
    before = drawing.points
    drawing.finger_drags(drawing.centre_on_screen(3), (10, -60))
    assert drawing.points[2][1] > before[2][1] + 0.3
    drawing.check_announcement()


def test_a_finger_beside_the_points_scrolls(phone):
    drawing = Drawing(phone.open(PAGE))
    x, y = drawing.centre_on_screen(3)
    drawing.finger_scrolls((x, y - 70))


def test_it_follows_the_width_of_the_window(visit):
    drawing = Drawing(visit.open(PAGE))
    for width in (1300, 375, 800):
        drawing.page.set_viewport_size({"width": width, "height": 800})
        drawing.page.wait_for_function("""() => {
            const svg = document.querySelector('.repcost-line > svg[role=group]');
            return Math.abs(svg.viewBox.baseVal.width - svg.clientWidth) <= 1;
        }""")
    drawing.check_announcement()


def test_as_a_module_it_serves_a_notebook(visit):
    """The very text that a notebook imports, with a model that stands for the kernel's."""
    from repcost_book.kernel.widgets import LineWidget

    page = visit.open("book/start/notation")
    points = page.evaluate(
        "async script => {"
        + NOTEBOOK
        + """
            const model = modelOf({points: [[0, 0], [1, 1], [2, 3]], biases: 'free'}), el = place();
            const end = (await load(script)).render({model, el});
            const key = new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true});
            el.querySelector('[role=slider]').dispatchEvent(key);
            const moved = model.state.points;
            model.set('points', [[0, 0], [1, 5]]);
            const cost = el.querySelector('.repcost-line-cost strong').textContent;
            end();
            return [moved, model.saved, cost, el.querySelector('svg'), Object.keys(model.heard)];
        }""",
        LineWidget._esm,
    )
    assert points == [
        [[0, 0.125], [1, 1], [2, 3]],
        ['{"points":[[0,0.125],[1,1],[2,3]],"biases":"free"}'],
        "5",
        None,
        [],
    ]
