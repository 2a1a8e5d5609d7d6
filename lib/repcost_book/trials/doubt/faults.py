"""All faults of a statement: of which kind, what stands there instead, and a lasting key."""

import ast
import builtins
import copy
import hashlib
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from repcost_book.trials.doubt.answers import EXTREME, WAYS
from repcost_book.trials.doubt.places import MODULES, Path, Place, places
from repcost_book.trials.doubt.rules import RULES, called, indices
from repcost_book.trials.doubt.statements import Statement, root

# Methods of numbers, arrays and lists, and what is told by attributes of arrays.
NOT_ANSWERS = {"append", "extend", "items", "values", "keys", "join", "format", "split", "index"}
NOT_ANSWERS |= {"ravel", "reshape", "copy", "sum", "max", "min", "mean", "sort", "all", "any"}
NOT_ANSWERS |= {"tolist", "astype", "flatten", "dot", "item"}
NOT_ATTRIBUTES = {"T", "shape", "size", "ndim", "dtype", "real", "imag", "steps"}
NOT_ATTRIBUTES |= {"numerator", "denominator"}
# What draws, too, is no answer of the library.
ELSEWHERE = MODULES | {"rng", "run"}
TRAINS = {"train"}
DRAWS = {"rng", "run", "linspace", "arange", "default_rng", "datasets", "geomspace", "seed"}


@dataclass(frozen=True)
class Fault:
    """One wrong expression in one statement; of a slow statement, one wrong result.

    edits: expressions by path; a weakened reduction is weakened in the wrong formulas, too.
    pair: the key of the other direction of the same fault.
    is_drawn: whether it is in what is drawn, and so in data before formula and measurement.
    """

    key: str
    statement: int
    kind: str
    text: str
    edits: tuple[tuple[Path, ast.expr], ...] = ()
    name: str = ""
    pair: str = ""
    is_drawn: bool = False
    weakens: bool = False

    @property
    def is_extreme(self) -> bool:
        return self.kind.removeprefix("answer ").removeprefix("result ") in (*EXTREME, "early")


@dataclass
class Keys:
    """Keys that outlive edits of other statements: no numbers of lines or cells are in them.

    Of what is the same in every respect, the first, the second, and so on.
    """

    seen: Counter = field(default_factory=Counter)

    def __call__(self, *parts: str) -> str:
        told = "\n".join(parts)
        self.seen[told] += 1
        return hashlib.sha256(f"{told}\n{self.seen[told]}".encode()).hexdigest()[:12]


def faults(
    statement: Statement, own: Collection[str], weakest: Collection[ast.AST], keys: Keys
) -> Iterator[Fault]:
    """All faults in the code of a statement.

    own: names of the chapter's functions and classes, whose bodies have faults of their own.
    weakest: outermost reductions, which are weakened (`sides`), and nothing else.
    """
    for place in places(statement):
        found = [(kind, new) for kind, new in _wrong(place, own, weakest)]
        told = {kind: keys(*_told(place, kind)) for kind, _ in found}
        for kind, new in found:
            text = ast.unparse(place.node)
            edits = ((place.path, new),)
            about = {"pair": told.get(_other(kind), ""), "is_drawn": _is_drawn(place.owner)}
            yield Fault(told[kind], statement.number, kind, text[:90], edits, **about)


def _wrong(
    place: Place, own: Collection[str], weakest: Collection[ast.AST]
) -> Iterator[tuple[str, ast.expr]]:
    if place.is_index:
        yield from indices(place.node)
        return
    for rule in RULES:
        for kind, new in rule(place.node):
            if place.node not in weakest or not kind.endswith(("exchanged", "dropped")):
                yield kind, copy.deepcopy(new)
    yield from _answers(place.node, own)


def _answers(node: ast.expr, own: Collection[str]) -> Iterator[tuple[str, ast.expr]]:
    """Wrong answers of the library, wherever something is called that may be the library's."""
    if isinstance(node, ast.Call) and _may_be_library(node.func, own):
        function, rest = copy.deepcopy(node.func), copy.deepcopy(node.args)
        for way in (*WAYS, "before", *(["early"] if called(node) in TRAINS else [])):
            told = [ast.Constant(way), function, *rest]
            yield _kind(way), ast.Call(ast.Name("__answer__", ast.Load()), told, node.keywords)
    if _may_be_attribute(node):
        for way in ("more", "less", "zero"):
            told = [ast.Constant(way), copy.deepcopy(node.value), ast.Constant(node.attr)]
            yield _kind(way), ast.Call(ast.Name("__attribute__", ast.Load()), told, [])


def _may_be_library(function: ast.expr, own: Collection[str]) -> bool:
    if isinstance(function, ast.Name):
        # A class makes what it is told to.
        known = function.id in own or hasattr(builtins, function.id) or function.id[0].isupper()
        return not known
    is_method = isinstance(function, ast.Attribute)
    return is_method and root(function) not in ELSEWHERE and function.attr not in NOT_ANSWERS


def _may_be_attribute(node: ast.expr) -> TypeGuard[ast.Attribute]:
    is_attribute = isinstance(node, ast.Attribute) and node.attr not in NOT_ATTRIBUTES
    return is_attribute and root(node) not in ELSEWHERE


def _kind(way: str) -> str:
    return {"more": "answer+", "less": "answer-"}.get(way, f"answer {way}")


def _other(kind: str) -> str:
    return kind[:-1] + {"+": "-", "-": "+"}.get(kind[-1:], " ")


def _told(place: Place, kind: str) -> tuple[str, ...]:
    """What a key is made of: the innermost statement, the way from it, the kind."""
    return place.within, ast.unparse(place.owner), str(place.below), kind


def _is_drawn(owner: ast.AST) -> bool:
    """Whether a statement draws its values, or lays a grid: what the theorem is for all of."""
    nodes = list(ast.walk(owner))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    return bool(DRAWS & (used | {node.attr for node in nodes if isinstance(node, ast.Attribute)}))
