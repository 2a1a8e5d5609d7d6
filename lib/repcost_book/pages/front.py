"""The first page: its drawing, three ways in, a card and a way of chapters for each paper.

What it says of running the book and of a report is taken from the settings and from a chapter.
"""

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

from nbformat import NotebookNode

from repcost_book.kernel.ledger import Statement
from repcost_book.pages.launch import home, repository, ways
from repcost_book.pages.papers import FOUR, Paper
from repcost_book.pages.pdf import MARK
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.project import Project
from repcost_book.runner.readings import Reading, readings

POINTS = [
    [-1.8, 0.12],
    [-1.4, 0.62],
    [-1.0, 0.7],
    [-0.6, 0.1],
    [-0.2, -0.46],
    [0.2, -0.3],
    [0.6, 0.3],
    [1.0, 0.72],
    [1.4, 0.4],
    [1.8, -0.06],
]
WORDS = (
    "Needs JavaScript: a drawing of ten points to move. The cheapest function through them is the "
    "linear spline; what it costs is the sum of its bends, 8.40."
)
WAYS = [
    ("../savarese-2019/rescaling.html", "Read", "{chapters} short chapters, to infinite depth"),
    ("#run-it", "Run", "Every figure and every check, in one command"),
    ("#price-your-own-network", "Price your network", "Two lines of Python for your model"),
]
# The chapter on `measure`, whose first open cell prints a report.
MEASURED = "start/your-network"


def hero(count: int) -> str:
    """The drawing and the ways in, as HTML."""
    state = escape(json.dumps({"points": POINTS, "isPaid": False, "layers": 2}), quote=True)
    drawing = (
        f'<div class="repcost-widget repcost-hero" data-repcost-widget="hero" '
        f'data-state="{state}"><p>{WORDS}</p></div>'
    )
    ways = "".join(
        f'<a href="{link}"><b>{name}</b><span>{said.format(chapters=count)}</span></a>'
        for link, name, said in WAYS
    )
    return _raw(f'{drawing}<nav class="repcost-ways" aria-label="Ways in">{ways}{MARK}</nav>')


def run_it(root: Path) -> str:
    """The commands from nothing to these pages; `root` has the settings."""
    address = home(root)
    folder = address.rpartition("/")[2]
    commands = f"```sh\ngit clone {address}\ncd {folder}\nmake book\nmake test\n```\n"
    elsewhere = ways(repository(root / "_config.yml"), "_sources/book/start/welcome.ipynb")
    links = ", ".join(f"[{way.name}]({way.link})" for way in elsewhere)
    return commands + (f"\nWithout installing anything: {links}.\n" if links else "")


def report(executed: Mapping[Chapter, NotebookNode]) -> str:
    """What `measure` said of a network in the chapter on it."""
    cells = [
        cell
        for chapter, notebook in executed.items()
        if chapter.name == MEASURED
        for cell in notebook.cells
        if "open" in cell.metadata.get("tags", [])
    ]
    printed = "".join(output.get("text", "") for cell in cells[:1] for output in cell.outputs)
    told = "Of a small convolutional network, trained on digits with weight decay, it says:"
    return f"{told}\n\n```text\n{printed.rstrip()}\n```\n" if printed else ""


def cards(project: Project, found: Iterable[Chapter], statements: Iterable[Statement]) -> str:
    """A card for each paper: question, answer, what is new here, errata, and its chapters."""
    known, titles = readings(project), {chapter.name: title_of(chapter) for chapter in found}
    of_paper = list(statements)
    articles = "".join(
        _card(
            id,
            paper,
            [each for each in of_paper if each.paper == id],
            {name: known[name] for name in titles if name.startswith(f"{id}/")},
            titles,
        )
        for id, paper in FOUR.items()
    )
    return _raw(f'<div class="repcost-threads">{articles}</div>')


def title_of(chapter: Chapter) -> str:
    """What a chapter is called: its first heading."""
    text = re.sub(r"```.*?```", "", chapter.source.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.search(r"^# (.*)$", text, re.MULTILINE)
    return found[1] if found else chapter.name


def _card(
    id: str, paper: Paper, statements: list[Statement], own: dict[str, Reading], titles: dict
) -> str:
    errata = sum(len(each.errata) for each in statements)
    minutes = sum(reading.minutes for reading in own.values())
    stops = "".join(_stop(name, reading, titles) for name, reading in own.items())
    return (
        f'<article class="repcost-paper-card thread-{id}"><div>'
        f'<p class="repcost-who">{paper.authors}, {paper.year}</p><h3>{paper.question}</h3>'
        f"<p>{paper.answer}</p>"
        f'<p class="repcost-new"><b>New here:</b> {paper.new}</p>'
        f'<p class="repcost-meta">{len(statements)} statements, '
        f'<a href="errata.html?paper={id}">{errata} errata</a>, '
        f'<a href="{paper.link}">arXiv {paper.arxiv}</a></p></div>'
        f"<details><summary>{len(own)} chapters, {minutes} minutes</summary>"
        f'<ol class="repcost-stations">{stops}</ol></details></article>'
    )


def _stop(name: str, reading: Reading, titles: dict[str, str]) -> str:
    after = ", after " + "; ".join(f"<em>{titles[each]}</em>" for each in reading.prerequisites)
    return (
        f'<li><a href="../{name}.html">{titles[name]}</a>'
        f"<small>{reading.minutes} min{after if reading.prerequisites else ''}</small></li>"
    )


def _raw(html: str) -> str:
    return f"````{{raw}} html\n{html}\n````\n"
