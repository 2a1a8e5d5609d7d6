"""The checks below the bar: in what each of them falls short, and why it stays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from repcost_book.kernel.checks import anchor
from repcost_book.pages.doubted import Doubted, Survivor, Tested
from repcost_book.pages.reviews import Review, Reviews

# By which words it is said that a check falls short, and where its reader answers.
EXCUSES = {
    "no answer of the library": "literal",
    "twin of check": "twin",
    "different faults": "few",
    "reach": "few",
    "slack": "slack",
}
_BELOW = (
    "Each of these checks falls short of the bar in something, and stays. Behind it stands why, "
    "if that is known."
)


@dataclass(frozen=True)
class Short:
    """A check below the bar.

    reasons: why it stays, one for each thing in which it falls short; empty where none is known.
    """

    chapter: str
    check: Tested
    reasons: tuple[str, ...]


def below_the_bar(found: Iterable[Doubted], read: Mapping[str, Reviews]) -> list[Short]:
    """The checks that fall short, each with the reasons for which it stays."""
    told = []
    for doubted in found:
        known = read.get(doubted.chapter, {})
        for place, check in enumerate(doubted.checks):
            if check.falls_short:
                passed = [each for each in doubted.survivors if each.check == place]
                review = known.get((check.statement, check.claim))
                reasons = tuple(_reason(said, review, passed) for said in check.falls_short)
                told.append(Short(doubted.chapter, check, reasons))
    return told


def _reason(said: str, review: Review | None, passed: Sequence[Survivor]) -> str:
    """Why a check may stay that falls short in this: of its reader, or of all its survivors."""
    if said.endswith("noticed") and "different" not in said:
        each = [survivor.because for survivor in passed]
        return "; ".join(dict.fromkeys(each)) if all(each) else ""
    asked = next((name for words, name in EXCUSES.items() if words in said), "")
    return getattr(review, asked, "")


def listed(short: Sequence[Short]) -> Iterator[str]:
    if short:
        told = "\n".join(_line(each) for each in short)
        yield "\n\n".join(["## Below the bar", _BELOW, told])


def _line(short: Short) -> str:
    lacks = ", ".join(short.check.falls_short)
    why = " ".join(dict.fromkeys(_sentence(each) for each in short.reasons if each))
    return f"- {link(short.chapter, short.check)} ({short.chapter}): {lacks}. {why}".rstrip()


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def link(chapter: str, check: Tested) -> str:
    address = f"../{chapter}.html#{anchor(check.statement, check.claim)}"
    return f'<a href="{address}">{escape(check.claim)}</a>'
