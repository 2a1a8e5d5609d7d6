"""What came of trials elsewhere, claim by claim: where each flips, and how near to it it comes."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from repcost_book.trials.elsewhere import Came
from repcost_book.trials.noting import Note

# A claim that nowhere comes nearer to its bound than this is only counted.
NEAR = 0.5


@dataclass(frozen=True)
class Row:
    """One claim of one chapter, in all its trials."""

    chapter: str
    claim: str
    noted: tuple[tuple[str, Note], ...]

    @property
    def worst(self) -> tuple[str, Note]:
        """Where it comes nearest to its bound, or is furthest above it."""
        return max(self.noted, key=lambda each: (bool(each[1].failure), each[1].share))

    @property
    def flips(self) -> list[str]:
        """The places where it does not hold."""
        return [place for place, note in self.noted if note.failure]


def rows(came: Iterable[Came]) -> list[Row]:
    """A row for each claim, in the order in which the chapters settle them."""
    found: dict[tuple[str, str], list[tuple[str, Note]]] = defaultdict(list)
    for each in came:
        for note in each.notes:
            claim = f"{note.statement}: {note.claim}"
            found[each.trial.chapter.name, claim].append((each.trial.place, note))
    return [Row(*names, tuple(noted)) for names, noted in found.items()]


def table(came: Iterable[Came]) -> str:
    """By chapter the claims that flip or come near to it, the trials that stopped, and a sum."""
    came, found = list(came), defaultdict(list)
    claims = rows(came)
    told = [row for row in claims if row.flips or row.worst[1].share > NEAR]
    for row in told:
        found[row.chapter] += _lines(row)
    for each in came:
        if each.failure:
            last = each.failure.splitlines()[-1]
            found[each.trial.chapter.name].append(f"  STOPS at {each.trial.place}: {last}")
    lines = [line for chapter, below in sorted(found.items()) for line in (chapter, *below, "")]
    return "\n".join([*lines, _sum(came, claims, told)])


def all_hold(came: Iterable[Came]) -> bool:
    """Whether every trial came to its end, and no claim flips in any."""
    return not any(each.failure or any(note.failure for note in each.notes) for each in came)


def _lines(row: Row) -> list[str]:
    place, note = row.worst
    share = f", {note.share:.3f} of it" if 0 < note.share < float("inf") else ""
    lines = [f"  {row.claim}"]
    lines.append(f"    worst: {note.worst:.4g} of at most {note.at_most:g}{share}, at {place}")
    for place, note in row.noted:
        if note.failure:
            why = note.failure.removeprefix(f"{row.claim}: ")
            lines.append(f"    FLIPS at {place}: {why}")
    return lines


def _sum(came: list[Came], claims: list[Row], told: list[Row]) -> str:
    flips = sum(bool(row.flips) for row in told)
    stopped = sum(bool(each.failure) for each in came)
    said = f"{len(came)} trials, {stopped} stopped; {len(claims)} claims, {flips} flip"
    return f"{said}, {len(claims) - len(told)} stay below {NEAR:g} of their bounds everywhere."
