"""Chapters keep to their anatomy, as far as a machine can tell."""

import re
from dataclasses import asdict

import pytest

from repcost_book.kernel.ledger import statements
from repcost_book.runner.chapters import chapters, code_cells
from repcost_book.runner.project import Project
from repcost_book.runner.sizes import Size, size

CHAPTERS = {chapter.name: chapter for chapter in chapters(Project.here())}
LONGEST_LINE = 86  # what fits the column of the page
# What is larger is two chapters.
LARGEST = Size(cells=12, lines=250, words=1800, folded_words=1200)


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
