"""The whole book as one PDF: of a small book, whose pages are as tall as the test says."""

import json
import os
import re

import pytest

from repcost_book.pages.pdf import (
    MARK,
    PrintingFailed,
    chromium,
    first_pages,
    make_pdf,
    offer,
    withdraw,
)
from repcost_book.pages.whole import whole
from repcost_book.runner.project import Project

# Each page has short names of its own for the letters: the second here is the first of the last.
GLYPH = (
    '<svg class="repcost-glyphs"><defs><path id="g0" d="{0}"/><path id="g1" d="{1}"/></defs></svg>'
)
DRAWN = {"book/start/welcome": "xy", "book/papers/long": "xz", "book/papers/last": "yx"}
LONG = "check-" + "a-very-long-claim-" * 8
PAGE = """<html><body class="thread-papers repcost-chapter">
<main id="main-content" class="repcost-text">
<script>kernelName = 'python3'</script>{glyph}
<section id="own"><h1>{title}<a class="headerlink" href="#own">#</a></h1>
<div style="height: {tall}mm">{text}</div></section>
<nav class="repcost-turn"><a href="b.html">Next</a></nav></main></body></html>"""
# The text of A4 is 255 mm tall here; each begins on a page of its own, behind title and contents.
TALL = {"book/start/welcome": 100, "book/papers/long": 600, "book/papers/last": 100}
BEGINS = {"start-welcome": 3, "papers-long": 4, "papers-last": 7}
TEXT = (
    f'{MARK}<a href="../papers/last.html#own">last</a> <a href="https://example.org/x">far</a>'
    '<details class="repcost-fold repcost-proof"><summary>Proof</summary><p>It is.</p></details>'
    f'<p id="{LONG}">Long</p><a href="../papers/last.html#{LONG}">there</a>'
    '<use href="#g0"/><use href="#g1"/><img src="../../_images/a.png" alt="A picture">'
)


@pytest.fixture
def project(tmp_path) -> Project:
    parts = [{"caption": "Papers", "chapters": [{"file": name} for name in list(TALL)[1:]]}]
    contents = {"format": "jb-book", "root": "book/start/welcome", "parts": parts}
    (tmp_path / "_toc.yml").write_text(json.dumps(contents))
    settings = {"config": {"html_css_files": ["look/text.css", "look/cards.css"]}}
    told = {"title": "A small book", "sphinx": settings}
    (tmp_path / "_config.yml").write_text(json.dumps(told))
    (tmp_path / "CITATION.cff").write_text((Project.here().root / "CITATION.cff").read_text())
    project = Project(tmp_path)
    look = project.html / "_static" / "look"
    look.mkdir(parents=True)
    for name in ("text.css", "cards.css", "whole.css"):
        (look / name).write_text((Project.here().book / "_static/look" / name).read_text())
    for name, tall in TALL.items():
        page = project.html / f"{name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        said = {"title": name, "tall": tall, "text": TEXT, "glyph": GLYPH.format(*DRAWN[name])}
        page.write_text(PAGE.format(**said))
    return project


def test_addresses_of_pages_are_places_of_the_whole(project):
    html = whole(project, {})
    assert 'href="#papers-last--own">last' in html and 'id="papers-last--own"' in html
    assert 'href="https://example.org/x"' in html
    assert 'src="_images/a.png"' in html
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids)), "an id twice"
    inside = re.findall(r' href="#([^"]+)"', html)
    assert set(inside) <= set(ids) and len(inside) > 6


def test_looks_come_in_the_order_of_the_pages_and_that_of_paper_last(project):
    links = re.findall(r'<link rel="stylesheet" href="_static/([^"]+)">', whole(project, {}))
    assert links == ["look/text.css", "look/cards.css", "look/whole.css"]


def test_each_page_keeps_the_kind_by_which_it_has_its_look(project):
    html = whole(project, {})
    leaf = 'class="repcost-leaf thread-papers repcost-chapter"><div class="repcost-text">'
    assert html.count(leaf) == len(TALL)


def test_proofs_are_open_and_what_turns_pages_is_left_out(project):
    html = whole(project, {})
    assert html.count("<details open") == len(TALL)
    assert "repcost-turn" not in html and "kernelName" not in html
    assert html.count("repcost-glyphs") == 1


def test_each_letter_is_drawn_once_and_every_page_uses_its_own(project):
    html = whole(project, {})
    drawn = dict(re.findall(r'<path id="([^"]+)" d="([^"]+)"', html))
    assert sorted(drawn.values()) == ["x", "y", "z"]
    used = [drawn[name] for name in re.findall(r'<use href="#([^"]+)"', html)]
    assert "".join(used) == "".join(DRAWN.values())


def test_no_name_is_longer_than_a_pdf_allows(project):
    ids = re.findall(r' id="([^"]+)"', whole(project, {}))
    assert max(map(len, ids)) < 128 and len(ids) == len(set(ids))
    assert sum("a-very-long-claim" in id for id in ids) == len(TALL)


def test_a_page_that_is_not_made_is_named(project):
    (project.html / "book/papers/long.html").write_text("<html></html>")
    with pytest.raises(ValueError, match=r"book/papers/long\.html has no <main>"):
        whole(project, {})


@pytest.fixture
def browser() -> str:
    found = chromium()
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium here: apt-get install chromium")
        pytest.skip("no Chromium here: apt-get install chromium")
    return found


def test_the_contents_have_the_pages_on_which_chapters_begin(project, browser, monkeypatch):
    documents = []
    monkeypatch.setattr(
        "repcost_book.pages.pdf.whole",
        lambda *given: documents.append(whole(*given)) or documents[-1],
    )
    book = make_pdf(project, browser)
    numbers = first_pages(book.read_bytes())
    assert {name: numbers[name] for name in BEGINS} == BEGINS
    told = re.findall(r'<li><a href="#([^"]+)"><span>.*?</span><span>(\d+)<', documents[-1])
    assert {name: int(number) for name, number in told} == BEGINS
    assert "<span>0<" in documents[0], "before the first time nobody knows"
    assert not (project.html / "whole.html").exists()


def test_the_first_page_offers_what_there_is_and_nothing_else(project):
    page = project.html / "book/start/welcome.html"
    before = page.read_text()
    (project.html / "book.pdf").write_bytes(3_000_000 * b" ")
    offer(project)
    offer(project)
    assert page.read_text().count('href="../../book.pdf"') == 1 and "3 MB" in page.read_text()
    withdraw(project)
    assert page.read_text() == before and not (project.html / "book.pdf").exists()


def test_what_is_no_book_is_refused(project):
    with pytest.raises(PrintingFailed, match="no tree of pages"):
        first_pages(b"%PDF-1.4\n")
    with pytest.raises(PrintingFailed, match="printed nothing"):
        make_pdf(project, "/bin/false")
