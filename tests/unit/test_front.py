"""What the first page takes from the settings and from the chapter on `measure`."""

from typing import Any, NamedTuple

import nbformat
import pytest

from repcost_book.pages.front import MEASURED, report, run_it
from repcost_book.runner.project import REPOSITORY

ADDRESS = "repository: {url: https://github.com/someone/the-book}\n"


class Chapter(NamedTuple):
    name: str


@pytest.fixture
def settings(tmp_path):
    def write(text: str):
        (tmp_path / "_config.yml").write_text(f"title: A book\n{text}")
        return tmp_path

    return write


def test_the_commands_begin_with_where_the_book_is_kept(settings):
    assert f"git clone {REPOSITORY}\ncd repcost\nmake book\n" in run_it(settings(""))
    told = run_it(settings(ADDRESS))
    assert "git clone https://github.com/someone/the-book\ncd the-book\n" in told


def test_without_installing_it_runs_elsewhere_once_there_is_an_address(settings):
    assert "Without installing" not in run_it(settings(""))
    told = run_it(settings(ADDRESS))
    assert all(f"[{name}](https://" in told for name in ("Colab", "Binder", "Codespaces"))
    assert "gh-pages/_sources/book/start/welcome.ipynb" in told


def open_cell(printed: str):
    output = nbformat.v4.new_output("stream", text=printed)
    return nbformat.v4.new_code_cell("", outputs=[output], metadata={"tags": ["open"]})


def chapter(name: str, *cells) -> Any:
    return {Chapter(name): nbformat.v4.new_notebook(cells=list(cells))}


def test_a_report_is_what_the_first_open_cell_of_the_chapter_printed():
    cells = nbformat.v4.new_code_cell(""), open_cell("75\n"), open_cell("1")
    assert report(chapter(MEASURED, *cells)).endswith("```text\n75\n```\n")
    assert report(chapter("start/other", open_cell("75"))) == ""
