"""Chapters keep to their anatomy, as far as a machine can tell."""

import re

import pytest

from repcost_book.kernel.ledger import statements
from repcost_book.pages.merge import FOLDED
from repcost_book.runner.chapters import chapters, code_cells
from repcost_book.runner.project import Project

CHAPTERS = {chapter.name: chapter for chapter in chapters(Project.here())}
LONGEST_LINE = 86  # what fits the column of the page
MOST_CELLS = 14


@pytest.mark.parametrize("name", CHAPTERS)
def test_code_fits_the_column(name):
    lines = [
        line for cell in code_cells(CHAPTERS[name].notebook()) for line in cell.source.splitlines()
    ]
    assert [line for line in lines if len(line) > LONGEST_LINE] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_it_is_not_too_long(name):
    shown = [
        cell
        for cell in code_cells(CHAPTERS[name].notebook())
        if not set(cell.metadata.get("tags", [])) & set(FOLDED)
    ]
    assert len(shown) <= MOST_CELLS, "split the chapter"


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
