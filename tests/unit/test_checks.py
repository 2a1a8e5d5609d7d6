"""`check` must be able to fail: each way it should is seen to."""

from fractions import Fraction

import pytest

from repcost_book import check
from repcost_book.kernel.checks import CheckFailed, anchor
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


def settle(worst, at_most=1e-12, wrong=None, claim="equality", id=STATEMENT):
    check(
        id,
        claim,
        worst,
        at_most=at_most,
        wrong={"half of it": 1.0} if wrong is None else wrong,
        ledger=LEDGER,
    )


def test_a_claim_that_holds_shows_the_bound_and_not_the_value(capsys):
    settle(3.14e-13)
    line = capsys.readouterr().out
    assert "1e-12" in line and "exact" in line and "half of it" in line
    assert "3.14" not in line


def test_exact_zero():
    settle(Fraction(0), at_most=0)
    with pytest.raises(CheckFailed):
        settle(Fraction(1, 10**400), at_most=0)


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
