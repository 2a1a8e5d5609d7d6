"""`check`: a claim of the ledger, measured, and the wrong formulas that the measurement refutes."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from repcost_book.kernel.comparable import Number, as_float
from repcost_book.kernel.ledger import Statement, find, statements
from repcost_book.kernel.measured import Measured
from repcost_book.kernel.measuring import Formula, measured
from repcost_book.kernel.outputs import in_a_cell, show


class CheckFailed(AssertionError):
    """The claim did not hold, or a wrong formula was not told apart from the right one."""


def check(
    id: str,
    claim: str,
    measure: Callable[[Any], Number] | Number,
    formula: Formula | None = None,
    /,
    *,
    at_most: Number,
    wrong: Mapping[str, Formula] | Mapping[str, Number],
    apart: Number | None = None,
    cases: int | None = None,
    because: str | None = None,
    ledger: Mapping[str, Statement] | None = None,
) -> None:
    """Settle `claim` of statement `id`: the worst violation measured is at most `at_most`.

    measure: a function of a formula: the largest error or violation that it finds. It is called
        with `formula` and with each of the `wrong` ones, on the same data. Where there is no
        formula to exchange, but other data or a broken construction, numbers take the place of
        both; `because` says why in a few words.
    at_most: the bound; ints and Fractions are compared exactly.
    apart: the distance by which each wrong formula exceeds the bound: nine times a positive bound
        unless given. Where the bound is zero or negative it has to be given.
    cases: how many cases were measured, the same on every machine; none is a failure.
    ledger: the statements to look `id` up in; the book's own unless given.

    The right formula may lie at most ten times as far below the bound as each wrong one lies
    above it, unless all are exact.

    Raises CheckFailed if the claim fails or a wrong formula passes, ValueError if this is no check,
    or one that the ledger does not know. Shows one line that is the same on every machine: the
    bound, not what was measured.
    """
    told = {"at_most": at_most, "wrong": wrong, "apart": apart, "cases": cases, "because": because}
    found = measured_claim(id, claim, measure, formula, ledger=ledger, **told)
    if found.failure:
        raise CheckFailed(found.failure)
    if in_a_cell():
        show({"text/plain": _line(found), "text/html": _html(found)}, {"check": found.mark})
    else:
        print(_line(found))


def measured_claim(
    id: str,
    claim: str,
    measure: Any,
    formula: Formula | None = None,
    /,
    *,
    ledger: Mapping[str, Statement] | None = None,
    **told: Any,
) -> Measured:
    """What `check` measures of a claim of the ledger, held or not."""
    statement = find(id, statements() if ledger is None else ledger)
    return measured(id, statement.claim(claim), measure, formula, **told)


def anchor(id: str, claim: str) -> str:
    """The HTML id of a settled claim on its page: readable, and stable as long as its words are."""
    words = "".join(letter if letter.isalnum() else "-" for letter in f"{id} {claim}".lower())
    return "check-" + "-".join(filter(None, words.split("-")))


def _line(found: Measured) -> str:
    return f"✓ {found.id} ({found.claim.evidence}): {found.claim.text}; {_bound(found)}"


def _html(found: Measured) -> str:
    mark = '<span class="repcost-mark" aria-hidden="true">✓</span>'
    evidence, claim = found.claim.evidence, found.claim.text
    # Without the evidence in words, the colour of the box would be all that tells it.
    said = f"{mark} <strong>{evidence}</strong> {escape(claim)}"
    ledger = f"../start/ledger.html#{found.id.replace('/', '-')}"
    box = f'class="repcost-check repcost-{evidence}" id="{anchor(found.id, claim)}"'
    return (
        f'<div {box}>{said} <span class="repcost-bound">({escape(_bound(found))})</span> '
        f'<a href="{ledger}">{found.id}</a></div>'
    )


def _bound(found: Measured) -> str:
    """The bound, the cases and the wrong formulas, and by how much these exceed the bound."""
    cases = f" in {found.cases} cases" if found.cases else ""
    by = "" if found.usual else f" by at least {as_float(found.apart):g}"
    return f"at most {as_float(found.at_most):g}{cases}; refuted{by}: {'; '.join(found.wrong)}"
