"""The lines of checks now, compared with those of the references: which claim, and what it said.

A line tells the bound and the wrong formulas, and not what was measured: so it is the same on
every machine, and a changed one is a changed claim.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from repcost_book.kernel.outputs import METADATA_KEY

# As `check` writes it: its statement, its evidence, its claim, and the rest.
LINE = re.compile(r"✓ (\S+) \(\w+\): (.*?); at most ")


@dataclass(frozen=True)
class Difference:
    """A claim whose line is not that of the reference; None where there is none."""

    chapter: str
    claim: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        old, new = self.old or "no such check", self.new or "no such check"
        return f"{self.chapter}\n  {self.claim}\n    reference: {old}\n    now:       {new}"


def check_of(output: Mapping) -> dict:
    """The mark of a check in an output, if it has one."""
    return output.get("metadata", {}).get(METADATA_KEY, {}).get("check", {})


def check_lines(outputs: Iterable[Mapping]) -> list[str]:
    """The lines of the checks among these outputs."""
    return [output["data"]["text/plain"] for output in outputs if check_of(output)]


def outputs_of(notebook: Mapping) -> list[Mapping]:
    """All outputs of a notebook, in its order."""
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def differences(chapter: str, old: Iterable[str], new: Iterable[str]) -> list[Difference]:
    """What differs, claim by claim; a claim that is checked twice has two lines."""
    before, now = _by_claim(old), _by_claim(new)
    return [
        Difference(chapter, claim, before.get(claim), now.get(claim))
        for claim in {**before, **now}
        if before.get(claim) != now.get(claim)
    ]


def claim_of(line: str) -> str:
    """The statement and the claim that a line is about."""
    named = LINE.match(line)
    return f"{named[1]}: {named[2]}" if named else line


def _by_claim(lines: Iterable[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for line in lines:
        found.setdefault(claim_of(line), []).append(line)
    return {claim: " | ".join(several) for claim, several in found.items()}
