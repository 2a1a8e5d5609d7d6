"""The code of a chapter as statements: what each reads, what it writes, and what it changes."""

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, field

from nbformat import NotebookNode

# Cells on which no check depends: exercises, and numbers for the prose.
LEFT_OUT = {"solution", "glue"}
# Their methods change nothing that a check would read.
HARMLESS = {"np", "plt", "rng", "run"}
CHECK = "check"


@dataclass
class Statement:
    """One statement at the top of a cell.

    number: its place in the chapter.
    changes: names whose values it changes in place; they count as written, too.
    """

    number: int
    cell: str
    tags: frozenset[str]
    node: ast.stmt
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.reads, written = names(self.node)
        self.changes = changed_in_place(self.node) & (self.reads | written)
        self.writes = written | self.changes

    @property
    def text(self) -> str:
        return ast.unparse(self.node)

    @property
    def defines(self) -> bool:
        """Whether it only makes a function or a class: it reads nothing until that is called."""
        node = self.node
        is_lambda = isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
        return is_lambda or isinstance(node, ast.FunctionDef | ast.ClassDef)

    @property
    def imports(self) -> bool:
        return isinstance(self.node, ast.Import | ast.ImportFrom)

    @property
    def overwrites(self) -> bool:
        """Whether what its names were before is of no importance afterwards."""
        plain = isinstance(self.node, ast.Assign) and not self.changes
        return (plain or self.defines or self.imports) and not self.writes & self.reads


def statements(notebook: NotebookNode) -> list[Statement]:
    """The statements of a chapter's code in their order."""
    found: list[Statement] = []
    for cell in notebook.cells:
        tags = frozenset(cell.metadata.get("tags", ()))
        if cell.cell_type != "code" or tags & LEFT_OUT:
            continue
        for node in ast.parse(cell.source).body:
            found.append(Statement(len(found), cell.id, tags, node))
    return found


def names(node: ast.AST) -> tuple[set[str], set[str]]:
    """The global names that a statement or an expression reads, and those that it binds."""
    table = symtable.symtable(ast.unparse(node), "<statement>", "exec")
    top = table.get_symbols()
    reads = {each.get_name() for each in top if each.is_referenced()}
    binds = {each.get_name() for each in top if each.is_assigned() or each.is_imported()}
    inner = {
        each.get_name()
        for below in _below(table)
        for each in below.get_symbols()
        if each.is_global() and each.is_referenced()
    }
    return reads | inner, binds


def changed_in_place(node: ast.AST) -> set[str]:
    """Names whose value is changed and not replaced: x[i] = 1, x += 1, x.append(1)."""
    found = {root(target) for inner in ast.walk(node) for target in _changed(inner)}
    return {name for name in found if name} - HARMLESS


def root(node: ast.AST) -> str | None:
    """The name on which a chain of attributes, indices and calls hangs."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def check_calls(node: ast.AST) -> list[ast.Call]:
    """The calls of `check` in a statement."""
    calls = [inner for inner in ast.walk(node) if isinstance(inner, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == CHECK]


def _below(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _below(child)


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
            yield node
        case ast.AugAssign():
            yield node.target
        # A method that is called for nothing it returns.
        case ast.Expr(value=ast.Call(func=ast.Attribute())):
            yield node.value
