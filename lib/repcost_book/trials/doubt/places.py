"""The expressions of a statement that may be wrong, and the way to each."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from repcost_book.trials.doubt.rules import called
from repcost_book.trials.doubt.statements import CHECK, Statement, root

# From the top of a statement to an expression: names of fields, with the place in a list.
Path = tuple[tuple[str, int | None], ...]
# What is drawn, shown or counted by their arguments is data.
QUIET = {"figure", "glue", "print", "range", "size", "rng", "default_rng", "set", "text", "plot"}
QUIET |= {"Recipe", "Architecture", "two_layer"}
MODULES = {"np", "plt", "math", "itertools", "sp", "torch"}
SETTINGS = {"axis", "seed", "size", "seeds", "steps", "tol", "target", "atol", "rtol", "bits"}
SETTINGS |= {"device", "dtype", "strict", "key"}
SKIPPED = {"targets", "target", "decorator_list", "annotation", "returns"}


@dataclass(frozen=True)
class Place:
    """An expression and the innermost statement around it.

    below: the path from that statement on.
    within: the functions around both.
    """

    path: Path
    node: ast.expr
    owner: ast.stmt
    below: Path
    within: str
    is_index: bool = False


@dataclass(frozen=True)
class _Way:
    """How far a walk has come."""

    path: Path
    owner: ast.stmt
    depth: int = 0
    within: str = ""

    def into(self, *steps: tuple[str, int | None]) -> "_Way":
        return replace(self, path=(*self.path, *steps))

    def at(self, node: ast.AST) -> "_Way":
        """The same, if the node is a statement with that as the innermost one."""
        if not isinstance(node, ast.stmt):
            return self
        named = f"{self.within}.{node.name}" if isinstance(node, ast.FunctionDef) else self.within
        return _Way(self.path, node, len(self.path), named)


def places(statement: Statement) -> Iterator[Place]:
    """The expressions of a statement that may be wrong."""
    yield from _inside(statement.node, _Way((), statement.node).at(statement.node))


def _inside(node: ast.AST, way: _Way) -> Iterator[Place]:
    for name, value in ast.iter_fields(node):
        if name in SKIPPED:
            continue
        if isinstance(value, ast.arguments):
            # Of the arguments of a function only what they are unless given.
            for index, default in enumerate(value.defaults):
                yield from _visit(default, way.into((name, None), ("defaults", index)))
            continue
        below = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in below:
            if isinstance(child, ast.AST) and _may_be_wrong(node, name, index):
                is_index = isinstance(node, ast.Subscript) and name == "slice"
                yield from _visit(child, way.into((name, index)), is_index)


def _visit(node: ast.AST, way: _Way, is_index: bool = False) -> Iterator[Place]:
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom) or _is_quiet(node):
        return
    way = way.at(node)
    if isinstance(node, ast.expr) and _is_value(node, is_index):
        below = way.path[way.depth :]
        yield Place(way.path, node, way.owner, below, way.within, is_index)
    method = node.func if isinstance(node, ast.Call) else None
    # What is called is no value; what its method is called on is one.
    if isinstance(method, ast.Attribute) and root(method) not in MODULES:
        yield from _visit(method.value, way.into(("func", None), ("value", None)))
    yield from _inside(node, way)


def _is_value(node: ast.expr, is_index: bool) -> bool:
    if isinstance(node, ast.Starred | ast.Slice) or is_check(node):
        return False
    # A walrus in a lambda would bind a name of the lambda.
    walrus = any(isinstance(each, ast.NamedExpr) for each in ast.walk(node))
    return not walrus and not (is_index and isinstance(node, ast.Tuple))


def _may_be_wrong(node: ast.AST, name: str, index: int | None) -> bool:
    if isinstance(node, ast.keyword):
        return node.arg not in SETTINGS
    if not isinstance(node, ast.Call) or name == "func":
        return not isinstance(node, ast.Call)
    if not is_check(node):
        return True
    # Of a check only what is measured, and the formula.
    if name == "keywords" and index is not None:
        return node.keywords[index].arg in ("worst", "measure", "formula")
    return name == "args" and index in (2, 3)


def is_check(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called(node) == CHECK


def _is_quiet(node: ast.AST) -> bool:
    shown = isinstance(node, ast.Call) and root(node) in ("plt", "ax", "fig", "run")
    return shown or called(node) in QUIET
