"""A check below the bar stays for a reason, one for each thing in which it falls short."""

from dataclasses import replace

import pytest

from repcost_book.pages.below_the_bar import below_the_bar, listed
from repcost_book.pages.doubted import Doubted, Survivor
from repcost_book.pages.doubted import Tested as Told
from repcost_book.pages.reviews import Review

REVIEW = Review("", "no: it fails.", twin="one of data", few="nothing can go wrong", slack="a seed")
CHECK = Told("a/b", "one < two", 3, 2, 0, 0)
PASSED = (Survivor("x", 0, "constant+", "1", "as true"), Survivor("y", 0, "constant-", "1"))


def doubted(*falls_short, survivors=PASSED):
    check = replace(CHECK, falls_short=falls_short)
    return Doubted("good", "", (), 5, 5, 1.0, (check, replace(CHECK, claim="two")), survivors)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("9% reach", "nothing can go wrong"),
        ("4 different faults noticed", "nothing can go wrong"),
        ("twin of check 1", "one of data"),
        ("no answer of the library, no draw, no search", ""),
        ("slack 4e+03", "a seed"),
        ("60% noticed", ""),
    ],
)
def test_a_reader_says_why(said, reason):
    known = {"good": {("a/b", "one < two"): REVIEW}}
    (short,) = below_the_bar([doubted(said)], known)
    assert short.reasons == (reason,)
    assert below_the_bar([doubted(said)], {})[0].reasons == ("",)


def test_a_score_is_explained_by_all_survivors_or_not_at_all():
    both = tuple(replace(each, because="as true") for each in PASSED)
    other = Survivor("z", 1, "constant+", "1")
    (short,) = below_the_bar([doubted("60% noticed", survivors=(*both, other))], {})
    assert short.reasons == ("as true",)


def test_what_is_above_the_bar_is_not_listed():
    assert below_the_bar([doubted()], {}) == []
    assert list(listed([])) == []


def test_the_list_has_the_claim_what_it_lacks_and_why():
    known = {"good": {("a/b", "one < two"): REVIEW}}
    (told,) = listed(below_the_bar([doubted("9% reach", "slack 4e+03")], known))
    head, _, why = told.rpartition("</a> (good): ")
    assert head.endswith("one &lt; two")
    assert why == "9% reach, slack 4e+03. Nothing can go wrong. A seed."
