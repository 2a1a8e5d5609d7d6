"""What no fault can show of a check, found in the source of a chapter, which is not run.

Four censuses. In which form each check is written, and whether it gives a reason for numbers.
Which checks are *literal*: what they measure depends on no answer of the library, on no draw and
on no search. Which compare *two sides that share a core*: on both sides of a difference stand
answers of the same functions of the library, and one of the sides has none of its own; or all that
a formula calls of the library the measurement calls, too. And which are *twins*: two checks of one
statement that measure the same. Whoever is named here and is to stay needs a reason, which stands
beside the review of that check (`pages.readings`).

Names are all that is read (`runner.flow`); what an object computes in a method counts by the
method's name. So a census lists what a person is to look at; it proves nothing.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from repcost_book.runner.flow import Flow, Statement
from repcost_book.runner.written_checks import WrittenCheck, written_checks

# Modules whose functions look for something: what they find is not written in the chapter.
SEARCHES = ("scipy.optimize", "cvxpy", "highspy")
# Names by which a chapter draws, or reads what was recorded.
DRAWS = frozenset({"rng", "run", "default_rng"})
# What only shows something, or holds data, answers nothing.
SILENT = ("repcost.plotting", "repcost.datasets", "repcost_book")


@dataclass(frozen=True)
class Shared:
    """Two sides of a difference, of which one has no function of the library for itself."""

    check: WrittenCheck
    left: str
    right: str
    functions: frozenset[str]


@dataclass(frozen=True)
class Source:
    """The code cells of a chapter, in their order; `methods` are those of the library's classes."""

    cells: Sequence[str]
    methods: frozenset[str] = frozenset()

    @cached_property
    def checks(self) -> list[WrittenCheck]:
        """Its checks, in the order in which they stand."""
        return [check for check, _ in self._placed]

    @cached_property
    def literal(self) -> list[WrittenCheck]:
        """Those that depend on no answer of the library, on no draw and on no search."""
        return [check for check, at in self._placed if not self._is_fed(check, at)]

    @cached_property
    def shared(self) -> list[Shared]:
        """The comparisons of two sides by the same functions of the library."""
        return [each for check, at in self._placed for each in self._compared(check, at)]

    @cached_property
    def borrowed(self) -> list[Shared]:
        """The formulas all of whose functions of the library the measurement calls, too."""
        found = []
        for check, at in self._placed:
            if both := self._borrowed(check, at):
                measure, formula = map(ast.unparse, check.measured[:2])
                found.append(Shared(check, measure, formula, both))
        return found

    @cached_property
    def twins(self) -> list[tuple[WrittenCheck, WrittenCheck]]:
        """Pairs of checks of one statement that measure the same, by the same formula."""
        pairs = combinations(self._placed, 2)
        return [(one, other) for (one, at), (other, to) in pairs if self._alike(one, at, other, to)]

    @cached_property
    def _flow(self) -> Flow:
        return Flow(self.cells)

    @cached_property
    def _placed(self) -> list[tuple[WrittenCheck, int]]:
        """Each check with the number of its statement."""
        return written_checks(self._flow)

    @cached_property
    def _answering(self) -> frozenset[str]:
        """The names that it imports of what answers or searches."""
        imports = filter(_answers, self._flow.statements)
        return frozenset(name for each in imports for name in each.writes)

    def _is_fed(self, check: WrittenCheck, at: int) -> bool:
        outside = self._answering | DRAWS
        behind = self._flow.behind(check.measured, at)
        return any(names & outside for names in behind.values())

    def _compared(self, check: WrittenCheck, at: int) -> Iterator[Shared]:
        for left, right in self._meetings(check.measured[0], at, frozenset()):
            one, other = self._functions(left, right, at)
            # A side without any of the library has a way of its own: it is written out.
            if one and other and (one <= other or other <= one):
                yield Shared(check, ast.unparse(left), ast.unparse(right), one & other)

    def _borrowed(self, check: WrittenCheck, at: int) -> frozenset[str]:
        """What a formula calls of the library, if the measurement calls all of it."""
        if not check.by_formulas:
            return frozenset()
        behind = [self._flow.behind([side], at) for side in check.measured[:2]]
        both = behind[0].keys() & behind[1].keys()
        # Data are seen by both sides; a function that both call is a core that they share.
        data = {n for n in both - {at} if not self._flow.statements[n].is_function}
        measuring, formula = (
            self._named(side, [names for number, names in slice.items() if number not in data])
            for side, slice in zip(check.measured[:2], behind, strict=True)
        )
        return formula if formula <= measuring else frozenset()

    def _alike(self, one: WrittenCheck, at: int, other: WrittenCheck, to: int) -> bool:
        if one.statement != other.statement or len(one.measured) != len(other.measured):
            return False
        return self._flow.digest(one.measured, at) == self._flow.digest(other.measured, to)

    def _functions(self, left: ast.expr, right: ast.expr, at: int) -> list[frozenset[str]]:
        """By which functions of the library each side is made, beside the data of both."""
        behind = [self._flow.behind([side], at) for side in (left, right)]
        data = (behind[0].keys() & behind[1].keys()) - {at}
        return [
            self._named(side, [names for number, names in slice.items() if number not in data])
            for side, slice in zip((left, right), behind, strict=True)
        ]

    def _named(self, side: ast.expr, read: Iterable[frozenset[str]]) -> frozenset[str]:
        attributes = {each.attr for each in ast.walk(side) if isinstance(each, ast.Attribute)}
        imported = frozenset().union(*read) & self._answering
        # A class holds data.
        functions = {name for name in imported if not name[:1].isupper()}
        return frozenset(functions | (attributes & self.methods))

    def _meetings(
        self, expression: ast.expr, at: int, seen: frozenset[str]
    ) -> Iterator[tuple[ast.expr, ast.expr]]:
        """The outermost differences and comparisons that an expression is made of."""
        if (pair := _sides(expression)) is not None:
            yield pair
            return
        if isinstance(expression, ast.Name) and expression.id not in seen:
            seen |= {expression.id}
            for value in self._flow.values(expression.id, at):
                yield from self._meetings(value, at, seen)
        for child in ast.iter_child_nodes(expression):
            inner = child.iter if isinstance(child, ast.comprehension) else child
            if isinstance(inner, ast.expr):
                yield from self._meetings(inner, at, seen)


def methods_of(sources: Iterable[str]) -> frozenset[str]:
    """The public methods and computed properties that these modules define in classes."""
    nodes = (node for source in sources for node in ast.walk(ast.parse(source)))
    parts = (part for node in nodes if isinstance(node, ast.ClassDef) for part in node.body)
    names = (part.name for part in parts if isinstance(part, ast.FunctionDef))
    return frozenset(name for name in names if not name.startswith("_"))


def _answers(statement: Statement) -> bool:
    """Whether it imports what answers or searches."""
    node = statement.node
    module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
    return module.startswith((*SEARCHES, "repcost")) and not module.startswith(SILENT)


def _sides(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The two sides of a difference or of a comparison; of a quotient minus one its parts."""
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        return node.left, node.comparators[0]
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return None
    constant = [isinstance(each, ast.Constant) for each in (node.left, node.right)]
    quotient = node.right if constant[0] else node.left
    if any(constant) and isinstance(quotient, ast.BinOp) and isinstance(quotient.op, ast.Div):
        return quotient.left, quotient.right
    return node.left, node.right
