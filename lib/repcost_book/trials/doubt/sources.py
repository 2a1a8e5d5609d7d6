"""The code of cells as tracebacks, and `inspect`, know it: by the name of its cell."""

import ast
import linecache
from collections.abc import Mapping
from types import CodeType

from repcost_book.trials.doubt.placing import with_sides
from repcost_book.trials.doubt.statements import Statement


def compiled(statement: Statement, node: ast.stmt) -> CodeType:
    """With the name of the cell, by which a traceback, and `inspect`, know it."""
    return compile(ast.Module([with_sides(node)], []), f"<{statement.cell}>", "exec")


def show_sources(cells: Mapping[str, str]) -> None:
    """Tell `linecache` the code of cells: `inspect.getsource` in `run.recorded` asks it."""
    for cell, code in cells.items():
        lines = [f"{line}\n" for line in code.splitlines()]
        linecache.cache[f"<{cell}>"] = (len(code), None, lines, f"<{cell}>")


def raised_by_chapter(error: BaseException) -> bool:
    """Whether `raise` or `assert` in a chapter is where an exception began."""
    trace = error.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_code.co_filename
    line = linecache.getline(name, trace.tb_lineno).strip() if name.startswith("<c") else ""
    return line.startswith(("raise", "assert"))
