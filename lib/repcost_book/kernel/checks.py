"""`check`: a claim of the ledger, measured, with the wrong formulas that the same measurement must
refute.
"""

from collections.abc import Mapping
from fractions import Fraction
from html import escape
from typing import Any

from repcost_book.kernel.ledger import Statement, find, statements

Number = float | int | Fraction

# A wrong formula that misses the bound by less than this does not show that the check can tell
# right from wrong.
FACTOR = 10
METADATA_KEY = "repcost"


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
    wrong: the same measurement by named plausible wrong formulas; each must exceed ten times the
    bound.
    ledger: the statements to look `id` up in; the book's own unless given. Raises CheckFailed if
    the claim fails or a wrong formula passes, ValueError if the ledger does not know the claim.
    Shows one line that is the same on every machine (the bound, not what was measured).
    """
    evidence = find(id, statements() if ledger is None else ledger).claim(claim).evidence
    if not wrong:
        raise ValueError(f"{id}: name at least one wrong formula, wrong={{name: what it measures}}")
    if not worst <= at_most:  # written so that NaN fails too
        raise CheckFailed(f"{id}: {claim}: measured {worst}, which is not at most {at_most}")
    for name, measured in wrong.items():
        if not measured > FACTOR * at_most:
            raise CheckFailed(
                f"{id}: {claim}: the wrong formula {name!r} measured {measured}, which does not exceed {at_most} "
                f"by a factor of {FACTOR}; this check cannot tell it from the right one"
            )
    values = {
        "worst": float(worst),
        "at_most": float(at_most),
        "wrong": {n: float(v) for n, v in wrong.items()},
    }
    _show(id, claim, evidence, f"{float(at_most):g}", list(wrong), values)


def anchor(id: str, claim: str) -> str:
    """The HTML id of a settled claim on its page; readable, and stable as long as the claim's words
    are.
    """
    words = "".join(letter if letter.isalnum() else "-" for letter in f"{id} {claim}".lower())
    return "check-" + "-".join(filter(None, words.split("-")))


def _show(
    id: str, claim: str, evidence: str, bound: str, wrong: list[str], values: dict[str, Any]
) -> None:
    line = f"✓ {id} ({evidence}): {claim}; at most {bound}; refuted: {'; '.join(wrong)}"
    try:
        from IPython.core.getipython import get_ipython
        from IPython.display import display
    except ImportError:
        print(line)
        return
    if get_ipython() is None:
        print(line)
        return
    html = (
        f'<div class="repcost-check repcost-{evidence}" id="{anchor(id, claim)}">'
        f'<span class="repcost-mark" aria-hidden="true">✓</span> <strong>{evidence}</strong> {escape(claim)} '
        f'<span class="repcost-bound">(at most {bound}; refuted: {escape("; ".join(wrong))})</span> '
        f'<a href="../start/ledger.html#{id.replace("/", "-")}">{id}</a></div>'
    )
    mark = {"statement": id, "claim": claim, **values}
    display(
        {"text/plain": line, "text/html": html}, raw=True, metadata={METADATA_KEY: {"check": mark}}
    )
