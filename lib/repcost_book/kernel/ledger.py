"""The ledger: every statement of the four papers, what is claimed of it, and where it is settled.

`statements.yml` is the one source; `statements.schema.json` says what it may contain, and
`ledger_rules` what no schema can say. A chapter settles a claim by calling `check`, which leaves a
mark in the metadata of its output; the pages are made from those marks.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import yaml

# Six times as fast as the one in Python, where PyYAML was built with it.
SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PAPERS = {
    "savarese-2019": "Savarese et al. (2019)",
    "ongie-willett-2022": "Ongie & Willett (2022)",
    "jacot-2022": "Jacot et al. (2022)",
    "jacot-2023": "Jacot (2023)",
}
# Where the ids of our own results begin, and the folder of the chapters that are beside no paper.
BEYOND = "beyond"
# The folders of all chapters, with their names.
PARTS = {**PAPERS, BEYOND: "Beyond the four papers"}

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Claim:
    """One thing that is said of a statement, and how strongly the book supports it."""

    text: str
    evidence: str


@dataclass(frozen=True)
class Erratum:
    """A place where a paper is wrong as printed.

    number: is shown and never changes; that of a withdrawn erratum is not given again.
    anchor: never changes, so that others can link to it.
    kind: "slip" (typographical), "gap" (a step or a hypothesis is missing) or "false".
    version: which print or arXiv version of the paper.
    printed: a few words of the paper, in quotation marks; or what it says, `in_our_words`.
    counterexample: the smallest one known, under the printed hypotheses.
    executed: the claim of the same statement whose check has it, or refutes the printed formula.
    also: other statements that it touches.
    """

    number: int
    anchor: str
    kind: str
    version: str
    where: str
    right: str
    printed: str = ""
    in_our_words: str = ""
    counterexample: str = ""
    executed: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sharper:
    """What is true as the paper says it, and can be said more sharply: no erratum."""

    anchor: str
    where: str
    said: str
    sharper: str


@dataclass(frozen=True)
class Statement:
    """A numbered statement, definition, remark or figure of a paper, or a result of our own.

    chapter: the page that settles its claims; None while nothing does.
    since: of our own results: how they relate to what was published after the papers.
    needs: the statements that it rests on, each with the reason in a phrase.
    """

    id: str
    number: str
    says: str
    verdict: str
    chapter: str | None = None
    since: str = ""
    claims: tuple[Claim, ...] = ()
    errata: tuple[Erratum, ...] = ()
    sharper: tuple[Sharper, ...] = ()
    # A Mapping has no hash, and the id is one.
    needs: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def paper(self) -> str:
        return self.id.partition("/")[0]

    @property
    def is_ours(self) -> bool:
        """Whether it is in none of the papers."""
        return self.paper == BEYOND

    @property
    def source(self) -> str:
        """The paper, in words."""
        return "not in the paper" if self.is_ours else PAPERS[self.paper]

    def claim(self, text: str) -> Claim:
        """The claim in these very words; ValueError if there is none."""
        for claim in self.claims:
            if claim.text == text:
                return claim
        known = "; ".join(repr(claim.text) for claim in self.claims) or "none"
        unknown = f"{self.id} has no claim {text!r} in statements.yml"
        raise ValueError(f"{unknown}; its claims are: {known}")


def parse(text: str) -> dict[str, Statement]:
    """The statements in the text of a ledger, by id; ValueError that names what is amiss."""
    # To YAML an empty file is None.
    return {name: _statement(name, entry) for name, entry in (yaml.load(text, SAFE) or {}).items()}


@cache
def statements() -> Mapping[str, Statement]:
    """The statements of the book's own ledger, by id."""
    return parse(_text("statements.yml"))


@cache
def withdrawn() -> Mapping[int, str]:
    """The numbers of errata that are not given again, each with the reason."""
    return yaml.safe_load(_text("withdrawn.yml")) or {}


def find(id: str, ledger: Mapping[str, Statement]) -> Statement:
    """The statement of this id; ValueError if the ledger has none."""
    if id not in ledger:
        remedy = "add it there first, or correct the id"
        raise ValueError(f"statements.yml has no statement {id!r}; {remedy}")
    return ledger[id]


def _text(name: str) -> str:
    return files("repcost_book.kernel").joinpath(name).read_text(encoding="utf-8")


def _statement(id: str, entry: Mapping[str, Any]) -> Statement:
    parts = {
        "claims": tuple(Claim(*claim) for claim in entry.get("claims", {}).items()),
        "errata": _entries(Erratum, id, entry.get("errata", ())),
        "sharper": _entries(Sharper, id, entry.get("sharper", ())),
    }
    return _made(Statement, id, {"id": id, **entry, **parts})


def _entries(kind: type[Entry], id: str, entries: Iterable[Mapping]) -> tuple[Entry, ...]:
    return tuple(_made(kind, id, entry) for entry in entries)


def _made(kind: type[Entry], id: str, entry: Mapping[str, Any]) -> Entry:
    lists = {name: tuple(value) for name, value in entry.items() if isinstance(value, list)}
    try:
        return kind(**{**entry, **lists})
    except TypeError as error:
        # "... got an unexpected keyword argument 'prinetd'", "... missing 1 required ...".
        said = str(error).partition("() ")[2]
        raise ValueError(f"statements.yml: an entry of {id} {said}") from None
