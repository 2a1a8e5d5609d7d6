from pathlib import Path
from typing import Any

import nbformat
import pytest

from repcost_book.kernel.outputs import METADATA_KEY
from repcost_book.pages.merge import _about_this_run, caption_in_cell
from repcost_book.pages.settled import settled
from repcost_book.pages.stage import mirror
from repcost_book.runner.files import write


def test_writing_the_same_keeps_the_time(tmp_path):
    path = tmp_path / "folder" / "a.txt"
    assert write(path, "one")
    before = path.stat().st_mtime_ns
    assert not write(path, "one")
    assert path.stat().st_mtime_ns == before
    assert write(path, "two") and path.read_text() == "two"
    assert [found.name for found in path.parent.iterdir()] == ["a.txt"]


def test_the_mirror_deletes_what_is_gone(tmp_path):
    mirror(tmp_path, {Path("a/one.md"): "1", Path("b/two.md"): "2"})
    mirror(tmp_path, {Path("b/two.md"): "2"})
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["b", "two.md"]


@pytest.fixture
def notebook():
    check = {METADATA_KEY: {"check": {"statement": "a/b", "claim": "c", "worst": 1e-13}}}
    drawing = {
        METADATA_KEY: {"figure": {"name": "fig-x", "caption": "A *caption*.", "alt": "At 3.14."}}
    }
    outputs = [
        nbformat.v4.new_output("display_data", {"text/plain": "x"}, metadata=data)
        for data in (check, drawing)
    ]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x", outputs=outputs)])


def test_marks_of_checks_are_found(notebook):
    (mark,) = settled("the/chapter", notebook)
    assert (mark.statement, mark.claim, mark.chapter) == ("a/b", "c", "the/chapter")


def test_captions_and_alternative_texts_reach_the_cell(notebook):
    (cell,) = notebook.cells
    caption_in_cell(cell)
    assert cell.metadata["mystnb"] == {
        "figure": {"caption": "A *caption*.", "name": "fig-x"},
        "image": {"alt": "At 3.14."},
    }


def test_the_line_under_a_title_has_what_a_reader_may_set():
    """And nothing of what else is known of a run."""
    known = {"profile": "quick", "seed": 0, "device": "cpu", "seconds": 2.0, "key": "0" * 16}
    known |= {"versions": {}, "sizes": {}, "machine": "a machine", "cpu_seconds": 1.0, "work": []}
    known |= {"parameters": {}, "commit": "", "results": {}, "needs_torch": True}
    about: Any = nbformat.from_dict(known)
    line = _about_this_run(about).source.splitlines()[0]
    assert line.endswith("} Quick profile, seed 0, device cpu, 2\N{NO-BREAK SPACE}s")
