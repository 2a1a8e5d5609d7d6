"""What surrounds a page: who made the book, and, once it has an address, buttons that run it."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from sphinx.testing.util import SphinxTestApp

from repcost_book.pages.frame import READINGS, WELCOME
from repcost_book.pages.pdf import MARK, offer
from repcost_book.runner.project import REPOSITORY, Project

CHAPTER, HERE = "book/savarese-2019/cost", Project.here()
ADDRESS = "repository: {url: https://github.com/someone/the-book, branch: trunk}\n"
CFF = """authors: [{given-names: Ada, family-names: Lovelace}]
title: A book
version: 3.4.5
date-released: 2031-02-03
license: MIT
"""


def built(root: Path, address: str, text: str = "# A chapter") -> Project:
    """A first page, a chapter and the references, in the frame of the book."""
    for name in (WELCOME, CHAPTER, "book/start/references"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
    cells = [nbformat.v4.new_markdown_cell(text)]
    (root / f"{CHAPTER}.ipynb").write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)))
    (root / f"{WELCOME}.md").write_text(f"# A book\n\n```{{raw}} html\n{MARK}\n```\n")
    (root / "book/start/references.md").write_text("# References\n\n(citing)=\n## Citing\n")
    parts = [{"caption": "One", "chapters": [{"file": CHAPTER}]}]
    parts.append({"caption": "Back", "chapters": [{"file": "book/start/references"}]})
    (root / "_toc.yml").write_text(json.dumps({"root": WELCOME, "parts": parts}))
    (root / "_config.yml").write_text(f"title: A book\n{address}")
    (root / READINGS).write_text("{}")
    (root / "CITATION.cff").write_text(CFF)
    (root / "conf.py").write_text("")
    settings = {
        "extensions": ["myst_nb", "repcost_book.pages.frame"],
        "nb_execution_mode": "off",
        "html_sourcelink_suffix": "",
        "root_doc": WELCOME,
        "templates_path": [str(HERE.book / "_templates")],
    }
    app = SphinxTestApp("html", srcdir=root, builddir=root / "_build", confoverrides=settings)
    app.build()
    app.cleanup()
    return Project(root)


def footer(project: Project, name: str) -> str:
    page = (project.html / f"{name}.html").read_text(encoding="utf-8")
    return page.partition("<footer")[2]


def test_with_an_address_a_chapter_runs_elsewhere(tmp_path):
    project = built(tmp_path, ADDRESS)
    shown = footer(project, CHAPTER)
    ways = re.findall(r'class="repcost-launch" href="([^"]+)">Run in (\w+)<', shown)
    assert [name for _, name in ways] == ["Colab", "Binder", "Codespaces"]
    assert all("someone/the-book" in link for link, _ in ways)
    notebook = re.search(r"/gh-pages/(\S+)$", ways[0][0])
    assert notebook and (project.html / notebook[1]).is_file()
    assert 'href="https://github.com/someone/the-book/issues/new?' in shown
    page = (project.html / f"{CHAPTER}.html").read_text(encoding="utf-8")
    picture = re.search(r'<meta property="og:image" content="([^"]+)">', page)
    place = "https://raw.githubusercontent.com/someone/the-book/trunk/"
    assert picture and picture[1].startswith(place)
    assert (HERE.root / picture[1].removeprefix(place)).is_file()
    # A page without code has nothing to run.
    assert "repcost-launch" not in footer(project, WELCOME)


def test_without_one_there_are_no_buttons_and_reports_go_where_the_citation_says(tmp_path):
    project = built(tmp_path, "")
    shown = footer(project, CHAPTER)
    assert "repcost-launch" not in shown and f'href="{REPOSITORY}/issues/new?' in shown
    assert "og:image" not in (project.html / f"{CHAPTER}.html").read_text(encoding="utf-8")


def test_a_page_says_what_it_begins_with_to_those_who_see_a_link(tmp_path):
    said = "Which of two functions is cheaper? That depends on what is paid for."
    project = built(tmp_path, "", f"# A chapter\n\n{said}\n")
    page = (project.html / f"{CHAPTER}.html").read_text(encoding="utf-8")
    told = re.search(r'<meta name="description" content="([^"]*)">', page)
    assert told and told[1] == said
    assert '<meta property="og:title" content="A chapter">' in page
    first = (project.html / f"{WELCOME}.html").read_text(encoding="utf-8")
    assert 'rel="icon"' in page and "description" not in first, "it has no words"


def test_every_page_says_who_made_the_book(tmp_path):
    project = built(tmp_path, "")
    line = "Ada Lovelace. Version 3.4.5 of 2031-02-03. Text and figures CC BY 4.0, code MIT."
    for name in (WELCOME, CHAPTER):
        assert line in footer(project, name) and "references.html#citing" in footer(project, name)


@pytest.mark.parametrize("size", [3, 12])
def test_the_first_page_offers_the_pdf_that_was_built(tmp_path, size):
    project = built(tmp_path, ADDRESS)
    page = project.html / f"{WELCOME}.html"
    assert "book.pdf" not in page.read_text(encoding="utf-8")
    (project.html / "book.pdf").write_bytes(b"x" * (size * 10**6))
    offer(project)
    link = (
        f'<a href="../../book.pdf" data-pdf><b>On paper</b><span>The whole book as a PDF, {size} MB'
    )
    assert page.read_text(encoding="utf-8").count(link) == 1
