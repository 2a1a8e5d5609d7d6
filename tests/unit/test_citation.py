"""How the book is cited, from CITATION.cff alone."""

import pytest

from repcost import __version__
from repcost_book.pages.citation import Citation, citing_page
from repcost_book.runner.project import REPOSITORY, Project

CFF = """cff-version: 1.2.0
title: "A book: on costs"
authors:
  - {given-names: Ada, family-names: Lovelace}
  - name: The others
version: 3.4.5
date-released: 2031-02-03
license: BSD-3-Clause
repository-code: https://example.org/elsewhere
"""


@pytest.fixture
def cited(tmp_path):
    (tmp_path / "CITATION.cff").write_text(CFF)
    (tmp_path / "_config.yml").write_text(
        "title: A book\nrepository: {url: https://github.com/someone/the-book}\n"
    )
    return Citation.read(tmp_path)


def test_all_of_it_is_what_the_file_says(cited):
    page = citing_page(cited)
    assert "title  = {A book: on costs}," in page and "year   = {2031}," in page
    assert "author = {{Ada Lovelace and The others}}," in page
    assert "note   = {Version 3.4.5 of 2031-02-03}," in page
    assert "Text and figures CC BY 4.0, code BSD-3-Clause." in page


def test_the_address_is_the_configured_one(cited, tmp_path):
    assert cited.address == "https://github.com/someone/the-book"
    (tmp_path / "_config.yml").write_text("title: A book\n")
    assert Citation.read(tmp_path).address == REPOSITORY


def test_the_books_own():
    own = Citation.read(Project.here().root)
    assert own.version == __version__ and own.authors in own.line
