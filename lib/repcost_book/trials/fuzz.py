"""Fuzzing: hostile inputs by the thousand, an independent truth for each, and a report.

An `Attack` belongs to one public function of the library. It draws arguments, calls the function,
and compares with a truth that shares no code with it. What can come of a case:

    right     the truth lies in the bracket, which is as narrow as was asked for;
    wide      the truth lies in it, but the gap is larger than asked for;
    refused   a ValueError that names an argument;
    finding   anything else: a truth outside, another exception, a warning, a dead process.

Cases are numbered, and a case is drawn from (seed, attack, number) alone: a finding can be repeated
by these three, and is printed as code with its arguments shrunk.
"""

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

RIGHT, WIDE, REFUSED, FINDING = "right", "wide", "refused", "finding"

Arguments = Mapping[str, Any]


class WrongError(AssertionError):
    """The library's answer is refuted; the message says by what."""


@dataclass(frozen=True)
class Attack:
    """How one function is attacked.

    draw(rng): its arguments, by name, as floats, whole numbers, strings, arrays, or lists of these.
    judge(**arguments): calls the function; returns RIGHT or WIDE, or raises WrongError.
    call: the code that repeats the call, a format string of the names of the arguments.
    """

    name: str
    draw: Callable[[np.random.Generator], dict[str, Any]]
    judge: Callable[..., str]
    call: str


@dataclass(frozen=True)
class Finding:
    """A case that should not be: the attack, its number, what went wrong, and shrunk arguments."""

    attack: Attack
    seed: int
    number: int
    says: str
    arguments: Arguments

    def __str__(self) -> str:
        lines = [f"{name} = {literal(value)}" for name, value in self.arguments.items()]
        where = f"# {self.attack.name}, seed {self.seed}, case {self.number}: {self.says}"
        return "\n".join([where, *lines, self.attack.call])


@dataclass
class Tally:
    """What came of the cases of one attack."""

    outcomes: Counter = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def row(self, name: str) -> str:
        total = sum(self.outcomes.values())
        share = {kind: self.outcomes[kind] / total if total else 0.0 for kind in (WIDE, REFUSED)}
        return (
            f"{name:<28} {total:>8} cases  {share[REFUSED]:>6.1%} refused  {share[WIDE]:>6.1%} wide"
            f"  {self.outcomes[FINDING]:>4} findings"
        )


def cases(attack: Attack, seed: int, numbers: Iterator[int] | range) -> Iterator[tuple[int, dict]]:
    """The arguments of these cases."""
    for number in numbers:
        name = int.from_bytes(attack.name.encode(), "little")
        yield number, attack.draw(np.random.default_rng([seed, name, number]))


def outcome(attack: Attack, arguments: Arguments) -> tuple[str, str]:
    """What comes of one case, and what is said of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return attack.judge(**arguments), ""
    except WrongError as error:
        return FINDING, str(error)
    except ValueError as refusal:
        named = any(name in str(refusal) for name in arguments)
        return (REFUSED, str(refusal)) if named else (FINDING, f"names no argument: {refusal}")
    except Exception as error:
        return FINDING, f"{type(error).__name__}: {error}"


def fuzz(attack: Attack, seed: int, *, seconds: float, first: int = 0) -> Tally:
    """Cases one after the other until the time is over."""
    tally, stop = Tally(), time.monotonic() + seconds
    for number, arguments in cases(attack, seed, iter(range(first, 1 << 60))):
        if time.monotonic() > stop:
            break
        note(tally, attack, seed, number, arguments)
    return tally


def note(tally: Tally, attack: Attack, seed: int, number: int, arguments: Arguments) -> None:
    """Add what comes of one case; a finding with its arguments shrunk."""
    kind, says = outcome(attack, arguments)
    tally.outcomes[kind] += 1
    if kind == FINDING:
        small = shrunk(attack, arguments)
        tally.findings.append(
            Finding(attack, seed, number, outcome(attack, small)[1] or says, small)
        )


def shrunk(attack: Attack, arguments: Arguments, tries: int = 400) -> dict[str, Any]:
    """Simpler arguments that are a finding still: fewer rows and columns, rounder numbers."""
    best = dict(arguments)
    again = True
    while again and tries:
        again = False
        for simpler in _simpler(best):
            tries -= 1
            if outcome(attack, simpler)[0] == FINDING:
                best, again = simpler, True
                break
            if not tries:
                break
    return best


def _simpler(arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Rows that several arguments share are dropped together, then numbers are made rounder."""
    arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
    for length in sorted({len(value) for value in arrays.values() if value.ndim}):
        for row in range(length if length > 1 else 0):
            same = {
                n: np.delete(v, row, 0) for n, v in arrays.items() if v.ndim and len(v) == length
            }
            yield {**arguments, **same}
    for name, value in arrays.items():
        for axis in range(1, value.ndim):
            for column in range(value.shape[axis] if value.shape[axis] > 1 else 0):
                yield {**arguments, name: np.delete(value, column, axis)}
        for place in np.ndindex(value.shape):
            for rounder in _rounder(float(value[place])):
                other = value.copy()
                other[place] = rounder
                yield {**arguments, name: other}


def _rounder(number: float) -> list[float]:
    """Zero, one, a power of two, two digits: what is simpler than this number, simplest first."""
    power = 2.0 ** np.frexp(number)[1] if number else 0.0
    simple = [0.0, 1.0, float(power), float(f"{number:.1e}")]
    before = simple.index(number) if number in simple else len(simple)
    return [value for value in simple[:before] if np.isfinite(value)]


def literal(value: Any) -> str:
    """The value as code; floats by their shortest exact decimals."""
    if isinstance(value, np.ndarray):
        return (
            f"np.array({value.tolist()!r}).reshape({value.shape})"
            if not value.size
            else (f"np.array({value.tolist()!r})")
        )
    return repr(value)
