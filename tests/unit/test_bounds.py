from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from repcost import Bracket, Brackets
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


def test_the_ends_are_floats_whatever_was_given(unchecked):
    numbers: list[Any] = [2, np.int64(2), np.float32(2), np.array(2.0), Fraction(2)]
    numbers.append(torch.tensor(2))
    for one in numbers:
        bracket = Bracket(one, one, "exact")
        assert [type(end) for end in (bracket.lower, bracket.upper, bracket.value)] == [float] * 3
        assert type(bracket.gap) is type(bracket.relative_gap) is float


@pytest.fixture
def many():
    return Brackets([1.0, 2.0, 0.0], [1.0, 4.0, np.inf], "certified", "lower", HALF_OF_WEIGHTS, "!")


def test_many_have_arrays_of_what_one_has(many):
    assert many.value.tolist() == many.lower.tolist() == [1.0, 2.0, 0.0]
    assert many.gap.tolist() == [one.gap for one in many] == [0.0, 2.0, np.inf]
    assert many.relative_gap.tolist() == [one.relative_gap for one in many] == [0.0, 1.0, np.inf]


def test_members_are_brackets_and_parts_are_many(many):
    assert len(many) == len(list(many)) == 3
    one = many[np.int64(-2)]
    assert isinstance(one, Bracket) and (one.lower, one.upper) == (2.0, 4.0)
    assert (one.how, one.attained, one.counts, one.reason) == (
        "certified", "lower", HALF_OF_WEIGHTS, "!",
    )  # fmt: skip
    for part in (many[1:], many[[1, 2]], many[np.array([False, True, True])]):
        assert isinstance(part, Brackets) and part.upper.tolist() == [4.0, np.inf]
        assert (part.how, part.attained, part.counts, part.reason) == (
            "certified", "lower", HALF_OF_WEIGHTS, "!",
        )  # fmt: skip
    with pytest.raises(IndexError):
        many[3]


def test_many_contain_one_number_or_one_each(many):
    assert many.contain([1.0, 5.0, 7.0]).tolist() == [True, False, True]
    assert many.contain(1.0).tolist() == [True, False, True]
    assert [1, Fraction(3), 7.0] in many and 1.0 not in many
    with pytest.raises(ValueError, match="shape"):
        many.contain([1.0, 2.0])


def test_many_keep_what_they_were_made_of():
    ends = np.array([1.0, 2.0])
    many = Brackets(ends, ends, "exact")
    ends[0] = 7.0
    assert many.upper.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        many.lower[0] = 0.0


def test_text_of_many(many):
    assert str(many) == "3 brackets (certified, largest gap inf; half the squares, biases free; !)"
    assert str(many[:1]) == "1 bracket (certified, largest gap 0; half the squares, biases free; !)"
    empty = Brackets([], [], "exact")
    assert str(empty) == "0 brackets (exact, no gap)" and empty.value.shape == (0,)
    assert list(empty) == [] and 1.0 in empty


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
        (([1.0, 2.0], [1.0, 2.0], "exact"), "lower must be one number.*Brackets are for many"),
        ((1.0, np.zeros((0,)), "exact"), "upper must be one number"),
        (("1", 2.0, "exact"), "lower must be a real number, not text"),
        ((True, 2.0, "exact"), "lower must be a real number, not True"),
        ((1j, 2.0, "exact"), "lower must be a real number, not complex"),
    ],
)
def test_refuses(arguments, says, unchecked):
    with pytest.raises(ValueError, match=says):
        Bracket(*arguments)


@pytest.mark.parametrize(
    "arguments, says",
    [
        (([2.0, 3.0], [2.0, 1.0], "exact"), "lower must not exceed upper, but 3.0 > 1.0"),
        (([0.0, np.nan], [1.0, 1.0], "exact"), "NaN"),
        (([0.0], [1.0], "surely"), "how must be"),
        (([0.0], [1.0], "exact", "middle"), "attained must be"),
        (([0.0, 0.0], [1.0], "exact"), "lower has 2 entries, upper 1"),
        ((0.0, 1.0, "exact"), "lower must have 1 axis.*a Bracket is for one number"),
        (([[0.0]], [[1.0]], "exact"), "lower must have 1 axis"),
    ],
)
def test_many_refuse(arguments, says, unchecked):
    with pytest.raises(ValueError, match=says):
        Brackets(*arguments)


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
