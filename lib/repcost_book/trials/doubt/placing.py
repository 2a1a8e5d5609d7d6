"""Putting a wrong expression into a statement, so that right and wrong are both known."""

import ast
import copy
from collections.abc import Callable, Iterable
from typing import Any

from repcost_book.trials.doubt.comparing import same
from repcost_book.trials.doubt.faults import Fault
from repcost_book.trials.doubt.places import Path
from repcost_book.trials.doubt.states import Draws

EMPTY = ast.arguments([], [], None, [], [], None, [])
# So often both are evaluated; after that what the statement gives must tell whether they differ.
LOOKS = 60
# Of a node at which two sides of a comparison meet: its number.
MEETING = "meeting"


def with_fault(node: ast.stmt, edits: Iterable[tuple[Path, ast.expr]]) -> ast.stmt:
    """The statement in which each of these expressions E is `probe(lambda: E', lambda: E)`."""
    node = copy.deepcopy(node)
    for path, new in edits:
        *way, last = path
        holder: Any = node
        for step in way:
            holder = _at(holder, step)
        old = _at(holder, last)
        right, wrong = _unmarked(copy.deepcopy(old)), copy.deepcopy(new)
        both: list[ast.expr] = [ast.Lambda(EMPTY, wrong), ast.Lambda(EMPTY, right)]
        probe = ast.Call(ast.Name("__probe__", ast.Load()), both, [])
        _put(holder, last, ast.copy_location(probe, old))
    return node


def with_sides(node: ast.stmt) -> Any:
    """The statement in which marked differences tell what stands on their sides."""
    return ast.fix_missing_locations(_Marked().visit(copy.deepcopy(node)))


def at_path(node: ast.AST, path: Path) -> Any:
    """What stands at the end of a path."""
    for step in path:
        node = _at(node, step)
    return node


class Probe:
    """Evaluates the wrong expression, and the right one until they have differed.

    draws: what finds all generators that there are at the first call, for both draw.
    """

    def __init__(self, compares: bool, draws: Callable[[], Draws]) -> None:
        self.draws, self.found = draws, None
        self.fired, self.calls = not compares, 0

    def __call__(self, wrong: Callable[[], Any], right: Callable[[], Any]) -> Any:
        self.calls += 1
        if self.fired or self.calls > LOOKS:
            return wrong()
        self.found = self.found or self.draws()
        back = self.found.noted()
        expected = right()
        back()
        try:
            found = wrong()
        except BaseException:
            self.fired = True
            raise
        self.fired = not same(expected, found)
        return found


class _Marked(ast.NodeTransformer):
    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        place = getattr(node, MEETING, None)
        if place is None:
            return node
        if isinstance(node, ast.BinOp):
            node.left, node.right = _side(place, 0, node.left), _side(place, 1, node.right)
        if isinstance(node, ast.Compare):
            node.left = _side(place, 0, node.left)
            node.comparators[0] = _side(place, 1, node.comparators[0])
        return node


def _side(place: int, side: int, value: ast.expr) -> ast.expr:
    told = [ast.Constant(place), ast.Constant(side), value]
    return ast.copy_location(ast.Call(ast.Name("__side__", ast.Load()), told, []), value)


def _unmarked(node: ast.AST) -> Any:
    for inner in ast.walk(node):
        vars(inner).pop(MEETING, None)
    return node


def _at(node: Any, step: tuple[str, int | None]) -> Any:
    name, index = step
    found = getattr(node, name)
    return found if index is None else found[index]


def _put(node: Any, step: tuple[str, int | None], new: ast.expr) -> None:
    name, index = step
    if index is None:
        setattr(node, name, new)
    else:
        getattr(node, name)[index] = new


def null_edits(fault: Fault, node: ast.stmt) -> list[tuple[Path, ast.expr]]:
    """Edits that put in the place of each wrong expression the right one."""
    return [(path, at_path(node, path)) for path, _ in fault.edits]
