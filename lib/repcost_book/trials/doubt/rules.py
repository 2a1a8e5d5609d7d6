"""Which slips of the pen an expression can have: each rule gives wrong expressions for a right one.

A rule yields the kind of the fault and what stands there instead. Kinds that end in + and - are
two directions of one fault.
"""

import ast
import copy
from collections.abc import Callable, Iterator

Faults = Iterator[tuple[str, ast.expr]]
Rule = Callable[[ast.expr], Faults]

INSTEAD = {
    "max": "min",
    "amax": "amin",
    "maximum": "minimum",
    "argmax": "argmin",
    "sum": "mean",
    "floor": "ceil",
    "any": "all",
    "sin": "cos",
}
INSTEAD |= {other: one for one, other in INSTEAD.items()} | {"median": "max", "prod": "sum"}
# Where the outermost of these is weakened, a true claim holds all the more: see `outermost`.
WEAKER = {"max": "min", "amax": "amin", "abs": None}
DROPPED = {"abs", "sqrt", "square", "sorted", "cumsum", "diff", "float"}
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@"}
TURNED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Eq: ast.NotEq}
TURNED |= {other: one for one, other in TURNED.items()}
ENDS = {"lower": "upper", "upper": "lower", "value": "lower"}
# Their arguments are alike, or an exchange is no slip.
SYMMETRIC = {"zip", "maximum", "minimum", "max", "min", "isinstance", "getattr", "add"}


def called(node: ast.AST) -> str:
    """The last word of what is called, if it has one."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", None) or getattr(node.func, "id", "")


def constants(node: ast.expr) -> Faults:
    """2 becomes 3 and 1, 0.5 becomes 0.55 and 0.45."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if isinstance(value, int):
        yield "constant+", ast.Constant(value + 1)
        yield "constant-", ast.Constant(value - 1)
    # A tenth of nothing is nothing; and tolerances are so small.
    elif abs(value) >= 1e-4:
        yield "constant+", ast.Constant(value * 1.1)
        yield "constant-", ast.Constant(value * 0.9)


def operators(node: ast.expr) -> Faults:
    """a + b becomes a - b, a, b; a @ b becomes a @ b.T."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in SIGNS:
        return
    sign = SIGNS[type(node.op)]
    if type(node.op) in OPERATORS:
        yield f"operator {sign}", ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    else:
        turned = ast.Attribute(node.right, "T", ast.Load())
        yield "transpose", ast.BinOp(node.left, node.op, turned)
    yield f"right of {sign} dropped", node.left
    yield f"left of {sign} dropped", node.right


def exponents(node: ast.expr) -> Faults:
    """a ** b becomes a ** (b + 1) and a ** (b - 1)."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        for sign, change in (("+", ast.Add()), ("-", ast.Sub())):
            exponent = ast.BinOp(node.right, change, ast.Constant(1))
            yield f"exponent{sign}", ast.BinOp(node.left, ast.Pow(), exponent)


def reductions(node: ast.expr) -> Faults:
    """The largest becomes the least, a sum becomes a mean."""
    if isinstance(node, ast.Call) and called(node) in INSTEAD:
        yield f"{called(node)} exchanged", renamed(node, INSTEAD[called(node)])


def dropped_calls(node: ast.expr) -> Faults:
    """abs(x) becomes x."""
    if isinstance(node, ast.Call) and called(node) in DROPPED and node.args:
        yield f"{called(node)} dropped", node.args[0]


def exchanged_arguments(node: ast.expr) -> Faults:
    """f(a, b) becomes f(b, a)."""
    if not isinstance(node, ast.Call) or len(node.args) < 2 or called(node) in SYMMETRIC:
        return
    one, other, *others = node.args
    alike = ast.dump(one) == ast.dump(other)
    if not alike and not isinstance(one, ast.Starred) and not isinstance(other, ast.Starred):
        yield "arguments exchanged", ast.Call(node.func, [other, one, *others], node.keywords)


def signs(node: ast.expr) -> Faults:
    """-a becomes a, and `not a` becomes a."""
    match node:
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            # Of a number that is written with its sign, another number is the fault.
            if not isinstance(operand, ast.Constant):
                yield "sign dropped", operand


def comparisons(node: ast.expr) -> Faults:
    """a < b becomes a > b; `and` becomes `or`."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in TURNED:
        turned = [TURNED[type(node.ops[0])](), *node.ops[1:]]
        yield "comparison turned", ast.Compare(node.left, turned, node.comparators)
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and, or exchanged", ast.BoolOp(other, node.values)


def attributes(node: ast.expr) -> Faults:
    """A.T becomes A, and the lower end of a bracket the upper one."""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield "transpose", node.value
    if isinstance(node, ast.Attribute) and node.attr in ENDS:
        yield "other end", ast.Attribute(node.value, ENDS[node.attr], ast.Load())


RULES: tuple[Rule, ...] = (
    constants,
    operators,
    exponents,
    reductions,
    dropped_calls,
    exchanged_arguments,
    signs,
    comparisons,
    attributes,
)


def indices(node: ast.expr) -> Faults:
    """x[0] becomes x[1]."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield "index", ast.Constant(node.value + 1)


def weaker(node: ast.expr) -> ast.expr | None:
    """What asks for less in the place of an outermost reduction."""
    if isinstance(node, ast.Call) and called(node) in WEAKER and node.args:
        other = WEAKER[called(node)]
        return renamed(node, other) if other else node.args[0]
    return None


def renamed(node: ast.Call, name: str) -> ast.Call:
    """The same call of another function from the same place."""
    if isinstance(node.func, ast.Attribute):
        function: ast.expr = ast.Attribute(node.func.value, name, ast.Load())
    else:
        function = ast.parse("__mean__" if name == "mean" else name, mode="eval").body
    return ast.Call(function, copy.deepcopy(node.args), node.keywords)
