"""The drawing of units that merge: it computes what the library does; mouse, finger, keys and
buttons can work it.
"""

import numpy as np
import pytest

from repcost.shallow import basic_weights
from repcost_book.kernel.widgets import Merging
from repcost_book.kernel.widgets.merging import ALL, GAP, LIMIT, PROGRAMME, WAVE
from tests.browser.drawings import (
    CLOSE,
    NOTEBOOK,
    OnPage,
    arrows,
    disagreements,
    drag,
    drag_along,
    noticed,
    pages,
)

PAGE = "book/jacot-2022/play"
ASK = """inputs => inputs.map(([points, steps, places]) => {
    const {before, units, pairs, costs, change} = repcostMerging.solve({points, steps});
    const values = list => places.map(x => repcostMerging.evaluate(list, x));
    return {
        pairs, change, cost: costs.now, costBefore: costs.before,
        count: units.length, countBefore: before.length,
        values: values(units), valuesBefore: values(before),
    };
})"""


# ---- Mathematics ----


def _any(rng, n):
    while True:
        x = np.sort(rng.uniform(-LIMIT, LIMIT, n))
        if np.diff(x).min() > GAP:
            return x, rng.uniform(-LIMIT, LIMIT, n)


def _grid(rng, n):
    return np.sort(rng.choice(np.arange(-6, 7), n, replace=False)) / 4, rng.integers(
        -48, 49, n
    ) / 32


def _crowded(rng, n):
    return rng.choice([-LIMIT, LIMIT - GAP * (n - 1), -0.1]) + GAP * np.arange(n), rng.normal(
        size=n
    ) / 3


def _on_a_line(rng, n):
    x, _ = _any(rng, n)
    return x, x * rng.integers(-2, 3) / 4 + rng.choice([0, 0.5])


KINDS = [_any, _grid, _crowded, _any, _on_a_line]


