"""A chapter that has run once, statement by statement, and can run on from any of them again."""

import ast
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

from repcost_book.trials.doubt.answers import Answers
from repcost_book.trials.doubt.comparing import same
from repcost_book.trials.doubt.placing import Probe
from repcost_book.trials.doubt.recorder import Recorder, Row, Sides
from repcost_book.trials.doubt.slices import Names
from repcost_book.trials.doubt.sources import compiled, raised_by_chapter
from repcost_book.trials.doubt.statements import Statement
from repcost_book.trials.doubt.states import Draws, copied

# Seconds of the processor; a slower statement is not executed again, its results are made wrong.
SLOW = 4.0
Moved = dict[tuple[int, int], int]


@dataclass
class Trace:
    """What a statement left behind when it ran: values, rows of checks, sides of differences."""

    seconds: float
    back: Callable[[], None]
    kept: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    sides: Moved = field(default_factory=dict)

    @property
    def is_slow(self) -> bool:
        return self.seconds > SLOW


@dataclass
class Came:
    """What came of running on.

    rows: of each statement with checks that was executed; None if it could not be.
    own: whether the first exception was raised by the chapter itself.
    moved: which sides of which differences were other ones.
    changed: whether anything that was executed gave something else.
    """

    rows: dict[int, list[Row] | None] = field(default_factory=dict)
    own: bool = False
    moved: set[tuple[int, int]] = field(default_factory=set)
    unreached: set[int] = field(default_factory=set)
    changed: bool = False


class World:
    """A chapter's statements and the names in which they are executed."""

    def __init__(self, statements: Sequence[Statement], needed: Collection[int]) -> None:
        self.statements = [each for each in statements if each.number in needed]
        self.known = Names.of(statements)
        self.recorder, self.sides, self.answers = Recorder(), Sides(), Answers()
        self.names: dict[str, Any] = {"__name__": "__main__", **self._tools()}
        self.traces: dict[int, Trace] = {}
        self.reads = {each.number: self.known.closed(each.reads) for each in self.statements}
        self.code: dict[int, CodeType] = {}

    def run(self, parameters: Mapping[str, Any]) -> None:
        """The whole chapter once."""
        changed_later = {name for each in self.statements for name in each.changes}
        for each in self.statements:
            trace = Trace(0.0, Draws(self.names).noted())
            rows, begun = len(self.recorder.rows), time.process_time()
            self.execute(each)
            # The processor's time: others may be at work on this machine.
            trace.seconds = time.process_time() - begun
            self._told(each, parameters)
            trace.rows, trace.sides = self.recorder.rows[rows:], self.sides.taken()
            for name in each.writes & self.names.keys():
                value = self.names[name]
                in_place = name in changed_later and not callable(value)
                trace.kept[name] = copied(value) if in_place else value
            self.traces[each.number] = trace

    def execute(self, statement: Statement, node: ast.stmt | None = None) -> None:
        if node is not None:
            exec(compiled(statement, node), self.names)
            return
        if statement.number not in self.code:
            self.code[statement.number] = compiled(statement, statement.node)
        exec(self.code[statement.number], self.names)

    def probe(self, compares: bool = True) -> Probe:
        """What stands in the faulty statement."""
        probe = Probe(compares, lambda: Draws(self.names))
        self.names["__probe__"] = probe
        return probe

    def again(
        self,
        start: int,
        node: ast.stmt | None,
        touched: Collection[int] = (),
        differing: Collection[str] = (),
    ) -> Came:
        """Run on from a statement, which is executed as `node` if one is given.

        touched: what is executed, too, whatever it reads.
        differing: names whose values were made others beforehand.
        """
        came, differs, broken = Came(), set(differing), set[str]()
        for each in self._from(start):
            is_start = each.number == start and node is not None
            reads = self.reads[each.number]
            wanted = is_start or each.number in touched
            if is_start and each.defines:
                # A function is another one, even if it does the same.
                (differs if self._ran(each, node, came) else broken).update(each.writes)
            elif not wanted and (each.defines or not reads & (differs | broken)):
                self._replay(each, differs, broken)
            elif self.traces[each.number].is_slow and not is_start:
                came.unreached.add(each.number)
                self._replay(each, differs, broken)
            else:
                can_run = not reads & broken
                ran = can_run and self._ran(each, node if is_start else None, came)
                self._compare(each, ran, differs, broken, came)
        return came

    def _from(self, start: int) -> Iterable[Statement]:
        """The statements from `start` on, with all names as they were before it."""
        for each in self.statements:
            if each.number < start:
                self.names.update(self.traces[each.number].kept)
        return [each for each in self.statements if each.number >= start]

    def _replay(self, each: Statement, differs: set[str], broken: set[str]) -> None:
        """What nothing has changed is as it was, without being executed."""
        self.names.update(self.traces[each.number].kept)
        if each.overwrites:
            differs -= each.writes
            broken -= each.writes

    def _ran(self, each: Statement, node: ast.stmt | None, came: Came) -> bool:
        trace = self.traces[each.number]
        trace.back()
        rows = len(self.recorder.rows)
        try:
            self.execute(each, node)
        # SystemExit, too, and whatever else a faulty library may raise.
        except BaseException as error:
            came.own |= raised_by_chapter(error)
            return False
        if trace.rows:
            came.rows[each.number] = self.recorder.rows[rows:]
        sides = self.sides.taken()
        pairs = trace.sides.keys() & sides.keys()
        came.moved |= {place for place in pairs if trace.sides[place] != sides[place]}
        return True

    def _compare(
        self, each: Statement, ran: bool, differs: set[str], broken: set[str], came: Came
    ) -> None:
        """Which of the names that it writes hold something else from now on."""
        trace = self.traces[each.number]
        if not ran:
            came.changed = True
            broken |= each.writes
            if trace.rows:
                came.rows[each.number] = None
            return
        broken -= each.writes
        for name in each.writes:
            now, then = self.names.get(name), trace.kept.get(name)
            (differs.discard if same(now, then) else differs.add)(name)
            # Whoever holds this generator, too, must go on drawing from the same one.
            if isinstance(then, np.random.Generator) and name not in differs:
                self.names[name] = then
        came.changed |= bool(differs & each.writes)

    def _told(self, each: Statement, parameters: Mapping[str, Any]) -> None:
        """Parameters are set where the runner would inject them; figures are drawn for nobody."""
        if "parameters" in each.tags:
            self.names.update({name: parameters[name] for name in each.writes & parameters.keys()})
        tools = self._tools()
        self.names.update({name: tools[name] for name in each.writes & tools.keys()})

    def _tools(self) -> dict[str, Any]:
        return {
            "check": self.recorder,
            "figure": _nothing,
            "glue": _nothing,
            "__side__": self.sides,
            "__answer__": self.answers.call,
            "__attribute__": self.answers.attribute,
            "__mean__": _mean,
        }


def _nothing(*arguments: Any, **named: Any) -> None:
    """Nobody looks."""


def _mean(values: Iterable[Any], start: Any = 0) -> Any:
    """What stands in the place of Python's own sum."""
    several = list(values)
    return sum(several, start) / len(several)
