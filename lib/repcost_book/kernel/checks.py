"""`check`: a claim of the ledger, measured, and the wrong formulas that the measurement refutes."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from repcost_book.kernel.ledger import Statement, find, statements
from repcost_book.kernel.outputs import in_a_cell, show

Number = float | int | Fraction

# A wrong formula that misses the bound by less than this does not show that the check can tell
# right from wrong.
FACTOR = 10


class CheckFailed(AssertionError):
    """The claim did not hold, or a wrong formula was not told apart from the right one."""


def check(
    id: str,
    claim: str,
    worst: Number,
    *,
    at_most: Number,
    wrong: Mapping[str, Number],
    ledger: Mapping[str, Statement] | None = None,
) -> None:
    """Settle `claim` of statement `id`: the worst violation measured is at most `at_most`.

    worst: the largest error or violation seen; a Fraction is compared exactly.
    wrong: the same measurement by named plausible wrong formulas, each above ten times the bound.
    ledger: the statements to look `id` up in; the book's own unless given.

    Raises CheckFailed if the claim fails or a wrong formula passes, ValueError if the ledger does
    not know the claim. Shows one line that is the same on every machine: the bound, not what was
    measured.
    """
    evidence = find(id, statements() if ledger is None else ledger).claim(claim).evidence
    if not wrong:
        raise ValueError(f"{id}: name at least one wrong formula, wrong={{name: what it measures}}")
    _must_hold(f"{id}: {claim}", worst, at_most)
    for name, measured in wrong.items():
        _must_be_refuted(f"{id}: {claim}", name, measured, at_most)
    passed = _Passed(id, claim, evidence, worst, at_most, wrong)
    if in_a_cell():
        show({"text/plain": passed.line, "text/html": passed.html}, {"check": passed.mark})
    else:
        print(passed.line)


def anchor(id: str, claim: str) -> str:
    """The HTML id of a settled claim on its page: readable, and stable as long as its words are."""
    words = "".join(letter if letter.isalnum() else "-" for letter in f"{id} {claim}".lower())
    return "check-" + "-".join(filter(None, words.split("-")))


def _must_hold(what: str, worst: Number, at_most: Number) -> None:
    # Written so that NaN, which is neither above nor below anything, fails too.
    if not worst <= at_most:
        raise CheckFailed(f"{what}: measured {worst}, which is not at most {at_most}")


def _must_be_refuted(what: str, name: str, measured: Number, at_most: Number) -> None:
    if not measured > FACTOR * at_most:
        raise CheckFailed(
            f"{what}: the wrong formula {name!r} measured {measured}, "
            f"which does not exceed {at_most} by a factor of {FACTOR}; "
            "this check cannot tell it from the right one"
        )


@dataclass(frozen=True)
class _Passed:
    """A check that has passed: as a line, as HTML, and as the mark that settles the claim."""

    id: str
    claim: str
    evidence: str
    worst: Number
    at_most: Number
    wrong: Mapping[str, Number]

    @property
    def line(self) -> str:
        said = f"✓ {self.id} ({self.evidence}): {self.claim}"
        return f"{said}; at most {self._bound}; refuted: {self._refuted}"

    @property
    def html(self) -> str:
        mark = '<span class="repcost-mark" aria-hidden="true">✓</span>'
        # Without the evidence in words, the colour of the box would be all that tells it.
        said = f"{mark} <strong>{self.evidence}</strong> {escape(self.claim)}"
        bound = f"(at most {self._bound}; refuted: {escape(self._refuted)})"
        ledger = f"../start/ledger.html#{self.id.replace('/', '-')}"
        box = f'class="repcost-check repcost-{self.evidence}" id="{anchor(self.id, self.claim)}"'
        return (
            f'<div {box}>{said} <span class="repcost-bound">{bound}</span> '
            f'<a href="{ledger}">{self.id}</a></div>'
        )

    @property
    def mark(self) -> dict:
        # Fractions are no JSON.
        measured = {"worst": float(self.worst), "at_most": float(self.at_most)}
        wrong = {name: float(value) for name, value in self.wrong.items()}
        return {"statement": self.id, "claim": self.claim, **measured, "wrong": wrong}

    @property
    def _bound(self) -> str:
        return f"{float(self.at_most):g}"

    @property
    def _refuted(self) -> str:
        return "; ".join(self.wrong)
