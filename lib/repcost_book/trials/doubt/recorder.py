"""A `check` that notes what it was given and lets the chapter go on.

It knows the signature of `repcost_book.check` and nothing of its inside: with one measurement and
several formulas it calls `measure(formula)`, with numbers it takes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from repcost_book.trials.doubt.comparing import digest

# Unless `apart` says otherwise, a wrong formula exceeds a positive bound by so many times itself.
APART = 9
# So many calls of a formula, or of the two sides of a difference, are looked at.
LOOKS = 500


@dataclass(frozen=True)
class Row:
    """What one check was given.

    asked: what its formula was asked, as a digest; nothing if it was given numbers.
    """

    statement: str
    claim: str
    worst: float
    at_most: float
    wrong: tuple[float, ...]
    holds: bool
    refutes: bool
    cases: int | None = None
    because: str = ""
    asked: tuple[int, ...] = ()

    @property
    def passes(self) -> bool:
        return self.holds and self.refutes


@dataclass
class Recorder:
    """Called as `check`; `rows` has what came, in the order in which it came."""

    rows: list[Row] = field(default_factory=list)

    def __call__(
        self,
        id: str,
        claim: str,
        worst: Any,
        formula: Any = None,
        *,
        at_most: Any,
        wrong: Mapping[str, Any] | None = None,
        apart: Any = None,
        cases: int | None = None,
        because: str | None = None,
        **others: Any,
    ) -> None:
        wrong, asked = dict(wrong or {}), _Asked()
        measured = worst
        if callable(worst):
            measured = worst(asked.noting(formula))
            wrong = {name: worst(other) for name, other in wrong.items()}
        least = _least(at_most, apart)
        row = Row(
            str(id),
            str(claim),
            _float(measured),
            _float(at_most),
            tuple(_float(each) for each in wrong.values()),
            # As they are, not as floats: fractions are compared exactly.
            holds=bool(measured <= at_most),
            refutes=all(bool(each > least) for each in wrong.values()),
            cases=None if cases is None else int(cases),
            because=because or "",
            asked=tuple(asked.seen),
        )
        self.rows.append(row)


def _least(at_most: Any, apart: Any) -> Any:
    """What a wrong formula must exceed."""
    if apart is None:
        apart = APART * max(at_most, 0)
    return at_most + apart


@dataclass
class _Asked:
    """What the right formula is asked: a fault in data before both changes it."""

    seen: list[int] = field(default_factory=list)

    def noting(self, formula: Any) -> Any:
        if not callable(formula):
            return formula

        def noted(*arguments: Any, **named: Any) -> Any:
            if len(self.seen) < LOOKS:
                self.seen.append(hash(tuple(map(digest, (*arguments, *named.values())))))
            return formula(*arguments, **named)

        return noted


@dataclass
class Sides:
    """What stood on the two sides of the differences at which a check compares."""

    seen: dict[tuple[int, int], list[int]] = field(default_factory=dict)

    def __call__(self, place: int, side: int, value: Any) -> Any:
        noted = self.seen.setdefault((place, side), [])
        if len(noted) < LOOKS:
            noted.append(digest(value))
        return value

    def taken(self) -> dict[tuple[int, int], int]:
        """Digests since the last time."""
        found = {place: hash(tuple(values)) for place, values in self.seen.items()}
        self.seen.clear()
        return found


def _float(value: Any) -> float:
    # A fraction of huge numbers is a number all the same.
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > Fraction(0) else float("-inf")
