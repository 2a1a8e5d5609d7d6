"""Which claims the executed chapters have settled, and whether that is what the ledger says."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

from repcost_book.kernel.ledger import Statement, find
from repcost_book.kernel.outputs import METADATA_KEY


class LedgerError(ValueError):
    """The chapters and the ledger do not agree."""


@dataclass(frozen=True)
class Settled:
    """The mark a passed check leaves: which claim, and the chapter where it stands."""

    statement: str
    claim: str
    chapter: str


def settled(chapter: str, notebook: NotebookNode) -> list[Settled]:
    """The claims that the checks in an executed chapter have settled."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    found = [output.get("metadata", {}).get(METADATA_KEY, {}).get("check") for output in outputs]
    return [Settled(mark["statement"], mark["claim"], chapter) for mark in found if mark]


def unsettled(ledger: Mapping[str, Statement], marks: Iterable[Settled]) -> list[str]:
    """What is wrong, a line each: claims settled in another chapter, unknown, or by nobody."""
    marks = list(marks)
    done = {(mark.statement, mark.claim) for mark in marks}
    wrong = [line for mark in marks for line in _disagreements(ledger, mark)]
    # A statement that names no chapter is still open, and is held to nothing.
    with_chapter = [statement for statement in ledger.values() if statement.chapter]
    return wrong + [line for each in with_chapter for line in _missing(each, done)]


def _disagreements(ledger: Mapping[str, Statement], mark: Settled) -> Iterator[str]:
    try:
        statement = find(mark.statement, ledger)
        statement.claim(mark.claim)
    except ValueError as error:
        yield f"{mark.chapter}: {error}"
        return
    if statement.chapter != mark.chapter:
        said = f"{mark.chapter} settles {mark.statement}"
        yield f"{said}, but the ledger gives it to {statement.chapter}"


def _missing(statement: Statement, done: set[tuple[str, str]]) -> Iterator[str]:
    for claim in statement.claims:
        if (statement.id, claim.text) not in done:
            yield f"{statement.chapter} never settles {statement.id}: {claim.text!r}"
