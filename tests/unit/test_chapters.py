"""Chapters keep to their anatomy, as far as a machine can tell."""

import ast
import re
from collections.abc import Iterator
from dataclasses import asdict
from symtable import SymbolTable, symtable

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from repcost_book.kernel.ledger import statements
from repcost_book.runner.chapters import chapters, code_cells, tags
from repcost_book.runner.project import Project
from repcost_book.runner.sizes import Size, size

CHAPTERS = {chapter.name: chapter for chapter in chapters(Project.here())}
LONGEST_LINE = 86  # what fits the column of the page
# What is larger is two chapters.
LARGEST = Size(cells=12, lines=250, words=1800, folded_words=1200)
# The first page shows no code before it is asked for it, and a kernel is no network: what the book
# says of kernels the library has nothing for.
WITHOUT_OPEN_CELLS, WITHOUT_THE_LIBRARY = {"start/welcome"}, {"jacot-2023/kernels"}
LIBRARY = r"repcost$|repcost\.(?!plotting)|repcost_book\.kernel\.widgets"


@pytest.mark.parametrize("name", CHAPTERS)
def test_code_fits_the_column(name):
    lines = [
        line for cell in code_cells(CHAPTERS[name].notebook()) for line in cell.source.splitlines()
    ]
    assert [line for line in lines if len(line) > LONGEST_LINE] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_it_is_not_too_long(name):
    found, most = asdict(size(CHAPTERS[name])), asdict(LARGEST)
    assert {what: found[what] for what in found if found[what] > most[what]} == {}


@pytest.mark.parametrize("name", sorted(CHAPTERS.keys() - WITHOUT_OPEN_CELLS))
def test_it_keeps_one_to_three_open_cells_and_calls_the_library_there(name):
    cells = code_cells(CHAPTERS[name].notebook())
    shown = [cell.source for cell in cells if "open" in tags(cell)]
    assert 1 <= len(shown) <= 3
    assert calls_the_library(shown, cells) != (name in WITHOUT_THE_LIBRARY)


def calls_the_library(shown: list[str], cells: list[NotebookNode]) -> bool:
    """Whether code uses what its chapter imports of the library, or a function made of that."""
    code = ast.parse("\n".join(cell.source for cell in cells))
    taken = [node for node in code.body if isinstance(node, ast.ImportFrom)]
    ours = [node for node in taken if re.match(LIBRARY, node.module or "")]
    known = {each.asname or each.name for node in ours for each in node.names}
    for node in code.body:
        known |= _made(node) if _names(node) & known else set()
    return any(_names(ast.parse(code)) & known for code in shown)


def _made(node: ast.stmt) -> set[str]:
    """The functions that a statement makes, by `def`, by `lambda` or as another name."""
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    if not isinstance(node, ast.Assign) or _calls_now(node.value):
        return set()
    return {name for target in node.targets for name in _names(target)}


def _calls_now(node: ast.expr) -> bool:
    is_later = isinstance(node, ast.Lambda)
    return not is_later and any(isinstance(part, ast.Call) for part in ast.walk(node))


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def test_what_calls_no_library_is_found():
    def told(*sources):
        cells = [new_code_cell(source) for source in sources]
        return calls_the_library([sources[-1]], cells)

    imports = "import numpy as np\nfrom repcost import function_cost\n"
    helper = "def price(f):\n    return function_cost(f).value"
    assert told(imports, "print(function_cost(f))")
    assert told(imports, helper, "print(price(f))")
    assert told(imports, "price = lambda f: function_cost(f).value", "print(price(f))")
    assert not told(imports, helper, "print(np.sum([1, 2]))")
    assert not told(imports, "known = function_cost(f)", "print(known)"), "it is only shown here"


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_check_needs_what_is_only_said_aside(name):
    assert taken_from_aside(code_cells(CHAPTERS[name].notebook())) == set()


def taken_from_aside(cells: list[NotebookNode]) -> set[str]:
    """Names that cells for numbers in prose or for solutions make, and later cells ask for.

    `doubt` leaves such cells out, and a reader does not look there for what is measured.
    """
    made, aside, taken = set(), set(), set()
    for cell in cells:
        found = [each for table in _tables(cell.source) for each in _of_the_chapter(table)]
        new = {symbol.get_name() for symbol in found if symbol.is_assigned()}
        if {"glue", "solution"} & set(tags(cell)):
            aside |= new - made
        else:
            made |= new
            asked = {symbol.get_name() for symbol in found if symbol.is_referenced()}
            taken |= asked & (aside - made)
    return taken


def _tables(source: str) -> Iterator[SymbolTable]:
    tables = [symtable(source, "a cell", "exec")]
    while tables:
        yield (table := tables.pop())
        tables += table.get_children()


def _of_the_chapter(table: SymbolTable) -> list:
    """The symbols of a block of code that belong to the chapter, and not to a function in it."""
    whole = table.get_type() == "module"
    return [each for each in table.get_symbols() if whole or each.is_global()]


def test_what_is_taken_from_aside_is_found():
    def told(*sources):
        aside = new_code_cell(sources[0], metadata={"tags": ["glue"]})
        return taken_from_aside([aside, *map(new_code_cell, sources[1:])])

    prices = "def price(f):\n    return f"
    assert told(prices, "print(price(1))") == {"price"}
    assert told(prices, "check = lambda f: price(f)") == {"price"}
    assert not told(prices, "def own(price):\n    return price")
    assert not told(prices, "price = 1\nprint(price)")


@pytest.mark.parametrize("name", CHAPTERS)
def test_colours_that_stand_for_numbers_have_their_scale(name):
    for cell in code_cells(CHAPTERS[name].notebook()):
        if re.search(r"\.(contourf|pcolormesh)\(", cell.source):
            assert "fig.colorbar(" in cell.source


@pytest.mark.parametrize("name", CHAPTERS)
def test_it_can_be_run_in_every_profile(name):
    assert {"profile", "seed", "device"} <= CHAPTERS[name].parameters()


@pytest.mark.parametrize("name", CHAPTERS)
def test_its_title_asks_a_question(name):
    text = CHAPTERS[name].source.read_text(encoding="utf-8")
    (title,) = re.findall(
        r"^# (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE
    )[:1]
    assert title.endswith("?")


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_statement_it_settles_has_its_box(name):
    text = CHAPTERS[name].source.read_text(encoding="utf-8")
    for statement in statements().values():
        if statement.chapter == name:
            assert f":label: {statement.id}\n" in text
