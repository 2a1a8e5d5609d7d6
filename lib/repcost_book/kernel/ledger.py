"""The ledger: every statement of the four papers, what is claimed of it, and where that is settled.

`statements.yml` is the one source; `statements.schema.json` says what it may contain. A chapter
settles a claim by calling `check`, which leaves a `Settled` mark in the metadata of its output; the
pages are made from those marks.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

PAPERS = {
    "savarese-2019": "Savarese et al. (2019)",
    "ongie-willett-2022": "Ongie & Willett (2022)",
    "jacot-2022": "Jacot et al. (2022)",
    "jacot-2023": "Jacot (2023)",
}


@dataclass(frozen=True)
class Claim:
    """One thing that is said of a statement, and how strongly the book supports it."""

    text: str
    evidence: str


@dataclass(frozen=True)
class Erratum:
    """A place where a paper is wrong as printed; `anchor` never changes, so it can be linked to
    from outside.
    """

    anchor: str
    where: str
    printed: str
    right: str


@dataclass(frozen=True)
class Statement:
    """A numbered statement, definition, remark or figure of a paper. `chapter` is None while it is
    still open.
    """

    id: str
    number: str
    says: str
    verdict: str
    chapter: str | None = None
    claims: tuple[Claim, ...] = ()
    errata: tuple[Erratum, ...] = ()

    @property
    def paper(self) -> str:
        return self.id.partition("/")[0]

    def claim(self, text: str) -> Claim:
        for claim in self.claims:
            if claim.text == text:
                return claim
        known = "; ".join(repr(claim.text) for claim in self.claims) or "none"
        raise ValueError(
            f"{self.id} has no claim {text!r} in statements.yml; its claims are: {known}"
        )


@dataclass(frozen=True)
class Settled:
    """The mark a passed check leaves: which claim, and the chapter and anchor where it stands."""

    statement: str
    claim: str
    chapter: str


class LedgerError(ValueError):
    """The chapters and the ledger do not agree."""


def parse(text: str) -> dict[str, Statement]:
    """The statements in the text of a ledger, by id."""
    return {name: _statement(name, entry) for name, entry in (yaml.safe_load(text) or {}).items()}


@cache
def statements() -> Mapping[str, Statement]:
    """The statements of the book's own ledger, by id."""
    return parse(
        files("repcost_book.kernel").joinpath("statements.yml").read_text(encoding="utf-8")
    )


def find(id: str, ledger: Mapping[str, Statement]) -> Statement:
    if id not in ledger:
        raise ValueError(
            f"statements.yml has no statement {id!r}; add it there first, or correct the id"
        )
    return ledger[id]


def unsettled(ledger: Mapping[str, Statement], marks: Iterable[Settled]) -> list[str]:
    """What is wrong, a line each: claims that nobody settles, settled in another chapter, or
    unknown.

    Only statements that name a chapter are held to it; the others are open.
    """
    wrong, done = [], set()
    for mark in marks:
        try:
            statement = find(mark.statement, ledger)
            statement.claim(mark.claim)
        except ValueError as error:
            wrong.append(f"{mark.chapter}: {error}")
            continue
        if statement.chapter != mark.chapter:
            wrong.append(
                f"{mark.chapter} settles {mark.statement}, but the ledger gives it to {statement.chapter}"
            )
        done.add((mark.statement, mark.claim))
    for statement in ledger.values():
        if statement.chapter:
            missing = [
                claim.text for claim in statement.claims if (statement.id, claim.text) not in done
            ]
            wrong.extend(
                f"{statement.chapter} never settles {statement.id}: {text!r}" for text in missing
            )
    return wrong


def _statement(id: str, entry: Mapping) -> Statement:
    fields = dict(entry)
    fields["claims"] = tuple(
        Claim(text, evidence) for text, evidence in fields.get("claims", {}).items()
    )
    fields["errata"] = tuple(Erratum(**erratum) for erratum in fields.get("errata", ()))
    return Statement(id=id, **fields)
