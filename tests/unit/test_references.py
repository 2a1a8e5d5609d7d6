"""What nbval does not see: references that were never run, or that hold other code."""

import json

import nbformat
import pytest

from repcost_book.runner.chapters import chapters, code_cells
from repcost_book.runner.comparisons import check_lines, claim_of, outputs_of
from repcost_book.runner.project import Project
from repcost_book.runner.references import COMPARED, reference

PROJECT = Project.here()
PAPER = sorted(PROJECT.paper_references.rglob("*.txt"))
CHAPTERS = {chapter.name: chapter for chapter in chapters(PROJECT)}


def read(name):
    return nbformat.read(PROJECT.references / f"{name}.ipynb", as_version=4)


def test_each_chapter_has_one_and_nothing_else_is_there():
    there = {
        path.relative_to(PROJECT.references).with_suffix("").as_posix()
        for path in PROJECT.references.rglob("*.ipynb")
    }
    assert there == set(CHAPTERS), "run make references"


@pytest.mark.parametrize("name", CHAPTERS)
def test_it_holds_the_code_of_the_source_and_all_of_it_was_run(name):
    cells = code_cells(read(name))
    assert [cell.source for cell in cells] == [
        cell.source for cell in code_cells(CHAPTERS[name].notebook())
    ]
    assert all(cell.execution_count for cell in cells), "run make references"


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_check_in_it_is_compared(name):
    checking = [cell for cell in code_cells(read(name)) if "check(" in cell.source]
    assert checking
    for cell in checking:
        assert COMPARED in cell.metadata.tags, (
            f"the cell {cell.id} shows something beside its checks; split it"
        )
        assert cell.outputs


@pytest.mark.parametrize("name", CHAPTERS)
def test_it_is_text_and_holds_no_measured_value(name):
    text = json.dumps(read(name))
    assert "image/png" not in text and '"worst"' not in text


@pytest.mark.parametrize("path", PAPER, ids=lambda path: path.stem)
def test_a_reference_of_the_paper_profile_has_the_claims_of_the_quick_one(path):
    """Its bounds may be other ones; claims that have changed ask for a new run."""
    name = path.relative_to(PROJECT.paper_references).with_suffix("").as_posix()
    assert name in CHAPTERS, f"{path} belongs to no chapter; remove it"
    old, new = path.read_text(encoding="utf-8").splitlines(), check_lines(outputs_of(read(name)))
    claims = [sorted(map(claim_of, lines)) for lines in (old, new)]
    remedy = f"run {name} --profile paper, then references --profile paper; or remove {path}"
    assert claims[0] == claims[1], remedy


def test_ids_and_counts_do_not_depend_on_the_run():
    cell = nbformat.v4.new_code_cell("x = 1", id="c003", execution_count=41)
    injected = nbformat.v4.new_code_cell(
        "seed = 1", id="abc", metadata={"tags": ["injected-parameters"]}
    )
    made = reference(nbformat.v4.new_notebook(cells=[injected, cell]))
    assert [(cell.id, cell.execution_count) for cell in made.cells] == [
        ("injected-parameters", 1),
        ("c003", 2),
    ]
