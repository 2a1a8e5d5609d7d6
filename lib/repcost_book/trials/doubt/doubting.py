"""One chapter under doubt: it has run, and each fault is tried in a fork of that process."""

import functools
import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from repcost_book.kernel.sources import OWN, PACKAGES, digests, loaded_modules
from repcost_book.trials.doubt.children import Work, in_children
from repcost_book.trials.doubt.comparing import has_changed, same
from repcost_book.trials.doubt.faults import Fault
from repcost_book.trials.doubt.outcomes import outcomes, roles
from repcost_book.trials.doubt.placing import null_edits, with_fault
from repcost_book.trials.doubt.subject import Subject, rows_of
from repcost_book.trials.doubt.world import Came, World

# A fault that changes no value at any of these is none; the bound is held against their largest.
SEEDS = range(10)
# A fault may make what is executed again so many times slower.
FACTOR = 6.0


@dataclass
class Doubting:
    """A chapter that has run, and what is done to it.

    seconds: of the processor, for all of it.
    least: seconds that any fault may take, however fast the chapter is.
    """

    subject: Subject
    world: World
    jobs: int = 1
    seconds: float = float("inf")
    least: float = 5.0
    faults: dict[str, Fault] = field(default_factory=dict)

    @classmethod
    def begun(cls, subject: Subject, parameters: dict, **limits: Any) -> "Doubting":
        """Run the chapter once."""
        world = subject.world()
        world.run(parameters)
        found = {fault.key: fault for fault in subject.faults(world)}
        return cls(subject, world, faults=found, **limits)

    @property
    def rows(self) -> dict[int, list]:
        return rows_of(self.world, self.subject.checks)

    def about(self) -> dict:
        """What there is: checks and faults."""
        checks = []
        for check in self.subject.checks:
            literal = self.subject.is_literal(check)
            checks += [_about_check(row, literal) for row in self.rows[check.number]]
        faults = {key: _about_fault(fault, self.subject) for key, fault in self.faults.items()}
        return {"checks": checks, "faults": faults, "files": _files()}

    def nulls(self) -> Iterator[tuple[int, str]]:
        """Of each statement, what a fault that changes nothing changed; nothing, it must be."""
        todo = [number for number in sorted(self.subject.reached()) if self._is_quick(number)]
        works = [Work(n, functools.partial(self.null, n), self.limit(n)) for n in todo]
        yield from in_children(works, self.jobs)

    def put(self, keys: list[str]) -> Iterator[tuple[str, Any]]:
        """What came of each of these faults, until the processor's time is over."""
        works = (
            Work(key, functools.partial(self.fate, self.faults[key]), self._limit_of(key))
            for key in keys
            if spent() < self.seconds
        )
        yield from in_children(works, self.jobs)

    def at_seed(self, parameters: dict, keys: list[str]) -> dict:
        """What the checks measure at another seed, and what comes there of these faults."""
        other = Doubting.begun(self.subject, parameters, least=self.least)
        there = [key for key in keys if key in other.faults]
        worst = [row.worst for rows in other.rows.values() for row in rows]
        return {"worst": worst, "came": dict(other.put(there))}

    def null(self, number: int) -> str:
        statement = self.subject.statements[number]
        some = next((f for f in self.faults.values() if f.statement == number and f.edits), None)
        edits = null_edits(some, statement.node) if some else []
        self.world.probe()
        checks = {check.number for check in self.subject.checks}
        touched = {number, *(each for each in checks if self._is_quick(each))}
        came = self.world.again(number, with_fault(statement.node, edits), touched)
        return "; ".join(self._differences(came))

    def _differences(self, came: Came) -> Iterator[str]:
        for number, rows in came.rows.items():
            old = self.rows[number]
            if rows is None or len(rows) != len(old):
                yield f"{old[0].claim}: raised"
                continue
            for before, now in zip(old, rows, strict=True):
                pairs = [(before.worst, now.worst), *zip(before.wrong, now.wrong, strict=True)]
                if any(has_changed(*pair) for pair in pairs):
                    yield f"{before.claim}: {before.worst:g} became {now.worst:g}"

    def fate(self, fault: Fault) -> dict:
        forget_answers()
        came, fired = self._with(fault)
        checks, rows = self.subject.checks, self.rows
        if not fired:
            return {"fired": False, "never": self.world.answers.is_hopeless}
        letters = outcomes(fault, came, checks, rows)
        bodies, meetings = self.subject.bodies, self.subject.meetings
        told = roles(fault, came, checks, rows, meetings, bodies)
        return {"fired": True, "came": letters, "roles": told}

    def _with(self, fault: Fault) -> tuple[Came, bool]:
        """What came of it, and whether it changed any value."""
        number = fault.statement
        if fault.name:
            kept = self.world.traces[number].kept
            way = {"result+": "more", "result-": "less"}.get(fault.kind, fault.kind[7:])
            right = kept[fault.name]
            kept[fault.name] = self.world.answers.wrong(way, right)
            fired = not same(right, kept[fault.name])
            return self.world.again(number + 1, None, differing={fault.name}), fired
        # Of what is slow the right value is known already.
        compares = self._is_quick(number)
        probe = self.world.probe(compares)
        node = with_fault(self.subject.statements[number].node, fault.edits)
        came = self.world.again(number, node)
        return came, (compares and probe.fired) or came.changed

    def _is_quick(self, number: int) -> bool:
        return not self.world.traces[number].is_slow

    def _limit_of(self, key: str) -> float:
        fault = self.faults[key]
        extra = 0.0 if fault.name else self.world.traces[fault.statement].seconds
        return self.limit(fault.statement) + extra

    def limit(self, number: int) -> float:
        """Seconds for all that may have to be executed again."""
        later = [trace for at, trace in self.world.traces.items() if at >= number]
        return self.least + FACTOR * sum(trace.seconds for trace in later if not trace.is_slow)


def spent() -> float:
    """Seconds of the processor that this process and its children have taken."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, whose))


def forget_answers() -> None:
    """Empty the library's caches: what they hold was answered without the fault."""
    modules = [m for name, m in list(sys.modules.items()) if name.split(".")[0] == "repcost"]
    for module in modules:
        for value in list(vars(module).values()):
            if isinstance(value, functools._lru_cache_wrapper):
                value.cache_clear()


def _about_check(row: Any, literal: bool) -> dict:
    told = {"statement": row.statement, "claim": row.claim, "worst": row.worst}
    told |= {"at_most": row.at_most, "because": row.because, "literal": literal}
    return told | {"exact": row.worst == 0 and row.at_most == 0, "passes": row.passes}


def _about_fault(fault: Fault, subject: Subject) -> dict:
    statement = subject.statements[fault.statement]
    told = {"kind": fault.kind, "text": fault.text, "cell": statement.cell}
    return told | {"statement": fault.statement, "pair": fault.pair}


def _files() -> dict[str, str]:
    """The modules that the numbers depend on: the library's, and those of this machine."""
    own = [path for path in loaded_modules("repcost_book") if "doubt" in path.parts]
    return digests([*loaded_modules(OWN[0]), *own], PACKAGES)
