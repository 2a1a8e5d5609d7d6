"""Fuzzing: hostile inputs by the thousand, an independent truth for each, and a report.

An `Attack` belongs to one public function of the library. It draws arguments, calls the function,
and compares with a truth that shares no code with it. What can come of a case:

    right     the truth lies in the bracket, which is as narrow as was asked for;
    wide      the truth lies in it, but the gap is larger than asked for;
    refused   a ValueError that names an argument;
    finding   anything else: a truth outside, another exception, a warning, a dead process.

Cases are numbered, and a case is drawn from (seed, attack, number) alone: a finding can be repeated
by these three. `attacks` has the attacks, `shrinking` makes arguments simpler, `findings` prints
them as code, and `campaign` runs attacks in processes of their own, which may die.
"""

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from repcost import Bracket
from repcost_book.trials.findings import Finding, words_of
from repcost_book.trials.shrinking import shrunk

RIGHT, WIDE, REFUSED, FINDING = "right", "wide", "refused", "finding"

Arguments = Mapping[str, Any]


class WrongError(AssertionError):
    """The library's answer is refuted; the message says by what."""


@dataclass(frozen=True)
class Attack:
    """How one function is attacked.

    draw(rng): its arguments, by name, as floats, whole numbers, strings, arrays, or lists of these.
    judge(**arguments): calls the function; returns RIGHT or WIDE, or raises WrongError.
    call: the code that repeats the call, in which the arguments have their names.
    """

    name: str
    draw: Callable[[np.random.Generator], dict[str, Any]]
    judge: Callable[..., str]
    call: str

    def case(self, seed: int, number: int) -> dict[str, Any]:
        """The arguments of one case."""
        # Seeds are numbers. The bytes are the same in every process, unlike hash().
        name = int.from_bytes(self.name.encode(), "little")
        return self.draw(np.random.default_rng([seed, name, number]))


class Outcome(NamedTuple):
    """What came of a case. Findings with the same `sort` are most likely one fault."""

    kind: str
    says: str = ""
    sort: str = ""


@dataclass
class Tally:
    """What came of the cases of one attack."""

    outcomes: Counter[str] = field(default_factory=Counter)
    sorts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    last: Outcome | None = None

    def count(self, outcome: Outcome) -> None:
        self.last = outcome
        self.outcomes[outcome.kind] += 1
        if outcome.sort:
            self.sorts[outcome.sort] += 1

    @property
    def cases(self) -> int:
        # A list, as a thread may add to it meanwhile.
        return sum(list(self.outcomes.values()))

    def share(self, kind: str) -> float:
        return self.outcomes[kind] / self.cases if self.cases else 0.0


def outcome(attack: Attack, arguments: Arguments) -> Outcome:
    """What comes of one case."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return Outcome(attack.judge(**arguments))
    except WrongError as error:
        return found(error, str(error))
    except ValueError as refusal:
        if _names_one_of(words_of(attack.call) | set(arguments), str(refusal)):
            return Outcome(REFUSED, str(refusal))
        return found(refusal, f"names no argument: {refusal}")
    except KeyboardInterrupt:
        raise
    # Solvers written in Rust panic with exceptions that are no `Exception`.
    except BaseException as error:
        return found(error, f"{type(error).__name__}: {error}")


def found(error: BaseException, says: str) -> Outcome:
    """A finding. Its sort has no numbers, which differ from case to case."""
    words = re.findall("[a-z]{3,}", says.lower())
    letters = " ".join(word for word in words if word not in ("inf", "nan"))
    return Outcome(FINDING, says, f"{type(error).__name__}: {letters[:60]}")


def fuzz(attack: Attack, seed: int, numbers: Iterable[int]) -> Tally:
    """These cases, in this process; findings with their arguments shrunk."""
    tally = Tally()
    for number in numbers:
        arguments = attack.case(seed, number)
        came = outcome(attack, arguments)
        tally.count(came)
        if came.kind == FINDING:
            says, small = simplest(attack, arguments, came)
            tally.findings.append(Finding(attack.name, attack.call, seed, number, says, small))
    return tally


def simplest(attack: Attack, arguments: Arguments, came: Outcome) -> tuple[str, dict[str, Any]]:
    """What is said of the simplest arguments of which the same sort of thing comes, and they."""
    # By the type of the exception only: simpler numbers may change the words.
    name = came.sort.partition(":")[0]

    def same(simpler: Arguments) -> bool:
        return outcome(attack, simpler).sort.partition(":")[0] == name

    small = shrunk(same, arguments)
    return outcome(attack, small).says or came.says, small


def as_narrow_as_said(found: Bracket, rtol: float, lost: float = 0.0) -> str:
    """RIGHT; or WIDE, for which a bracket must give its reason.

    lost: an upper end below it is as good as zero.
    """
    if found.relative_gap <= rtol or found.upper <= lost:
        return RIGHT
    if not found.reason:
        raise WrongError(f"{found!r} is wide without a reason")
    return WIDE


def _names_one_of(names: set[str], message: str) -> bool:
    return not names.isdisjoint(re.findall(r"\w+", message))
