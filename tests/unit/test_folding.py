"""Where the code of a chapter goes: under what it shows, and into one line if it only sets up."""

import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document

from repcost_book.pages.folding import (
    Fold,
    _as_fold,
    _cells,
    _fold_code,
    _fold_solutions,
    _is_dropdown,
    _set_up,
)


def cell(code: str, shows: str = "", *tags: str) -> nodes.container:
    made = nodes.container(nb_element="cell_code", classes=["cell", *(f"tag_{t}" for t in tags)])
    source = nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
    made += source
    if shows:
        made += nodes.container("", nodes.paragraph("", shows), nb_element="cell_code_output")
    return made


@pytest.fixture
def chapter():
    def make(*inside: nodes.Node) -> nodes.document:
        document = new_document("chapter", get_default_settings())
        section = nodes.section("", nodes.title("", "Why?"), *inside)
        document += section
        return document

    return make


def folds(document: nodes.document) -> list[str]:
    return [fold[0].astext() for fold in document.findall(Fold)]


def test_code_that_shows_nothing_joins_the_next_that_does(chapter):
    document = chapter(cell("a = 1"), nodes.paragraph("", "Words."), cell("check(a)", "a check"))
    _fold_code([*_cells(document)])
    (shown,) = _cells(document)
    output, fold = shown.children
    assert output.astext() == "a check"
    assert folds(document) == ["Code, 2 lines"]
    assert fold.astext().index("a = 1") < fold.astext().index("check(a)")


def test_an_open_cell_stays_and_what_came_before_is_folded_where_it_stood(chapter):
    document = chapter(cell("a = 1"), cell("print(a)", "1", "open"), cell("b = 2"))
    _fold_code([*_cells(document)])
    assert folds(document) == ["Code, 1 line", "Code, 1 line"]
    (still,) = _cells(document)
    assert still[0].astext() == "print(a)" and still[1].astext() == "1"


def test_a_drawing_to_move_stands_before_the_code_that_asks_for_it(chapter):
    document = chapter(cell("LineWidget()", '<div data-repcost-widget="line">', "open"))
    _fold_code([*_cells(document)])
    (still,) = _cells(document)
    assert "repcost-widget" in still[0].astext() and still[1].astext() == "LineWidget()"


def test_a_figure_has_its_code_under_its_name(chapter):
    document = chapter(cell("plot()\nshow()", "a picture", "figure"))
    _fold_code([*_cells(document)])
    assert folds(document) == ["Code of the figure, 2 lines"]


def test_cells_of_one_solution_share_a_fold_and_others_do_not(chapter):
    solution = [cell("a", "1", "solution"), cell("b", "2", "solution")]
    document = chapter(*solution, nodes.paragraph("", "Exercise 2."), cell("c", "", "solution"))
    _fold_solutions([*_cells(document)])
    assert folds(document) == ["Solution", "Solution"]
    assert "b" in next(document.findall(Fold)).astext()


def test_a_proof_is_a_fold_of_its_own_kind(chapter):
    proof = nodes.admonition("", nodes.title("", "Proof"), nodes.paragraph("", "Clear."))
    proof["classes"] = ["dropdown"]
    assert _is_dropdown(proof) and not _is_dropdown(nodes.admonition("", nodes.title("", "Note")))
    assert _as_fold(proof)["classes"] == ["repcost-fold", "repcost-proof"]


def test_what_sets_up_is_one_line_under_the_title(chapter):
    about = Fold("", nodes.paragraph("", "Quick profile"), classes=["repcost-about"])
    set_up = cell("import numpy", "", "imports")
    document = chapter(nodes.paragraph("", "Words."), set_up, cell("a", "1"), about)
    _set_up(document, [set_up], "some/chapter")
    section = document[0]
    assert section[1] is about
    assert "python -m repcost_book run some/chapter" in about.astext()
    assert "import numpy" in about.astext() and len([*_cells(document)]) == 1
