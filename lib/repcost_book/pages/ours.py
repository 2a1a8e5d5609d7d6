"""Our own results as Markdown: what each says, how sure it is, and what came after."""

from collections import Counter
from collections.abc import Iterable, Mapping

from repcost_book.kernel.ledger import PAPERS, Statement
from repcost_book.pages.ledger_pages import VERDICTS


def ours_page(statements: Iterable[Statement], noticed: Mapping[str, str]) -> str:
    """A section for each paper beside which there are such results, in the order of the ledger.

    noticed: of statements, what their checks can tell, in words.
    """
    own = [each for each in statements if each.is_ours and each.chapter]
    beside = {paper: [each for each in own if _folder(each) == paper] for paper in PAPERS}
    rest = [each for each in own if _folder(each) not in PAPERS]
    sections = [
        _section(f"Beside {PAPERS[paper]}", those, noticed) for paper, those in beside.items()
    ]
    return "\n\n".join(filter(None, [*sections, _section("Beside no paper", rest, noticed)])) + "\n"


def _section(title: str, results: list[Statement], noticed: Mapping[str, str]) -> str:
    entries = [_entry(each, noticed.get(each.id, "")) for each in results]
    return "\n\n".join([f"## {title}", *entries]) if entries else ""


def _entry(result: Statement, noticed: str) -> str:
    told = f"{result.says} *{_evidence(result, noticed)}*"
    return f"[{result.number}](#{result.id})\n: {told}\n\n  {result.since}"


def _evidence(result: Statement, noticed: str) -> str:
    """The verdict if it says anything, the claims by their evidence, and what was noticed."""
    counts = Counter(claim.evidence for claim in result.claims)
    claims = ", ".join(f"{count} {evidence}" for evidence, count in counts.items())
    settled = result.verdict == "holds"
    told = ["" if settled else VERDICTS[result.verdict].capitalize(), f"Claims: {claims}", noticed]
    return "; ".join(filter(None, told)) + "."


def _folder(result: Statement) -> str:
    return (result.chapter or "").partition("/")[0]
