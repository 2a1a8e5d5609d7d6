"""`check` must be able to fail: each way it should is seen to."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from repcost import Bracket
from repcost_book import check
from repcost_book.kernel.checks import CheckFailed, anchor, measured_claim
from repcost_book.kernel.comparable import Number
from repcost_book.kernel.ledger import parse

LEDGER = parse("""
savarese-2019/theorem-3.1:
  number: Theorem 3.1
  says: A formula.
  chapter: somewhere
  verdict: holds
  claims: {equality: exact, bound: experiment}
""")
STATEMENT = "savarese-2019/theorem-3.1"


def settle(worst, at_most: Number = 1e-12, wrong=None, claim="equality", id=STATEMENT, **told):
    check(
        id,
        claim,
        worst,
        at_most=at_most,
        wrong={"half of it": 1.0} if wrong is None else wrong,
        ledger=LEDGER,
        **told,
    )


def by_formulas(measure, formula, wrong, at_most=1e-12, **told):
    check(
        STATEMENT, "equality", measure, formula, at_most=at_most, wrong=wrong, ledger=LEDGER, **told
    )


SIDES = [(3.0, 4.0), (5.0, 12.0)]


def length(short, long):
    return (short**2 + long**2) ** 0.5


def off_by(formula):
    """How far a formula is off the hypotenuses 5 and 13."""
    pairs = zip(SIDES, (5.0, 13.0), strict=True)
    return max(abs(formula(*sides) - right) for sides, right in pairs)


def test_a_claim_that_holds_shows_the_bound_and_not_the_value(capsys):
    settle(3.14e-13)
    line = capsys.readouterr().out
    assert "1e-12" in line and "exact" in line and "half of it" in line
    assert "3.14" not in line


def test_exact_zero():
    settle(Fraction(0), at_most=0, apart=1)
    with pytest.raises(CheckFailed):
        settle(Fraction(1, 10**400), at_most=0, apart=1)


@pytest.mark.parametrize("worst", [1.1e-12, float("inf"), float("nan")])
def test_a_claim_that_does_not_hold(worst):
    with pytest.raises(CheckFailed, match="measured"):
        settle(worst)


@pytest.mark.parametrize("measured", [0.0, 1e-13, 9.9e-12, float("nan")])
def test_a_wrong_formula_that_agrees(measured):
    with pytest.raises(CheckFailed, match="cannot tell"):
        settle(0.0, wrong={"half of it": 1.0, "another": measured})


def test_a_check_without_a_wrong_formula_is_refused():
    with pytest.raises(ValueError, match="at least one wrong formula"):
        settle(0.0, wrong={})


def test_unknown_statements_and_claims_are_refused():
    with pytest.raises(ValueError, match="no statement"):
        settle(0.0, id="savarese-2019/theorem-9.9")
    with pytest.raises(ValueError, match="its claims are: 'equality'; 'bound'"):
        settle(0.0, claim="equalty")


def test_anchors_are_readable_and_safe_in_a_link():
    assert (
        anchor("savarese-2019/theorem-3.1", "Costs |s|, not 2|s|!")
        == "check-savarese-2019-theorem-3-1-costs-s-not-2-s"
    )


def test_one_measurement_of_several_formulas(capsys):
    by_formulas(off_by, length, {"their sum": lambda a, b: a + b, "the longer": max}, cases=2)
    line = capsys.readouterr().out
    assert line.rstrip().endswith(
        "equality; at most 1e-12 in 2 cases; refuted: their sum; the longer"
    )


def test_a_formula_that_is_wrong_and_a_wrong_one_that_is_right():
    with pytest.raises(CheckFailed, match="which is not at most 1e-12"):
        by_formulas(off_by, lambda a, b: a + b, {"the length": length})
    with pytest.raises(CheckFailed, match="cannot tell"):
        by_formulas(off_by, length, {"the same in other words": lambda a, b: abs(a + b * 1j)})


def test_what_is_no_exchange_of_formulas():
    for measure, formula, wrong, why in [
        (off_by, length, {"its name": length}, "the same function as 'the formula'"),
        (off_by, length, {"a": max, "b": max}, "'b' is the same function as 'a'"),
        (off_by, SIDES.index, {"a": SIDES.index}, "'a' is the same function"),
        (off_by, length, {"its number": 4.0}, "'its number' is 4.0; a formula is a function"),
        (off_by, 5.0, {"a": max}, "'the formula' is 5.0; a formula is a function"),
        (0.0, length, {"a": max}, "measure is 0.0; beside a formula it is a function"),
        (lambda f: f(), lambda: 0.0, {"a": lambda: 1.0}, "takes nothing, so it is a constant"),
        (lambda f: 0.0 if f.__name__ == "length" else 1.0, length, {"a": off_by}, "never calls"),
        (off_by, length, {}, "at least one wrong formula"),
        (off_by, length, ["a"], "at least one wrong formula"),
        (lambda f: f(3.0, 4.0) == 5, length, {"a": max}, "'the formula' is True; measure how far"),
        (lambda f: print(f(3.0, 4.0)), length, {"a": max}, "'the formula' is None; give one real"),
        (lambda f: [f(3.0, 4.0)], length, {"a": max}, "'the formula' is a list; give one real"),
    ]:
        with pytest.raises(ValueError, match=re.escape(why)):
            by_formulas(measure, formula, wrong)
    with pytest.raises(ValueError, match="so leave out because="):
        by_formulas(off_by, length, {"a": max}, because="there is no formula here")


def test_the_other_numbers_of_a_list_are_no_measurements():
    """Numbers in the clothes of formulas: the list goes on, whatever the formula says."""
    told = iter([0.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="never calls"):
        by_formulas(lambda f: next(told), length, {"a": lambda a, b: a + b})


def test_other_data_for_each_formula():
    rng = np.random.default_rng(0)

    def drawn_anew(formula):
        a = rng.random()
        return abs(formula(a, 1.0) - 1.5)

    with pytest.raises(ValueError, match="measured twice"):
        by_formulas(drawn_anew, length, {"a": lambda a, b: 9 * b}, at_most=0.5, apart=0.1)
    data = [3.0, 4.0]

    def spoils_its_data(a, b):
        data[0] = 0.0
        return 9.0

    with pytest.raises(ValueError, match="let no formula change what it is given"):
        by_formulas(lambda f: abs(f(*data) - 5), length, {"a": spoils_its_data})


@pytest.mark.parametrize("at_most", [0, -0.1, Fraction(-1, 3)])
def test_a_bound_that_is_not_positive_needs_a_distance(at_most):
    formulas = (lambda f: f(1.0) - 1.0), (lambda t: 0.5 * t)
    with pytest.raises(ValueError, match="apart is needed where the bound is"):
        by_formulas(*formulas, {"a": lambda t: 2 * t}, at_most=at_most)
    with pytest.raises(ValueError, match="state the distance by which"):
        settle(-1, at_most=at_most)
    by_formulas(
        *formulas, {"a": lambda t: 2 * t} if at_most else {"a": lambda t: 3 * t}, at_most, apart=1
    )


def test_a_negative_bound_lets_no_wrong_formula_pass():
    with pytest.raises(CheckFailed, match="does not exceed -1 by"):
        settle(-2.0, at_most=-1, wrong={"a": -0.7}, apart=0.5)
    settle(-2.0, at_most=-1, wrong={"a": -0.5}, apart=0.5)


def test_the_distance_is_compared_exactly():
    third = Fraction(1, 3)
    settle(Fraction(0), at_most=third, wrong={"a": 2 * third}, apart=third)
    with pytest.raises(CheckFailed, match="cannot tell"):
        settle(
            Fraction(0), at_most=third, wrong={"a": 2 * third}, apart=third + Fraction(1, 10**30)
        )
    # Floats too: 0.1 + 0.2 is more than 0.3, by less than their sum is rounded.
    with pytest.raises(CheckFailed, match="cannot tell"):
        settle(0.25, at_most=0.1 + 0.2, wrong={"a": 0.4}, apart=0.1)


def test_the_bound_lies_where_it_tells():
    settle(-1.0, at_most=0, wrong={"a": 0.1}, apart=0.1)
    with pytest.raises(CheckFailed, match="more than 10 times as far from the bound"):
        settle(-1.01, at_most=0, wrong={"far": 5.0, "near": 0.1}, apart=0.1)
    # Whole numbers and fractions are as far apart as they are.
    settle(-50, at_most=0, wrong={"one more": 1}, apart=1)
    settle(Fraction(-50), at_most=0, wrong={"one more": Fraction(1)}, apart=1)
    with pytest.raises(CheckFailed, match="times as far"):
        settle(Fraction(-50), at_most=0, wrong={"a float": 1.0}, apart=1)


@pytest.mark.parametrize("apart", [0, -1.0, float("inf"), float("nan"), True, "1", [1.0]])
def test_a_distance_that_is_none(apart):
    with pytest.raises(ValueError, match=f"{STATEMENT}: equality: apart"):
        settle(0.0, apart=apart)


def test_a_distance_that_rounding_would_cover():
    with pytest.raises(CheckFailed, match="within the rounding"):
        settle(-1e5, at_most=0, wrong={"a": 1e5}, apart=1e-12)
    settle(-(10**5), at_most=0, wrong={"a": 1}, apart=Fraction(1, 10**12))


@pytest.mark.parametrize(
    "at_most", [float("inf"), float("-inf"), float("nan"), None, "0", True, 1j]
)
def test_a_bound_that_is_none(at_most):
    with pytest.raises(ValueError, match=f"{STATEMENT}: equality: at_most is"):
        settle(0.0, at_most=at_most, apart=1)


def test_the_largest_of_nothing():
    with pytest.raises(CheckFailed, match="nothing to settle"):
        settle(max([], default=float("-inf")))
    with pytest.raises(CheckFailed, match="on 0 cases"):
        settle(0.0, cases=0)
    for cases in (True, 2.0, "2"):
        with pytest.raises(ValueError, match="cases must be a whole number"):
            settle(0.0, cases=cases)
    settle(0.0, cases=np.int64(3))


REFUSED = {
    "an array of shape (1,)": np.zeros(1),
    "an array of shape (0,)": np.zeros(0),
    "an array of shape (2, 3)": torch.zeros(2, 3),
    "True": np.bool_(True),
    "False": False,
    "0j": 0j,
    "(1+0j)": np.complex128(1),
    "'0'": "0",
    "None": None,
    "a list": [0.0],
    "a Bracket": Bracket(0.0, 0.0, "exact"),
    "a MaskedConstant": np.ma.masked,
    "a function": lambda f: 0.0,
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_no_number_is_refused_by_name(said):
    for told in ({"worst": REFUSED[said]}, {"worst": 0.0, "wrong": {"a": REFUSED[said]}}):
        with pytest.raises(ValueError, match=re.escape(f" is {said}")):
            settle(**told)


@pytest.mark.parametrize(
    "kind", [np.float64, np.float32, np.int64, np.array, torch.tensor, Fraction]
)
def test_scalars_of_every_kind_are_numbers(kind):
    settle(kind(0), wrong={"one": kind(1)}, at_most=kind(0), apart=kind(1))
    with pytest.raises(CheckFailed):
        settle(kind(1), wrong={"two": kind(2)}, at_most=kind(0), apart=kind(1))


def test_numbers_beyond_all_floats():
    settle(Fraction(0), wrong={"huge": Fraction(10**400)})
    settle(0.0, wrong={"infinite": float("inf")})
    with pytest.raises(CheckFailed, match="measured inf, which is not"):
        settle(Fraction(10**400))


@pytest.mark.parametrize("wrong", [{"": 1.0}, {" ": 1.0}, {2: 1.0}, {"a b": 1.0, "A  b": 2.0}, 1.0])
def test_wrong_formulas_have_names_of_their_own(wrong):
    with pytest.raises(ValueError, match=r"named in words|same name|name at least one"):
        settle(0.0, wrong=wrong)


def test_a_reason_is_one():
    settle(0.0, because="the other construction has no formula")
    with pytest.raises(ValueError, match="is no reason"):
        settle(0.0, because="none")


def test_the_mark_has_what_was_measured():
    found = measured_claim(
        STATEMENT, "bound", Fraction(0), at_most=0, apart=1, wrong={"a": 2}, cases=7, ledger=LEDGER
    )
    assert found.failure == "" and json.loads(json.dumps(found.mark, allow_nan=False)) == {
        "statement": STATEMENT,
        "claim": "bound",
        "form": "numbers",
        "worst": 0.0,
        "at_most": 0.0,
        "apart": 1.0,
        "wrong": {"a": 2.0},
        "exact": True,
        "cases": 7,
        "because": None,
    }
    endless = {"worst": float("nan"), "wrong": {"a": float("inf")}}
    mark = replace(found, **endless).mark
    assert (mark["worst"], mark["wrong"]) == ("nan", {"a": "inf"}) and not mark["exact"]
