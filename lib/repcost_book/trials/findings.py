"""A finding, printed as code that can be pasted."""

import ast
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import repcost


@dataclass(frozen=True)
class Finding:
    """A case that should not be: the attack, its number, what went wrong, and shrunk arguments."""

    name: str
    call: str
    seed: int
    number: int
    says: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        # What is said may run over several lines, and each of them is a comment.
        says = " ".join(self.says.split())
        repeat = f"python -m repcost_book fuzz --only {shlex.quote(self.name)}"
        repeat += f" --seed {self.seed} --case {self.number}"
        return f"# {self.name}: {says}\n# {repeat}\n{code(self.call, self.arguments)}"


def code(call: str, arguments: Mapping[str, Any]) -> str:
    """What can be pasted: imports, the arguments, and the call."""
    values = [f"{name} = {literal(value)}" for name, value in arguments.items()]
    public = sorted(words_of(call).intersection(repcost.__all__) - set(arguments))
    imports = [f"from repcost import {', '.join(public)}"] if public else []
    # What is not finite prints itself by these names.
    lost = [word for word in ("inf", "nan") if any(word in value for value in values)]
    if lost:
        imports = [f"from numpy import {', '.join(lost)}", *imports]
    return "\n".join(["import numpy as np", *imports, *values, call])


def words_of(call: str) -> set[str]:
    """The names in a piece of code, those of keywords too; none if it cannot be read."""
    try:
        nodes = list(ast.walk(ast.parse(call)))
    except SyntaxError:
        return set()
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}


def literal(value: Any) -> str:
    """The value as code; floats by their shortest exact decimals."""
    if isinstance(value, list | tuple):
        items = ", ".join(map(literal, value))
        comma = "," * (isinstance(value, tuple) and len(value) == 1)
        return f"[{items}]" if isinstance(value, list) else f"({items}{comma})"
    if isinstance(value, np.generic):
        return repr(value.item())
    if not isinstance(value, np.ndarray):
        return repr(value)
    usual = value.dtype in (float, int, bool) and value.size
    kind = "" if usual else f", dtype=np.{value.dtype}"
    shape = "" if value.size else f".reshape({value.shape})"
    return f"np.array({value.tolist()!r}{kind}){shape}"
