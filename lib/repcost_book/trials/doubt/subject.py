"""A chapter as the subject of doubt: its statements, its checks, and all their faults."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from nbformat import NotebookNode

from repcost_book.trials.doubt.answers import WAYS
from repcost_book.trials.doubt.faults import Fault, Keys, faults
from repcost_book.trials.doubt.recorder import Row
from repcost_book.trials.doubt.sides import mark_meetings, outermost, weakened
from repcost_book.trials.doubt.slices import Checking, Names, checkings, needed
from repcost_book.trials.doubt.sources import show_sources
from repcost_book.trials.doubt.statements import Statement, statements
from repcost_book.trials.doubt.world import World

# What a check must depend on to be about more than what stands written in it.
SEARCHES = {"minimize", "linprog", "milp", "recorded", "default_rng", "rng", "run", "linear_sum"}
NOT_THE_LIBRARY = ("repcost_book", "repcost.plotting")


@dataclass(frozen=True)
class Subject:
    """What is known of a chapter before it runs."""

    statements: Sequence[Statement]
    checks: Sequence[Checking]

    @classmethod
    def of(cls, notebook: NotebookNode) -> "Subject":
        show_sources({cell.id: cell.source for cell in notebook.cells})
        found = statements(notebook)
        return cls(found, checkings(found))

    @cached_property
    def meetings(self) -> dict[int, list[int]]:
        """The numbers of the differences at which each check compares, which are marked, too."""
        return mark_meetings(self.statements, self.checks)

    @cached_property
    def bodies(self) -> set[int]:
        return {each.number for each in self.statements if each.defines}

    @cached_property
    def library(self) -> set[str]:
        """The names that come from the library."""
        return {name for each in self.statements if _is_library(each.node) for name in each.writes}

    def world(self) -> World:
        """The chapter, ready to run."""
        # Before anything is compiled: the marks are in the code.
        _ = self.meetings
        return World(self.statements, needed(self.statements, self.checks))

    def reached(self) -> set[int]:
        """The statements whose faults may reach what a check measures."""
        found = {number for check in self.checks for number in check.all}
        aside = {e.number for e in self.statements if e.imports or "parameters" in e.tags}
        return found - aside

    def faults(self, world: World) -> list[Fault]:
        """All of them, the extreme ones first."""
        own = {name for each in self.statements if each.defines for name in each.writes}
        weakest, keys = outermost(self.statements, self.checks), Keys()
        found: list[Fault] = []
        for number in sorted(self.reached()):
            each = self.statements[number]
            if {"rng", "run"} & each.writes:
                continue
            if world.traces[number].is_slow:
                found += _of_results(each, world, keys)
            usual = [*faults(each, own, weakest, keys), *weakened(each, weakest, keys)]
            slow = world.traces[number].is_slow
            found += [each for each in usual if not slow or each.kind == "answer early"]
        return sorted(found, key=lambda fault: not fault.is_extreme)

    def is_literal(self, check: Checking) -> bool:
        """Whether a check depends on no answer of the library, no draw and no search."""
        known = Names.of(self.statements)
        reads = known.closed(check.statement.reads)
        for number in check.all - {check.number}:
            reads |= known.closed(self.statements[number].reads)
        text = " ".join(self.statements[number].text for number in check.all)
        return not reads & (self.library | SEARCHES) and not any(each in text for each in SEARCHES)


def rows_of(world: World, checks: Sequence[Checking]) -> dict[int, list[Row]]:
    """What each statement with checks gave them when the chapter ran."""
    return {check.number: world.traces[check.number].rows for check in checks}


def _of_results(statement: Statement, world: World, keys: Keys) -> Iterator[Fault]:
    """Wrong results of a statement that is too slow to be executed again."""
    kinds = [{"more": "result+", "less": "result-"}.get(way, f"result {way}") for way in WAYS]
    for name in sorted(world.traces[statement.number].kept):
        told = {kind: keys(statement.text, name, kind) for kind in kinds}
        pairs = {"result+": told["result-"], "result-": told["result+"]}
        for kind, key in told.items():
            pair = pairs.get(kind, "")
            yield Fault(key, statement.number, kind, name, name=name, pair=pair)


def _is_library(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ImportFrom):
        return False
    module = node.module or ""
    return module.split(".")[0] == "repcost" and not module.startswith(NOT_THE_LIBRARY)
