"""Where a check of numbers compares two sides, and which reductions stand outermost.

With one measurement and several formulas the roles of faults are known from the signature. Numbers
come from anywhere: there the differences nearest to what is measured tell. What moves both sides
of one is before both.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from repcost_book.trials.doubt.faults import Fault, Keys
from repcost_book.trials.doubt.places import Path, Place, is_check, places
from repcost_book.trials.doubt.placing import MEETING
from repcost_book.trials.doubt.rules import called, weaker
from repcost_book.trials.doubt.slices import Checking
from repcost_book.trials.doubt.statements import Statement, check_calls

# How far back, from name to name.
FARTHEST = 3
Meaning = Mapping[str, ast.AST]


def mark_meetings(
    statements: Sequence[Statement], checks: Sequence[Checking]
) -> dict[int, list[int]]:
    """Mark the differences at which checks compare; of each check, their numbers."""
    numbers: dict[ast.AST, int] = {}
    found: dict[int, list[int]] = {}
    for check in checks:
        known = meanings(statements[: check.number])
        nodes = [node for start in _measured(check) for node in _compared(start, known)]
        for node in nodes:
            setattr(node, MEETING, numbers.setdefault(node, len(numbers)))
        found[check.number] = [numbers[node] for node in nodes]
    return found


def meanings(statements: Sequence[Statement]) -> dict[str, ast.AST]:
    """What each name stands for: the expression it was given last, or the function itself."""
    found: dict[str, ast.AST] = {}
    for each in statements:
        if isinstance(each.node, ast.FunctionDef):
            found[each.node.name] = each.node
        elif isinstance(each.node, ast.Assign) and each.overwrites:
            found |= dict.fromkeys(each.writes, each.node.value)
    return found


def outermost(statements: Sequence[Statement], checks: Sequence[Checking]) -> set[ast.AST]:
    """The reductions of which nothing but a check, or a measurement's end, is outside."""
    found = set()
    for check in checks:
        known = meanings(statements[: check.number])
        found |= {node for start in _measured(check) for node in _ends(start, known)}
    return found


def weakened(statement: Statement, weakest: set[ast.AST], keys: Keys) -> Iterator[Fault]:
    """Outermost reductions made weaker: max to min, abs dropped.

    A true claim holds then all the more, so what counts is whether a wrong formula passes now. In
    the call of a check its wrong formulas are weakened in the same way.
    """
    for place in places(statement):
        new = weaker(place.node) if place.node in weakest else None
        if new is None:
            continue
        edits = [(place.path, new), *_weaker_wrong(statement, place)]
        key = keys(place.within, ast.unparse(place.owner), str(place.below), "weakened")
        text = ast.unparse(place.node)[:90]
        yield Fault(key, statement.number, "weakened", text, tuple(edits), weakens=True)


def _weaker_wrong(statement: Statement, place: Place) -> Iterator[tuple[Path, ast.expr]]:
    call = statement.node.value if isinstance(statement.node, ast.Expr) else None
    if call is None or not is_check(call) or len(place.path) != 2:
        return
    assert isinstance(call, ast.Call)
    for number, keyword in enumerate(call.keywords):
        if keyword.arg == "wrong" and isinstance(keyword.value, ast.Dict):
            for index, value in enumerate(keyword.value.values):
                new = weaker(value) if called(value) == called(place.node) else None
                way = (("value", None), ("keywords", number), ("value", None), ("values", index))
                if new is not None:
                    yield way, new


def _measured(check: Checking) -> Iterator[ast.AST]:
    """What the calls of `check` in a statement measure."""
    for call in check_calls(check.statement.node):
        yield from call.args[2:3]
        yield from (each.value for each in call.keywords if each.arg in ("worst", "measure"))


def _compared(start: ast.AST, known: Meaning, depth: int = 0) -> list[ast.AST]:
    """The differences nearest to what is measured; without any, comparisons, and quotients."""
    nodes = _outside_indices(start)
    for wanted in (_is_difference, _is_comparison, _is_quotient):
        if found := [node for node in nodes if wanted(node)]:
            return found
    if depth == FARTHEST:
        return []
    used = dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))
    below = (_compared(known[name], known, depth + 1) for name in used if name in known)
    return [node for found in below for node in found]


def _outside_indices(start: ast.AST) -> list[ast.AST]:
    nodes = list(ast.walk(start))
    indices = [node.slice for node in nodes if isinstance(node, ast.Subscript)]
    inside = {inner for index in indices for inner in ast.walk(index)}
    return [node for node in nodes if node not in inside]


def _ends(start: ast.AST, known: Meaning, depth: int = 0) -> Iterator[ast.AST]:
    """The reductions that a value passes last: of a name that of its meaning."""
    if isinstance(start, ast.expr) and weaker(start) is not None:
        yield start
        # Of max(abs(x) for ...) both.
        for inner in getattr(start, "args", ())[:1]:
            yield from _ends(getattr(inner, "elt", inner), known, depth + 1)
    elif isinstance(start, ast.Lambda):
        yield from _ends(start.body, known, depth + 1)
    elif isinstance(start, ast.FunctionDef):
        for node in ast.walk(start):
            if isinstance(node, ast.Return) and node.value is not None:
                yield from _ends(node.value, known, depth + 1)
    elif isinstance(start, ast.Name) and start.id in known and depth < FARTHEST:
        yield from _ends(known[start.id], known, depth + 1)


def _is_difference(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


def _is_comparison(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare)


def _is_quotient(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
