"""The ledger and the errata as Markdown, made from the statements and the marks that the chapters
left.
"""

from collections.abc import Iterable, Sequence

from repcost_book.kernel.checks import anchor
from repcost_book.kernel.ledger import PAPERS, Settled, Statement

VERDICTS = {
    "holds": "holds",
    "holds-with-condition": "holds under a condition",
    "false-as-printed": "false as printed",
    "open": "open",
    "context": "context",
}


def ledger_page(statements: Iterable[Statement], marks: Sequence[Settled]) -> str:
    """A table with a row per statement; each settled claim links to the check that settled it."""
    rows = [_row(statement, marks) for statement in statements]
    head = "| Paper | Number | What it says | Verdict | Claims and their evidence |\n| --- | --- | --- | --- | --- |"
    return "\n".join([head, *rows]) + "\n"


def errata_page(statements: Iterable[Statement]) -> str:
    """A section per erratum, in the order of the ledger, under its permanent anchor."""
    sections = [section for statement in statements for section in _errata(statement)]
    return "\n\n".join(sections or ["No erratum has been entered yet."]) + "\n"


def _row(statement: Statement, marks: Sequence[Settled]) -> str:
    done = {mark.claim for mark in marks if mark.statement == statement.id}
    claims = [
        _claim(statement, claim.text, claim.evidence, claim.text in done)
        for claim in statement.claims
    ]
    number = f'<span id="{statement.id.replace("/", "-")}"></span>{statement.number}'
    cells = [
        PAPERS[statement.paper],
        number,
        statement.says,
        VERDICTS[statement.verdict],
        "<br>".join(claims) or "open",
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _claim(statement: Statement, text: str, evidence: str, done: bool) -> str:
    if not done:
        return f"{text} (open)"
    return f'<a href="../{statement.chapter}.html#{anchor(statement.id, text)}">{text}</a> ({evidence})'


def _where_it_runs(statement: Statement) -> str:
    return f"\n\nRun at [](#{statement.id})." if statement.chapter else ""


def _errata(statement: Statement) -> list[str]:
    return [
        f"({erratum.anchor})=\n## {PAPERS[statement.paper]}, {statement.number}: {erratum.where}\n\n"
        f"Printed: {erratum.printed}\n\nRight: {erratum.right}{_where_it_runs(statement)}"
        for erratum in statement.errata
    ]
