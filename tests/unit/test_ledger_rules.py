"""What no schema can say of the ledger: each broken rule is named."""

import pytest

from repcost_book.kernel.ledger import parse, statements, withdrawn
from repcost_book.kernel.ledger_rules import broken_rules, in_order
from repcost_book.runner.project import Project
from tests.unit.test_ledger import LEDGER, TEXT


def test_the_books_own_ledger_breaks_no_rule():
    assert broken_rules(statements(), withdrawn()) == []


def test_numbers_of_errata_do_not_change():
    """Who adds an erratum adds its line here; who withdraws one says why in withdrawn.yml."""
    path = Project.here().root / "tests/reference/errata.txt"
    given = dict(line.split() for line in path.read_text(encoding="utf-8").splitlines())
    now = {str(e.number): e.anchor for each in statements().values() for e in each.errata}
    assert {**now, **{str(number): given[str(number)] for number in withdrawn()}} == given


SINCE, NEEDS = "  since: Others have it for two bumps.\n", "needs: {savarese-2019/lemma-"
SHARPER = "  sharper: [{anchor: a, where: b, said: c, sharper: d}]\n"
LEMMA = "  says: A lemma.\n"
BROKEN = {
    "2 errata have the number 2": ("number: 1", "number: 2"),
    "no erratum has the number 1": ("number: 1", "number: 3"),
    "2 entries have the anchor savarese-e5": ("anchor: savarese-e7", "anchor: savarese-e5"),
    "beyond/bumps says nothing of later literature": (SINCE, ""),
    "beyond/bumps is our own; put what": (SINCE, SINCE + SHARPER),
    "savarese-2019/lemma-1 is in the paper": (LEMMA, LEMMA + SINCE),
    "jacot/x is of no paper": ("beyond/bumps", "jacot/x"),
    "erratum 1 is false without a counterexample": (", counterexample: the hat", ""),
    "erratum 1 is false; `executed` names no claim": ("executed: limit, ", ""),
    "erratum 1 is executed by no claim of this name": ("executed: limit, ", "executed: bound, "),
    "is false as printed without an erratum of the kind false": ('kind: "false"', "kind: gap"),
    "needs names savarese-2019/lemma-9": (f"{NEEDS}1", f"{NEEDS}9"),
    "erratum 1 names savarese-2019/lemma-9": ("[savarese-2019/lemma-1", "[savarese-2019/lemma-9"),
    "in a circle": (LEMMA, f"{LEMMA}  needs: {{savarese-2019/claim-5.2: for the limit}}\n"),
}


@pytest.mark.parametrize("says", BROKEN)
def test_each_broken_rule_is_named(says):
    old, new = BROKEN[says]
    assert old in TEXT
    found = broken_rules(parse(TEXT.replace(old, new)), {})
    assert any(says in line for line in found), found


def test_a_withdrawn_number_is_not_given_again():
    assert broken_rules(LEDGER, {}) == []
    assert broken_rules(LEDGER, {3: "merged into 2"}) == []
    (line,) = broken_rules(LEDGER, {1: "merged into 2"})
    assert "the number 1 was withdrawn (merged into 2); take a new one" in line


def test_another_statements_erratum_can_make_one_false():
    """As a false lemma does with its corollary."""
    text = TEXT.replace("  verdict: holds\n", "  verdict: false-as-printed\n")
    assert broken_rules(parse(text), {}) == []


def test_what_is_needed_comes_first():
    order = in_order(LEDGER)
    assert order.index("savarese-2019/lemma-1") < order.index("savarese-2019/claim-5.2")
    assert set(order) == set(LEDGER)
