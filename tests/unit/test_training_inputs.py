"""What cannot be trained is named, and schedules are what they say."""

from typing import Any

import numpy as np
import pytest

from repcost import Architecture, Objective, Recipe, train
from tests.training_problems import SAVARESE, SHORT, TEN, TWENTY

UNKNOWN: Any = "unknown"
DEEPER = Architecture.deep((1, 3, 3, 1))
x, y = TEN


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seeds": 3}, "seeds must be"),
        ({"seeds": [1, 1]}, "same one twice"),
        ({"seeds": []}, "seeds must be"),
        ({"architecture": []}, "architecture must be an Architecture"),
        ({"architecture": [TWENTY, DEEPER]}, "differ in hidden widths only"),
        ({"architecture": Architecture.two_layer(3, inputs=2)}, "X has 1 columns"),
        ({"objective": [SAVARESE, Objective.jacot_2022(0.1)]}, "differ in strength only"),
        ({"objective": Objective.jacot_2022(0.1, bias=0.0)}, "set biases=False"),
        ({"data": (x, y[:3])}, "same number of rows"),
        ({"data": (x, np.full(10, np.nan))}, "Y holds NaN"),
        ({"target": (np.nan, 0.1)}, "target must be"),
        ({"target": (1.0, 0.0)}, "target must be"),
        ({"target": ([1.0, 2.0], 0.1)}, "2 bounds for 1 objectives"),
    ],
)
def test_bad_input_is_named(unchecked, change, says):
    what = {"architecture": TWENTY, "data": TEN, "objective": SAVARESE}
    how = {"recipe": SHORT, "seeds": [0]}
    with pytest.raises(ValueError, match=says):
        train(**(what | how | change))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Architecture((1, 2)), "at least 3 of them"),
        (lambda: Architecture((1, 0, 1)), r"widths.1. must be a whole number, at least 1"),
        (lambda: Architecture.deep((1, 2, 1), negative_slope=1.0), "negative_slope"),
        (
            lambda: Architecture((1, 2, 1), linear=1),
            "linear must be a whole number of layers, from 0 to 0",
        ),
        (lambda: Architecture((1, 2, 2, 2, 1), linear=1), "one single ReLU layer"),
        (lambda: Architecture((1, 2, 1), branches=2), "no biases"),
        (lambda: Recipe(steps=-1), "steps must be a whole number, at least 0, not -1"),
        (lambda: Recipe(learning_rate=0.0), "learning_rate must be positive"),
        (lambda: Recipe(annealed=2.0), "annealed"),
        (lambda: Recipe(batch_size=0), "batch_size"),
        (lambda: Recipe(schedule=UNKNOWN), "schedule must be .constant. or"),
        (lambda: Recipe(dtype=UNKNOWN), "dtype must be .float64. or"),
        (lambda: Recipe(optimiser=UNKNOWN), "optimiser must be .adam. or"),
    ],
)
def test_bad_architectures_and_recipes_are_named(unchecked, make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_schedules():
    constant, cosine = Recipe(1000, 0.1, "constant"), Recipe(1000, 0.1, "cosine")
    stable = Recipe(1000, 0.1, "warm-up-stable-decay")
    assert [constant.rate(step) for step in (0, 999)] == [0.1, 0.1]
    assert [cosine.rate(step) for step in (0, 500, 1000)] == pytest.approx([0.1, 0.05, 0.0])
    rates = [stable.rate(step) for step in (0, 9, 300, 500, 1000)]
    assert rates == pytest.approx([0.005, 0.05, 0.1, 0.1, 0.001])
    annealed = Recipe(1000, annealing=100.0, annealed=0.5)
    factors = [annealed.strength_factor(step) for step in (0, 250, 500, 900)]
    assert factors == pytest.approx([100, 10, 1, 1])
