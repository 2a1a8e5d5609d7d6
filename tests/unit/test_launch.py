"""Buttons that run a chapter elsewhere."""

import pytest

from repcost_book.pages.launch import Repository, repository, ways
from repcost_book.runner.project import Project

NOTEBOOK = "_sources/book/savarese-2019/cost.ipynb"
PLACE = Repository("someone", "the-book", "main", "gh-pages")


def settings(tmp_path, text: str):
    path = tmp_path / "_config.yml"
    path.write_text(f"title: A book\n{text}")
    return path


def test_there_are_none_before_the_repository_is_known(tmp_path):
    assert repository(settings(tmp_path, "")) is None
    assert ways(None, NOTEBOOK) == [] and ways(PLACE, "") == []


def test_what_is_configured_is_where_they_lead(tmp_path):
    text = "repository: {url: https://github.com/someone/the-book, branch: main}"
    assert repository(settings(tmp_path, text)) == PLACE
    colab, binder, codespaces = ways(PLACE, NOTEBOOK)
    at = "https://colab.research.google.com/github/someone/the-book/blob/gh-pages"
    assert colab.link == f"{at}/{NOTEBOOK}"
    assert binder.link.endswith("the-book/main?urlpath=lab%2Ftree%2Fbook%2Fsavarese-2019%2Fcost.md")
    assert codespaces.link == "https://codespaces.new/someone/the-book?ref=main"


@pytest.mark.parametrize("url", ["https://example.org/a/b", "github.com/a/b", ""])
def test_another_place_is_refused_with_the_form(tmp_path, url):
    with pytest.raises(ValueError, match=r"must be https://github\.com/OWNER/NAME"):
        repository(settings(tmp_path, f"repository: {{url: '{url}'}}"))


def test_the_settings_of_the_book_can_be_read():
    repository(Project.here().root / "_config.yml")
