"""The ledger and the errata as Markdown, from the statements and the marks of the chapters."""

from collections.abc import Iterable, Sequence

from repcost_book.kernel.checks import anchor
from repcost_book.kernel.ledger import PAPERS, Claim, Erratum, Statement
from repcost_book.pages.settled import Settled

VERDICTS = {
    "holds": "holds",
    "holds-with-condition": "holds under a condition",
    "false-as-printed": "false as printed",
    "open": "open",
    "context": "context",
}
HEAD = [
    "| Paper | Number | What it says | Verdict | Claims and their evidence |",
    "| --- | --- | --- | --- | --- |",
]


def ledger_page(statements: Iterable[Statement], marks: Sequence[Settled]) -> str:
    """A table with a row per statement; each settled claim links to the check that settled it."""
    return "\n".join([*HEAD, *(_row(statement, marks) for statement in statements)]) + "\n"


def errata_page(statements: Iterable[Statement]) -> str:
    """A section per erratum, in the order of the ledger, under its permanent anchor."""
    sections = [
        _erratum(statement, erratum) for statement in statements for erratum in statement.errata
    ]
    return "\n\n".join(sections or ["No erratum has been entered yet."]) + "\n"


def _row(statement: Statement, marks: Sequence[Settled]) -> str:
    done = {mark.claim for mark in marks if mark.statement == statement.id}
    claims = [_claim(statement, claim, claim.text in done) for claim in statement.claims]
    number = f'<span id="{statement.id.replace("/", "-")}"></span>{statement.number}'
    paper, verdict = PAPERS[statement.paper], VERDICTS[statement.verdict]
    cells = [paper, number, statement.says, verdict, "<br>".join(claims) or "open"]
    # A bare bar would end the cell.
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _claim(statement: Statement, claim: Claim, done: bool) -> str:
    if not done:
        return f"{claim.text} (open)"
    # As HTML, because Sphinx would look for the anchor of a check among its own labels.
    link = f"../{statement.chapter}.html#{anchor(statement.id, claim.text)}"
    return f'<a href="{link}">{claim.text}</a> ({claim.evidence})'


def _erratum(statement: Statement, erratum: Erratum) -> str:
    where = f"{PAPERS[statement.paper]}, {statement.number}: {erratum.where}"
    printed, right = f"Printed: {erratum.printed}", f"Right: {erratum.right}"
    runs = [f"Run at [](#{statement.id})."] if statement.chapter else []
    return "\n\n".join([f"({erratum.anchor})=\n## {where}", printed, right, *runs])
