"""The checks of a chapter as they are written, without running it."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from repcost_book.runner.chapters import Chapter, code_cells, tags
from repcost_book.runner.flow import Flow


@dataclass(frozen=True)
class WrittenCheck:
    """A call of `check` as it is written; `cell` is the number of its code cell.

    measured: the worst number; or the measurement, and the formula.
    digest: of the call and of all code that it depends on.
    """

    cell: int
    line: int
    statement: str
    claim: str
    measured: tuple[ast.expr, ...]
    options: frozenset[str]
    digest: str

    @property
    def by_formulas(self) -> bool:
        return len(self.measured) > 1

    @property
    def without_reason(self) -> bool:
        """Whether it gives numbers, and does not say why there is no formula."""
        return not self.by_formulas and "because" not in self.options


def written_checks(flow: Flow) -> list[tuple[WrittenCheck, int]]:
    """Each check in the order of the code, with the number of its statement."""
    return [
        (_written(flow, call, statement.cell, at), at)
        for at, statement in enumerate(flow.statements)
        for call in ast.walk(statement.node)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "check"
    ]


def cells_of(chapter: Chapter) -> list[str]:
    """The code of a chapter that a check may depend on."""
    cells = code_cells(chapter.notebook())
    return [cell.source for cell in cells if "solution" not in tags(cell)]


def checks_of(cells: Sequence[str]) -> list[WrittenCheck]:
    return [check for check, _ in written_checks(Flow(cells))]


def _written(flow: Flow, call: ast.Call, cell: int, at: int) -> WrittenCheck:
    words = [flow.text(each, at) for each in call.args[:2]]
    statement, claim = [*words, "", ""][:2]
    options = frozenset(keyword.arg for keyword in call.keywords if keyword.arg)
    digest = flow.digest([*call.args, *(each.value for each in call.keywords)], at)
    return WrittenCheck(cell, call.lineno, statement, claim, tuple(call.args[2:]), options, digest)
