"""Which names a statement of a chapter depends on, read from the source alone.

A chapter is one list of statements, those at the top of its cells. A statement depends on the last
ones before it that wrote what it reads, and a function on all that its body reads.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

# These have names of their own.
INNER = ast.FunctionDef | ast.Lambda | ast.comprehension


@dataclass(frozen=True)
class Statement:
    """A statement at the top of a cell, with the names that it reads and writes.

    makes: it makes its names anew, so what they were before does not matter.
    """

    cell: int
    node: ast.stmt
    reads: frozenset[str]
    writes: frozenset[str]
    makes: bool

    @property
    def is_function(self) -> bool:
        value = self.node.value if isinstance(self.node, ast.Assign) else None
        return isinstance(self.node, ast.FunctionDef) or isinstance(value, ast.Lambda)

    @property
    def is_import(self) -> bool:
        return isinstance(self.node, ast.Import | ast.ImportFrom)


@dataclass(frozen=True)
class Flow:
    """The statements of a chapter in their order, and what each depends on."""

    cells: Sequence[str]

    @cached_property
    def statements(self) -> list[Statement]:
        trees = [(number, ast.parse(cell)) for number, cell in enumerate(self.cells)]
        return [_statement(number, node) for number, tree in trees for node in tree.body]

    def behind(self, expressions: Iterable[ast.expr], at: int) -> dict[int, frozenset[str]]:
        """The statements before `at` that these depend on, each with the names that it reads.

        Under the number `at` itself stand the names that the expressions read.
        """
        read = self._with_bodies(frozenset().union(*map(reads, expressions)))
        found, needed = {at: read}, read
        for number in range(at - 1, -1, -1):
            statement = self.statements[number]
            if statement.is_import or not statement.writes & needed:
                continue
            if statement.makes:
                needed -= statement.writes
            found[number] = self._with_bodies(statement.reads)
            needed |= found[number]
        return found

    def values(self, name: str, at: int) -> list[ast.expr]:
        """What the last statement before `at` gives a name, or what the function returns."""
        for statement in reversed(self.statements[:at]):
            node = statement.node
            if name in statement.writes and isinstance(node, ast.Assign):
                value = _given(node, name)
                return [value.body if isinstance(value, ast.Lambda) else value]
            if name in statement.writes and isinstance(node, ast.FunctionDef):
                returned = (each for each in ast.walk(node) if isinstance(each, ast.Return))
                return [each.value for each in returned if each.value is not None]
        return []

    def text(self, expression: ast.expr, at: int) -> str:
        """The words of an expression, which often has been given a name before `at`."""
        is_name = isinstance(expression, ast.Name)
        values = self.values(expression.id, at) if is_name else [expression]
        constant = next((each for each in values if isinstance(each, ast.Constant)), None)
        return str(constant.value) if constant else ast.unparse(expression)

    def digest(self, expressions: Iterable[ast.expr], at: int) -> str:
        """Of the code that these depend on, imports aside; formatting and comments are none."""
        told = list(expressions)
        nodes = [self.statements[number].node for number in sorted(self.behind(told, at))]
        # A call that stands alone is told by the expressions; a loop around it is more.
        parts = [*told, *(each for each in nodes if not isinstance(each, ast.Expr))]
        code = "\n".join(map(ast.unparse, parts))
        return hashlib.sha256(code.encode()).hexdigest()[:10]

    @cached_property
    def _bodies(self) -> dict[str, frozenset[str]]:
        """What the functions of the chapter read, by their names."""
        found: dict[str, frozenset[str]] = {}
        for each in self.statements:
            for name in each.writes if each.is_function else ():
                found[name] = found.get(name, frozenset()) | each.reads
        return found

    def _with_bodies(self, names: frozenset[str]) -> frozenset[str]:
        """These names, and what the chapter's own functions among them read."""
        found, todo = set(), list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self._bodies.get(name, ())
        return frozenset(found)


def reads(node: ast.AST) -> frozenset[str]:
    """The names that are read in it, its functions' bodies too, and that are not theirs."""
    parts = list(ast.walk(node))
    loaded = _names(parts, ast.Load)
    own = {each.arg for each in parts if isinstance(each, ast.arg)}
    # What a statement stores it may have read before: `x = x + 1`.
    if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef):
        own |= _names(parts, ast.Store)
    return frozenset(loaded - own)


def _statement(cell: int, node: ast.stmt) -> Statement:
    writes, makes = _written(node)
    return Statement(cell, node, reads(node), frozenset(writes), makes)


def _written(node: ast.stmt) -> tuple[set[str], bool]:
    """The names that a statement writes, and whether it makes them anew."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}, True
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(each.asname or each.name).partition(".")[0] for each in node.names}, True
    parts = list(_own(node))
    names = _names(parts, ast.Store)
    # `x[i] = 1`, `x.append(1)` and `x += 1` change what is there.
    changed = {_root(each) for each in parts if _changes(each)} - {""}
    return names | changed, isinstance(node, ast.Assign | ast.AnnAssign) and not changed


def _given(node: ast.Assign, name: str) -> ast.expr:
    """What an assignment gives a name, of several at once its own."""
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        own = (part for to, part in pairs if isinstance(to, ast.Name) and to.id == name)
        return next(own, value)
    return value


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement without those that have names of their own."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, INNER):
            yield from _own(child)


def _names(parts: Iterable[ast.AST], context: type[ast.expr_context]) -> set[str]:
    names = (each for each in parts if isinstance(each, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, context)}


def _changes(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript | ast.Attribute):
        return isinstance(node.ctx, ast.Store)
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)


def _root(node: ast.AST | None) -> str:
    """The name at the root of `x[i].y` or of `x.append(1)`."""
    while node is not None and not isinstance(node, ast.Name):
        node = getattr(node, "value", None) or getattr(node, "func", None)
    return node.id if node else ""
