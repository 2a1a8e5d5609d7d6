"""What must be true of a ledger beyond its schema: numbers, anchors, verdicts, what needs what."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from repcost_book.kernel.ledger import PAPERS, Statement


def broken_rules(ledger: Mapping[str, Statement], withdrawn: Mapping[int, str]) -> list[str]:
    """What is wrong with it, a line each."""
    found = [*_numbers(ledger, withdrawn), *_anchors(ledger)]
    for statement in ledger.values():
        found += [*_sources(statement), *_verdicts(statement, ledger), *_unknown(statement, ledger)]
    return found + list(_cycles(ledger))


def in_order(ledger: Mapping[str, Statement]) -> list[str]:
    """The ids, each behind all that it needs; CycleError where that cannot be."""
    return list(TopologicalSorter({id: each.needs for id, each in ledger.items()}).static_order())


def _numbers(ledger: Mapping[str, Statement], withdrawn: Mapping[int, str]) -> Iterator[str]:
    given = Counter(erratum.number for each in ledger.values() for erratum in each.errata)
    for number, times in given.items():
        if times > 1:
            yield f"{times} errata have the number {number}; give each its own"
        if number in withdrawn:
            yield f"the number {number} was withdrawn ({withdrawn[number]}); take a new one"
    missing = set(range(1, max([*given, *withdrawn, 0]) + 1)) - set(given) - set(withdrawn)
    for number in sorted(missing):
        yield f"no erratum has the number {number}; if it was withdrawn, say why in withdrawn.yml"


def _anchors(ledger: Mapping[str, Statement]) -> Iterator[str]:
    parts = (part for each in ledger.values() for part in (*each.errata, *each.sharper))
    for anchor, times in Counter(part.anchor for part in parts).items():
        if times > 1:
            yield f"{times} entries have the anchor {anchor}; others link to one of them"


def _sources(statement: Statement) -> Iterator[str]:
    id = statement.id
    if statement.is_ours and not statement.since:
        yield f"{id} says nothing of later literature; relate it in a line `since:`"
    if statement.is_ours and (statement.errata or statement.sharper):
        yield f"{id} is our own; put what is wrong in a paper under the paper's statement"
    if not statement.is_ours and statement.paper not in PAPERS:
        yield f"{id} is of no paper; the papers are: {', '.join(PAPERS)}"
    if not statement.is_ours and statement.since:
        yield f"{id} is in the paper; only our own results have a line `since:`"


def _verdicts(statement: Statement, ledger: Mapping[str, Statement]) -> Iterator[str]:
    for erratum in statement.errata:
        if erratum.kind == "false" and not erratum.counterexample:
            yield f"{statement.id}: erratum {erratum.number} is false without a counterexample"
        if erratum.kind == "false" and not erratum.executed:
            yield f"{statement.id}: erratum {erratum.number} is false; `executed` names no claim"
        if erratum.executed and erratum.executed not in {each.text for each in statement.claims}:
            yield f"{statement.id}: erratum {erratum.number} is executed by no claim of this name"
    touching = [each for each in _errata(ledger.values()) if statement.id in each[1].also]
    errata = [*statement.errata, *(erratum for _, erratum in touching)]
    if statement.verdict == "false-as-printed" and "false" not in {each.kind for each in errata}:
        remedy = "a slip, a gap or data that are not published make none"
        yield f"{statement.id} is false as printed without an erratum of the kind false; {remedy}"


def _unknown(statement: Statement, ledger: Mapping[str, Statement]) -> Iterator[str]:
    named = [("needs", id) for id in statement.needs]
    named += [(f"erratum {each.number}", id) for each in statement.errata for id in each.also]
    for where, id in named:
        if id not in ledger:
            yield f"{statement.id}: {where} names {id}, which the ledger does not have"


def _cycles(ledger: Mapping[str, Statement]) -> Iterator[str]:
    try:
        in_order(ledger)
    except CycleError as error:
        yield f"statements need each other in a circle: {' <- '.join(error.args[1])}"


def _errata(statements: Iterable[Statement]) -> Iterator[tuple]:
    return ((statement, erratum) for statement in statements for erratum in statement.errata)
