"""What a check depends on: a slice of the chapter, backwards from what the check is given."""

import ast
import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from repcost_book.trials.doubt.statements import CHECK, Statement, check_calls, names

# Arguments of `check` that are no part of what is measured.
ASIDE = {"at_most", "wrong", "apart", "cases", "because", "ledger", "claim", "id"}


@dataclass
class Names:
    """What a name stands for, through the bodies of the chapter's own functions."""

    bodies: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, statements: Iterable[Statement]) -> "Names":
        bodies: dict[str, set[str]] = {}
        for each in statements:
            for name in each.writes if each.defines else ():
                bodies.setdefault(name, set()).update(each.reads)
        return cls(bodies)

    def closed(self, wanted: Iterable[str]) -> set[str]:
        """These names, and all that the functions among them read."""
        seen, todo = set(), list(wanted)
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += self.bodies.get(name, ())
        return seen


@dataclass(frozen=True)
class Checking:
    """A statement that calls `check`, and the statements on which its numbers depend.

    measure, formula: on which of them either depends; of the form with numbers, `formula` is
        empty, as there is no telling.
    """

    statement: Statement
    measure: frozenset[int]
    formula: frozenset[int]

    @property
    def number(self) -> int:
        return self.statement.number

    @property
    def all(self) -> frozenset[int]:
        return self.measure | self.formula | {self.number}

    @property
    def has_formula(self) -> bool:
        return any(_formula(call) for call in check_calls(self.statement.node))


def checkings(statements: Sequence[Statement]) -> list[Checking]:
    """The statements that settle claims, each with its slices."""
    known = Names.of(statements)
    found = []
    for each in statements:
        if CHECK in known.closed(each.reads) and not each.defines and not each.imports:
            measured, formulas = _wanted(each)
            parts = (frozenset(backward(statements, each, part)) for part in (measured, formulas))
            found.append(Checking(each, *parts))
    return found


def backward(statements: Sequence[Statement], end: Statement, wanted: Iterable[str]) -> set[int]:
    """The statements before `end` that have a part in these names."""
    known, found = Names.of(statements), set()
    need = known.closed(wanted)
    for each in reversed(statements[: end.number]):
        if not each.writes & need:
            continue
        found.add(each.number)
        if each.overwrites:
            need -= each.writes
        # What the body of a function reads has been asked for already, where it is called.
        if not each.defines:
            need |= known.closed(each.reads)
    return found


def needed(statements: Sequence[Statement], checks: Iterable[Checking]) -> set[int]:
    """All that must run: the slices, what wrong formulas and bounds need, and the first cells."""
    found = {each.number for each in statements if each.tags & {"imports", "parameters"}}
    for check in checks:
        found |= backward(statements, check.statement, check.statement.reads) | {check.number}
    return found | {each.number for each in statements if each.imports}


def _wanted(statement: Statement) -> tuple[set[str], set[str]]:
    """The names that measurement and formula read."""
    node, formulas = copy.deepcopy(statement.node), set()
    for call in check_calls(node):
        call.keywords = [each for each in call.keywords if each.arg not in ASIDE]
        for formula in _formula(call):
            formulas |= names(ast.Expr(formula))[0]
        # The id, the claim, and the formula, which is on its own.
        call.args = call.args[2:3]
        call.keywords = [each for each in call.keywords if each.arg != "formula"]
    return names(node)[0], formulas


def _formula(call: ast.Call) -> list[ast.expr]:
    named = [each.value for each in call.keywords if each.arg == "formula"]
    return [*call.args[3:4], *named]
