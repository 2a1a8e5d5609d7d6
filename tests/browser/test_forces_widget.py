"""The drawing of the forces on a hidden layer: it computes what the library does, flows downhill,
and can be worked.
"""

import numpy as np
import pytest

from repcost import forces
from repcost_book.kernel.widgets import ForcesWidget, HiddenLayer
from repcost_book.kernel.widgets.forces import BIAS, SETTINGS, TIKHONOV
from tests.browser.drawings import CLOSE, OnPage, arrows, pages

PAGE = "book/jacot-2022/forces"
ASK = "all => all.map(([setting, Z]) => repcostForces.solve(setting, Z))"
FLOW = """all => all.map(([setting, Z]) => {
    const way = repcostForces.flow(setting, Z);
    return [way, way.map(each => repcostForces.solve(setting, each).loss)];
})"""
GIVEN = ForcesWidget().given["settings"]


def _any(rng, number: int) -> tuple[dict, np.ndarray]:
    """Layers of any numbers of points, inputs and outputs; some entries are exactly zero."""
    N = 2 + number % 6
    setting = {
        "inputs": rng.normal(size=(N, 1 + number % 3)).tolist(),
        "outputs": rng.normal(size=(N, 1 + number % 2)).tolist(),
        "bias": float(rng.uniform(0.2, 2)),
        "tikhonov": float(10 ** rng.uniform(-2, 0)),
    }
    return setting, rng.normal(size=(N, 2)) * (rng.random((N, 2)) > 0.1)


RNG = np.random.default_rng(0)
INPUTS = [_any(RNG, number) for number in range(200)]


def _right(setting: dict, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    below = np.column_stack([setting["inputs"], np.full(len(Z), setting["bias"])])
    outputs = np.array(setting["outputs"])
    return forces(Z, below, outputs, setting["bias"], tikhonov=setting["tikhonov"])


def _off(found: dict, setting: dict, Z: np.ndarray) -> float:
    attraction, repulsion = _right(setting, Z)
    pairs = [
        (found["attraction"], attraction),
        (found["repulsion"], repulsion),
        (found["pull"], np.sum(Z * attraction, axis=0)),
        (found["push"], -np.sum(Z * repulsion, axis=0)),
    ]
    return max(np.max(np.abs(np.subtract(a, b)) / (1 + np.abs(b))) for a, b in pairs)


@pytest.fixture(scope="module")
def answers(opened) -> list[dict]:
    return opened.evaluate(ASK, [[setting, Z.tolist()] for setting, Z in INPUTS])


def test_it_computes_what_the_library_computes(answers):
    assert max(_off(found, *given) for found, given in zip(answers, INPUTS, strict=True)) < CLOSE


def test_other_forces_are_noticed(answers):
    """Without the slope of the ReLU, and with another Tikhonov term, in nearly all layers."""
    always_on = [
        {**found, "repulsion": np.where(Z > 0, found["repulsion"], 0.1).tolist()}
        for found, (_, Z) in zip(answers, INPUTS, strict=True)
    ]
    others = [({**setting, "tikhonov": 2 * setting["tikhonov"]}, Z) for setting, Z in INPUTS]
    assert sum(_off(f, *given) > CLOSE for f, given in zip(always_on, INPUTS, strict=True)) > 180
    assert sum(_off(f, *given) > CLOSE for f, given in zip(answers, others, strict=True)) > 190


def test_the_layer_flows_down_and_first_the_way_of_the_forces(opened):
    given = [(each, each["start"]) for each in GIVEN.values()]
    for (setting, start), (way, losses) in zip(given, opened.evaluate(FLOW, given), strict=True):
        total = np.sum(losses, axis=1)
        assert np.all(np.diff(total) < 1e-12) and total[-1] < 0.95 * total[0]
        first = np.subtract(way[1], start)
        force = -np.sum(_right(setting, np.array(start)), axis=0)
        assert np.sum(first * force) > 0.5 * np.linalg.norm(first) * np.linalg.norm(force)


class Drawing(OnPage):
    kind = "forces"

    def check_announcement(self) -> str:
        pull, push = HiddenLayer(self.points, self.state["setting"]).per_neuron
        text = self.told()
        for k in range(2):
            assert (
                f"neuron {k + 1} is pulled by {_shown(pull[k])} and pushed by {_shown(push[k])}"
                in text
            )
        return text


def _shown(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def test_the_mouse_drags_a_point(drawing):
    before, after = drawing.drags_one(3, (-40, -50))
    assert after[0] < before[0] and after[1] > before[1]
    drawing.check_announcement()


def test_points_pass_each_other(drawing):
    """They are no function: the order of their first numbers is free."""
    drawing.drags_one(1, (250, 0))
    assert drawing.points[0][0] > drawing.points[1][0]


def test_keys_move_a_point(drawing):
    drawing.follows_keys(2, [*arrows(1 / 16, 1 / 16), *pages(1 / 4)])
    drawing.check_announcement()


def test_it_flows_to_rest_and_back(drawing):
    drawing.page.emulate_media(reduced_motion="reduce")
    before = drawing.points
    drawing.button("Let it flow").click()
    assert "nearly at rest" in drawing.check_announcement()
    pull, push = HiddenLayer(drawing.points, "three classes").per_neuron
    assert np.allclose(pull, push, rtol=0.1)
    drawing.button("Undo").click()
    assert drawing.points == before


@pytest.mark.parametrize("name", SETTINGS)
def test_the_data_are_chosen(drawing, name):
    drawing.button(name).click()
    assert drawing.state["setting"] == name
    if name != "three classes":
        assert drawing.points == SETTINGS[name]["start"]
    drawing.check_announcement()


def test_a_finger_drags_a_point_and_the_page_stays(phone):
    drawing = Drawing(phone.open(PAGE))
    before = drawing.points
    drawing.finger_drags(drawing.centre_on_screen(6), (30, -20))
    assert drawing.points[5][0] > before[5][0] + 0.1


def test_what_the_script_is_given_is_what_python_has():
    assert all(each["tikhonov"] == TIKHONOV and each["bias"] == BIAS for each in GIVEN.values())
    assert {name: each["start"] for name, each in GIVEN.items()} == {
        name: each["start"] for name, each in SETTINGS.items()
    }