def _inputs() -> list[tuple[list, int, list]]:
    """200 inputs: two to six points anywhere, on a grid, as near as may be, or on a line; every
    kind of step.
    """
    rng = np.random.default_rng(0)
    found = []
    for number in range(200):
        x, y = KINDS[number % 5](rng, 2 + (number // 5) % 5)
        steps = [0, int(rng.integers(1, 40)), ALL, PROGRAMME][number % 4]
        places = np.concatenate([x, rng.uniform(-2, 2, 30)])
        found.append(
            (np.column_stack([x, np.clip(y, -LIMIT, LIMIT)]).tolist(), steps, places.tolist())
        )
    return found


INPUTS = _inputs()


@pytest.fixture(scope="module")
def answers(opened) -> list[dict]:
    return opened.evaluate(ASK, INPUTS)


def _bends(net) -> np.ndarray:
    slopes, biases = net.weights[0][:, 0], net.biases[0]
    return -biases[slopes != 0] / slopes[slopes != 0]


def _errors(points, steps, places, answer) -> dict[str, float]:
    """How far the script is from the library, relative to the size of the values compared."""
    merging = Merging(points, steps)
    right, start, at = merging.network, merging.start, np.array(places)[:, None]
    bends = np.concatenate([_bends(net) for net in (start, right)])
    inside = bends[(points[0][0] < bends) & (bends < points[-1][0])][:, None]
    pairs = {
        "cost": (answer["cost"], right.squared_norm),
        "cost before": (answer["costBefore"], start.squared_norm),
        "values": (answer["values"], right(at)[:, 0]),
        "values before": (answer["valuesBefore"], start(at)[:, 0]),
        "change": (answer["change"], np.abs(right(inside) - start(inside)).max(initial=0)),
        "pairs": (answer["pairs"], merging.pairs),
        "count": (answer["count"], np.count_nonzero(np.abs(right.weights[1]) > 1e-6)),
        "count before": (answer["countBefore"], np.count_nonzero(start.weights[1])),
    }
    errors = {
        name: np.max(np.abs(np.subtract(a, b, dtype=float)) / (1 + np.abs(b)))
        for name, (a, b) in pairs.items()
    }
    return errors


def test_it_computes_what_the_library_computes(answers):
    assert disagreements(_errors, INPUTS, answers) == []


def test_the_inputs_try_every_case(answers):
    assert {len(points) for points, _, _ in INPUTS} == {2, 3, 4, 5, 6}
    some = [
        steps < answer["pairs"]
        for (_, steps, _), answer in zip(INPUTS, answers, strict=True)
        if 0 < steps < ALL
    ]
    assert 20 < sum(some) <= 50
    ends = [
        (points, answer)
        for (points, steps, _), answer in zip(INPUTS, answers, strict=True)
        if steps > ALL
    ]
    last = [answer["count"] - len(points) for points, answer in ends]
    assert max(last) == 0 and min(last) < 0


def _unmoved(answer) -> dict:
    return {"values": answer["valuesBefore"], "change": 0.0}


WRONG = {
    "the function never moves": _unmoved,
    "it moves by a hundredth more": lambda answer: {"change": 1.01 * answer["change"]},
    "the cost of the start": lambda answer: {"cost": answer["costBefore"]},
    "half the sum of squares": lambda answer: {"cost": answer["cost"] / 2},
    "one pair too many": lambda answer: {"pairs": answer["pairs"] + 1},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_formula_is_noticed(answers, name):
    assert noticed(_errors, INPUTS, answers, WRONG[name]) > 30


def test_its_linear_programme_is_that_of_the_library(opened):
    """Also where pivots are degenerate: whole numbers, zeros, rows that repeat."""
    rng = np.random.default_rng(1)
    tasks = []
    for number in range(100):
        shape = int(rng.integers(1, 7)), int(rng.integers(6, 20))
        columns = rng.normal(size=shape) if number % 2 else rng.integers(-2, 3, shape).astype(float)
        if number % 4 == 0:
            columns[-1] = columns[0]
        start = rng.exponential(size=shape[1]) * (rng.random(shape[1]) < 0.6)
        tasks.append((columns, start))
    given = [(columns.T.tolist(), (columns @ start).tolist()) for columns, start in tasks]
    found = opened.evaluate("tasks => tasks.map(([c, y]) => repcostMerging.programme(c, y))", given)
    for (columns, start), ours in zip(tasks, found, strict=True):
        theirs = basic_weights(columns, start)
        assert np.min(ours) >= 0 and np.count_nonzero(ours) <= len(columns)
        assert np.allclose(columns @ ours, columns @ start, atol=CLOSE)
        assert np.sum(ours) == pytest.approx(theirs.sum(), abs=CLOSE)


# ---- Interaction ----


class Drawing(OnPage):
    kind = "merging"

    @property
    def slider(self):
        return self.root.get_by_role("slider", name="Merge, pair by pair")

    def check_announcement(self) -> str:
        """What a screen reader is told, and what is seen, is the library's answer for what is
        drawn.
        """
        text = self.told()
        net = Merging(**self.state).network
        count = "1 unit" if net.widths[1] == 1 else f"{net.widths[1]} units"
        assert f"{count}, with the sum of squares {net.squared_norm:.3f}" in text
        values = self.root.locator(".repcost-merging-bars b").all_inner_texts()
        assert values == [str(net.widths[1]), f"{net.squared_norm:.3f}"]
        assert self.root.locator(".repcost-merging-units circle").count() == net.widths[1]
        return text


def test_the_first_announcement_is_right(drawing):
    assert drawing.state == {"points": [list(point) for point in WAVE], "steps": 0}
    assert (
        "34 merges are possible: of units in one sector with one sign."
        in drawing.check_announcement()
    )


@pytest.mark.parametrize("stage", ["Unmerge", "Merge all", "Linear programme"])
def test_the_mouse_drags_a_point(drawing, stage):
    drawing.button(stage).click()
    drawing.handles.nth(2).scroll_into_view_if_needed()
    before, after = drawing.drags_one(3, (9, 62))
    assert after[0] > before[0] and after[1] < before[1] - 0.2
    drawing.check_announcement()


def test_a_point_stops_before_its_neighbours_and_the_edges(drawing):
    for n, targets in ((3, (2000, -2000)), (5, (2000, -2000))):
        for target in targets:
            drag(drawing.page, drawing.centre(n), (target, target))
            drawing.check_announcement()
            x, y = np.array(drawing.points).T
            assert np.diff(x).min() >= GAP and np.abs([x, y]).max() <= LIMIT


def test_the_slider_merges_pair_by_pair(drawing):
    pairs, counts = Merging(WAVE).pairs, []
    for steps in range(1, 6):
        drawing.slider.press("ArrowRight")
        assert drawing.state["steps"] == steps
        counts.append(int(drawing.root.locator(".repcost-merging-bars b").first.inner_text()))
    assert counts == [46, 45, 44, 43, 42]
    drawing.slider.press("Shift+ArrowRight")
    drawing.slider.press("PageUp")
    drawing.slider.press("ArrowLeft")
    assert drawing.state["steps"] == 14
    assert f"14 of {pairs} merges done" in drawing.check_announcement()
    drawing.slider.press("End")
    assert drawing.state["steps"] == PROGRAMME
    assert "linear programme leaves one unit a point" in drawing.check_announcement()
    drawing.slider.press("ArrowDown")
    assert drawing.state["steps"] == ALL
    assert "merging ends: at most 4N − 2 = 18" in drawing.check_announcement()
    drawing.slider.press("PageDown")
    assert drawing.state["steps"] == pairs - 5
    drawing.slider.press("Home")
    assert drawing.state["steps"] == 0
    drawing.check_announcement()


def test_the_slider_can_be_dragged(drawing):
    drawing.slider.scroll_into_view_if_needed()
    drag_along(drawing.slider, 0.02, 0.5)
    assert 12 < drawing.state["steps"] < 23
    drawing.check_announcement()


KEYS = [
    *arrows(1 / 16, 1 / 16),
    ("Shift+ArrowUp", 0, 1 / 4),
    ("Shift+ArrowRight", 1 / 4, 0),
    *pages(1 / 4),
]


def test_keys_move_a_point(drawing):
    drawing.follows_keys(3, KEYS)
    drawing.check_announcement()
    for key, bound in (("Home", -LIMIT), ("End", LIMIT)):
        drawing.handles.nth(2).press(key)
        told = float(drawing.handles.nth(2).get_attribute("aria-valuenow"))
        assert drawing.points[2][1] == bound == told
        drawing.check_announcement()


def test_points_are_added_and_removed_within_bounds(drawing):
    drawing.button("Merge all").click()
    drawing.button("Add a point").click()
    assert "Point 2 added at x −0.875, y 0.25" in drawing.check_announcement()
    assert len(drawing.points) == 6
    assert drawing.button("Add a point").get_attribute("aria-disabled") == "true"
    drawing.button("Remove point 2").click()
    assert drawing.points == [list(point) for point in WAVE]
    for _ in range(9):
        drawing.handles.nth(0).press("Delete")
    assert len(drawing.points) == 2
    assert drawing.page.evaluate("document.activeElement.ariaLabel") == "Point 1 of 2"
    drawing.check_announcement()
    for _ in range(9):
        drawing.button("Add a point").press("Enter")
    assert np.diff(np.array(drawing.points)[:, 0]).min() >= GAP
    drawing.check_announcement()
    drawing.button("Reset").click()
    assert drawing.check_announcement().startswith("Back to the start. 47 units")


def test_reset_names_the_point_that_is_chosen_then(drawing):
    drawing.handles.nth(2).focus()
    assert drawing.button("Remove point 3").is_visible()
    drawing.button("Reset").click()
    assert drawing.button("Remove point 5").is_visible()


def test_the_three_things_to_see(drawing):
    drawing.button("Merge all").click()
    text = drawing.check_announcement()
    assert text.startswith(
        "All pairs merged. 13 units, with the sum of squares 19.696, 0.56\u00a0% less"
    )
    assert "by 0.134 at most" in text
    drawing.button("Linear programme").click()
    assert (
        "5 units, with the sum of squares 16.414, 17.13\u00a0% less" in drawing.check_announcement()
    )
    drawing.handles.nth(2).press("ArrowDown")
    drawing.check_announcement()
    assert drawing.state["steps"] == PROGRAMME
    pair = Drawing(drawing.page, 1)
    pair.button("Linear programme").click()
    assert "1 unit, with the sum of squares 2.000" in pair.check_announcement()
    assert drawing.points[2] == [0, 0.4375], "the other drawing stays"


def test_all_points_at_zero_need_no_unit(drawing):
    for n in range(5):
        for _ in range(24):
            _, y = drawing.points[n]
            if y == 0:
                break
            drawing.handles.nth(n).press("ArrowDown" if y > 0 else "ArrowUp")
    assert Merging(**drawing.state).network.widths == (1, 0, 1)
    assert (
        "No units, with the sum of squares 0.000"
        in drawing.root.locator(".repcost-widget-words").inner_text()
    )


def test_the_graph_goes_through_the_points(drawing):
    """Where the drawn line passes below a handle, it is at the height of its centre."""
    for stage in ("Unmerge", "Merge all", "Linear programme"):
        drawing.button(stage).click()
        line, dots = drawing.root.evaluate(
            """root => {
                const graph = root.querySelector('polyline.repcost-merging-now');
                const line = [...graph.points].map(p => [p.x, p.y]);
                const dots = [...root.querySelectorAll('.repcost-widget-point')];
                return [line, dots.map(g => g.transform.baseVal[0].matrix).map(m => [m.e, m.f])];
            }"""
        )
        h, v = np.array(line).T
        for x, y in dots:
            assert abs(np.interp(x, h, v) - y) < 0.1


def test_vectors_add_up(drawing):
    """Chains go from the origin to the ends of the vectors, by the vectors that the library begins
    with.
    """
    drawing.button("Merge all").click()
    chains, ends = drawing.root.evaluate(
        """root => {
            const read = p => [...p.points].map(q => [q.x, q.y]);
            const chains = [...root.querySelectorAll('.repcost-merging-chain')].map(read);
            const ends = [...root.querySelectorAll('.repcost-merging-units circle')];
            return [chains, ends.map(c => [c.cx.baseVal.value, c.cy.baseVal.value])];
        }"""
    )
    merging, made = Merging(WAVE), {}
    points, (a,) = np.column_stack([merging.X, np.ones(len(WAVE))]), merging.start.weights[1]
    vectors = (
        np.column_stack([merging.start.weights[0], merging.start.biases[0]]) * np.abs(a)[:, None]
    )
    for v, sign in zip(vectors, np.sign(a), strict=True):
        made.setdefault((*(points @ v > 0), sign), []).append(v)
    longest = max(np.linalg.norm(np.sum(group, axis=0)) for group in made.values())
    scale = np.linalg.norm(np.subtract(ends, 160), axis=1).max() / longest
    groups = [np.array(group) for group in made.values() if len(group) > 1]
    assert len(chains) == len(groups) > 5
    for chain in chains:
        assert np.allclose(chain[0], (160, 160), atol=0.01)
        assert np.min(np.abs(np.array(ends) - chain[-1]).max(axis=1)) < 0.01
        pieces = np.diff(chain, axis=0) * (1, -1) / scale
        assert (
            sum(
                len(group) == len(pieces) and np.abs(group - pieces).max() < 0.05 / scale
                for group in groups
            )
            == 1
        )


# ---- Fingers, and notebooks ----


def test_a_finger_drags_a_point_and_the_page_stays(phone):
    drawing = Drawing(phone.open(PAGE))
    before = drawing.points
    drawing.finger_drags(drawing.centre_on_screen(3), (5, 40))
    assert drawing.points[2][1] < before[2][1] - 0.2
    drawing.check_announcement()


def test_a_finger_beside_the_points_scrolls(phone):
    drawing = Drawing(phone.open(PAGE))
    x, y = drawing.centre_on_screen(3)
    drawing.finger_scrolls((x, y + 60))


def test_as_a_module_it_serves_a_notebook(visit):
    """The very text that a notebook imports, with a model that stands for the kernel's."""
    from repcost_book.kernel.widgets import MergingWidget

    page = visit.open("book/start/notation")
    found = page.evaluate(
        "async script => {"
        + NOTEBOOK
        + """
            const model = modelOf({points: [[-1, 1], [1, 1]], steps: 0}), el = place();
            const end = (await load(script)).render({model, el});
            const seen = () => el.querySelector('.repcost-merging-bars b').textContent;
            el.querySelectorAll('button')[1].click();
            const merged = [model.state.steps, seen()];
            const key = new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true});
            el.querySelector('.repcost-widget-point').dispatchEvent(key);
            const moved = model.state.points;
            model.set('points', [[-1, 1], [1, 1]]);
            model.set('steps', 61);
            const last = seen();
            end();
            const left = [el.querySelector('svg'), Object.keys(model.heard)];
            return [merged, moved, last, model.saved.length, ...left];
        }""",
        MergingWidget._esm,
    )
    assert found == [[ALL, "3"], [[-1, 1.0625], [1, 1]], "1", 2, None, []]
