"""The ledger: every statement of the four papers, what is claimed of it, and where it is settled.

`statements.yml` is the one source; `statements.schema.json` says what it may contain. A chapter
settles a claim by calling `check`, which leaves a mark in the metadata of its output; the pages
are made from those marks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

PAPERS = {
    "savarese-2019": "Savarese et al. (2019)",
    "ongie-willett-2022": "Ongie & Willett (2022)",
    "jacot-2022": "Jacot et al. (2022)",
    "jacot-2023": "Jacot (2023)",
    # What this book adds has ids of its own.
    "beyond": "Not in the papers",
}


@dataclass(frozen=True)
class Claim:
    """One thing that is said of a statement, and how strongly the book supports it."""

    text: str
    evidence: str


@dataclass(frozen=True)
class Erratum:
    """A place where a paper is wrong as printed.

    anchor: never changes, so that others can link to it.
    """

    anchor: str
    where: str
    printed: str
    right: str


@dataclass(frozen=True)
class Statement:
    """A numbered statement, definition, remark or figure of a paper.

    chapter: the page that settles its claims; None while nothing does.
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
        """The claim in these very words; ValueError if there is none."""
        for claim in self.claims:
            if claim.text == text:
                return claim
        known = "; ".join(repr(claim.text) for claim in self.claims) or "none"
        unknown = f"{self.id} has no claim {text!r} in statements.yml"
        raise ValueError(f"{unknown}; its claims are: {known}")


def parse(text: str) -> dict[str, Statement]:
    """The statements in the text of a ledger, by id."""
    # To YAML an empty file is None.
    return {name: _statement(name, entry) for name, entry in (yaml.safe_load(text) or {}).items()}


@cache
def statements() -> Mapping[str, Statement]:
    """The statements of the book's own ledger, by id."""
    text = files("repcost_book.kernel").joinpath("statements.yml").read_text(encoding="utf-8")
    return parse(text)


def find(id: str, ledger: Mapping[str, Statement]) -> Statement:
    """The statement of this id; ValueError if the ledger has none."""
    if id not in ledger:
        remedy = "add it there first, or correct the id"
        raise ValueError(f"statements.yml has no statement {id!r}; {remedy}")
    return ledger[id]


def _statement(id: str, entry: Mapping) -> Statement:
    claims = tuple(Claim(text, evidence) for text, evidence in entry.get("claims", {}).items())
    errata = tuple(Erratum(**erratum) for erratum in entry.get("errata", ()))
    return Statement(id=id, **{**entry, "claims": claims, "errata": errata})
