"""Every argument of every public function comes through a door: it is right, or it is named."""

import inspect
import re
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

import repcost
from tests import room_cases
from tests.door_cases import CALLS, KINDS, LINE, wrong_values

pytestmark = pytest.mark.usefixtures("unchecked")


@pytest.mark.parametrize("name", repcost.__all__)
def test_every_argument_has_a_good_value_and_a_kind(name):
    """A new function, and a new argument, has no case yet: this is the test that says so."""
    parameters = list(inspect.signature(getattr(repcost, name)).parameters)
    assert list(CALLS[name]) == parameters, "give door_cases.CALLS every argument, in order"
    for argument in parameters:
        wrong_values(name, argument)
    getattr(repcost, name)(**CALLS[name])


@pytest.mark.parametrize("name", repcost.__all__)
def test_what_is_wrong_is_refused_by_name(name):
    function, call = getattr(repcost, name), CALLS[name]
    for argument in call:
        for wrong in wrong_values(name, argument):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert refused(function, {**call, argument: wrong}, argument), (argument, wrong)


ROOM_FUNCTIONS = room_cases.listed_functions()
# Widths stand there without a name.
WIDTHS = {"random_network": (2, 3, 1)}


def test_every_function_of_the_rooms_has_cases():
    assert set(ROOM_FUNCTIONS) == set(room_cases.CALLS), "give the new name a call in room_cases"


@pytest.mark.parametrize("name", ROOM_FUNCTIONS)
def test_functions_of_the_rooms_refuse_by_name_too(name):
    function = partial(ROOM_FUNCTIONS[name], *WIDTHS.get(name, ()))
    call = room_cases.CALLS[name]
    function(**call)
    parameters = set(inspect.signature(ROOM_FUNCTIONS[name]).parameters)
    assert set(call) == parameters - ({"widths"} if name in WIDTHS else set())
    for argument in call:
        for wrong in room_cases.wrong_values(name, argument):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert refused(function, {**call, argument: wrong}, argument), (argument, wrong)


def refused(function, call: dict, argument: str) -> bool:
    """Whether a ValueError with a name and something to say comes back; others are not caught."""
    try:
        function(**call)
    except ValueError as error:
        return names(str(error), argument) and len(str(error)) < 400
    return False


def names(message: str, argument: str) -> bool:
    """As a word: nearly every sentence has an a in it."""
    return re.search(rf"\b{argument}\b", message) is not None


def test_the_guard_above_can_fail():
    assert not refused(lambda x: x, {"x": None}, "x")
    with pytest.raises(TypeError):
        refused(lambda x: x + "", {"x": 1}, "x")


def test_no_kind_is_for_nobody():
    used = {argument for call in CALLS.values() for argument in call}
    assert set(KINDS) <= used


# Methods that people call with arguments of their own.
METHODS = {
    "TwoLayer": (LINE, "X"),
    "DeepNet": (repcost.DeepNet([[[2.0]]], [[1.0]]), "X"),
    "PiecewiseLinear": (repcost.PiecewiseLinear([0.0], [-1, 1]), "x"),
    "jacobians": (repcost.DeepNet([[[2.0]]], [[1.0]]).jacobians, "X"),
    "preactivations": (repcost.DeepNet([[[2.0]]], [[1.0]]).preactivations, "X"),
    "band": (repcost.interpolate_line([0, 1], [0, 1]).band, "at"),
    "linear layers": (repcost.linear_layers_network(LINE, 3), "X"),
}


@pytest.mark.parametrize("name", METHODS)
def test_points_of_methods_too(name):
    method, argument = METHODS[name]
    for wrong in KINDS["X"]:
        with pytest.raises(ValueError, match=rf"\b{argument}\b"):
            method(wrong)


CONSTRUCTORS = [
    (repcost.Architecture.two_layer, {"width": 3, "inputs": 1, "outputs": 1}),
    (repcost.Architecture.linear_layers, {"inputs": 2, "width": 3, "depth": 3, "linear_width": 2}),
    (repcost.Architecture.parallel, {"branches": 2, "widths": (1, 1, 1)}),
    (repcost.Architecture.deep, {"widths": (1, 2, 1), "negative_slope": 0.0, "biases": True}),
    (repcost.Objective.savarese_2019, {"strength": 0.1}),
    (repcost.Objective.ongie_willett_2022, {"strength": 0.1}),
    (repcost.Objective.jacot_2022, {"strength": 0.1, "loss": "squared", "bias": 1.0}),
    (repcost.Objective.jacot_2023, {"strength": 0.1, "loss": "squared", "per_layer": True}),
    (repcost.PiecewiseLinear.through, {"x": [0.0, 1.0], "y": [0.0, 1.0]}),
]


@pytest.mark.parametrize(("constructor", "call"), CONSTRUCTORS)
def test_constructors_by_name_too(constructor, call):
    constructor(**call)
    for argument in call:
        # Widths of one layer are whole numbers from one on, as a depth is.
        kind = argument if argument in KINDS and argument != "inputs" else "depth"
        wrong = KINDS["spread"] if argument == "biases" else KINDS[kind]
        optional = argument == "linear_width"
        for value in wrong:
            if not (optional and value is None):
                assert refused(constructor, {**call, argument: value}, argument), (argument, value)


def test_a_network_is_a_network_whoever_asks():
    """Both kinds are taken where both make sense."""
    deep, points = repcost.DeepNet.from_two_layer(LINE), [[1.0], [2.0]]
    assert repcost.prune(LINE, points).widths == repcost.prune(deep, points).widths
    for one in (LINE, deep):
        found = repcost.certify_shallow(one, points, [1.0, 2.0], 0.1)
        assert found.upper == repcost.certify_shallow(deep, points, [1.0, 2.0], 0.1).upper
        assert repcost.linear_layers_network(one, 3).depth == 3
        assert repcost.function_cost(one).value == 1.0
    with pytest.raises(ValueError, match="as_piecewise_linear makes one"):
        other: Any = LINE
        repcost.cheapest_network(other)


def test_a_recipe_without_steps_has_rates():
    recipe = repcost.Recipe(steps=0, annealing=10.0)
    assert np.isfinite([recipe.rate(0), recipe.strength_factor(0)]).all()


def test_what_is_no_checkpoint_is_said_to_be_none(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not arrays", encoding="utf-8")
    with pytest.raises(ValueError, match=r"checkpoint .* is no file of arrays"):
        repcost.train(**{**CALLS["train"], "checkpoint": path})
