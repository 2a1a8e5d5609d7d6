from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from repcost import Bracket
from repcost.conventions import HALF_OF_WEIGHTS


def test_the_value_is_the_attained_end():
    assert Bracket(1.0, 2.0, "certified").value == 2.0
    assert Bracket(1.0, 2.0, "certified", attained="lower").value == 1.0


def test_gaps():
    bracket = Bracket(1.0, 1.5, "certified")
    assert (bracket.gap, bracket.relative_gap) == (0.5, pytest.approx(1 / 3))
    assert Bracket(0.0, 0.0, "exact").relative_gap == 0.0
    assert Bracket(0.0, 1.0, "certified", attained="lower").relative_gap == np.inf


@pytest.mark.parametrize("end", [np.inf, -np.inf])
def test_equal_infinities_have_no_gap(end):
    bracket = Bracket(end, end, "exact")
    assert (bracket.gap, bracket.relative_gap) == (0.0, 0.0)


def test_half_known():
    assert Bracket(1.0, np.inf, "certified").gap == np.inf
    assert Bracket(1.0, np.inf, "certified").relative_gap == np.inf


def test_a_batch():
    bracket = Bracket(np.array([1.0, 2.0]), np.array([1.0, 4.0]), "certified")
    assert bracket.gap.tolist() == [0.0, 2.0]
    assert bracket.relative_gap.tolist() == [0.0, 0.5]
    assert "2 brackets" in str(bracket)


def test_contains_compares_fractions_exactly():
    third = 1 / 3
    bracket = Bracket(third, third, "certified")
    assert Fraction(third) in bracket
    assert Fraction(1, 3) not in bracket


@pytest.mark.parametrize(
    "arguments, says",
    [
        ((2.0, 1.0, "exact"), "must not exceed"),
        ((float("nan"), 1.0, "exact"), "NaN"),
        ((1.0, float("nan"), "exact"), "NaN"),
        ((1.0, 2.0, "surely"), "how must be"),
        ((1.0, 2.0, "exact", "middle"), "attained must be"),
        ((np.zeros(2), np.zeros(3), "exact"), "shape"),
    ],
)
def test_refuses(arguments, says, unchecked):
    with pytest.raises(ValueError, match=says):
        Bracket(*arguments)


def test_brackets_are_not_compared_by_value():
    assert Bracket(1.0, 1.0, "exact") != Bracket(1.0, 1.0, "exact")


def test_text():
    assert str(Bracket(2.0, 2.0, "exact")) == "2 (exact, gap 0)"
    assert str(Bracket(1.0, 2.0, "certified")) == "between 1 and 2 (certified, gap 1)"


def test_what_a_cost_counts_is_printed():
    cost = Bracket(4.0, 4.0, "certified", counts=HALF_OF_WEIGHTS)
    assert str(cost) == "4 (certified, gap 0; half the squares, biases free)"
    wide = replace(cost, upper=5.0, counts=HALF_OF_WEIGHTS.in_penalty, reason="too many faces")
    told = "certified, gap 1; penalty: half the squares, biases free; too many faces"
    assert str(wide) == f"between 4 and 5 ({told})"
