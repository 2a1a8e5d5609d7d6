"""What surrounds the text of a page: the way through the book, and no script that it does not need.

The frame itself is `book/_templates/layout.html`. The theme that Jupyter Book brings is asked for
nothing: its style sheets and scripts are 4 MB a page.
"""

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import yaml
from docutils import nodes
from sphinx.application import Sphinx

from repcost import __version__
from repcost_book.kernel.ledger import PARTS
from repcost_book.pages.citation import Citation
from repcost_book.pages.launch import home, preview, repository, ways
from repcost_book.pages.plain import name_references
from repcost_book.pages.search_index import said_of
from repcost_book.runner.chapters import listed

READINGS = "readings.json"
WELCOME, SEARCH = "book/start/welcome", "search"
# What the bar leads to at once.
SHORTCUTS = [
    ("book/start/map", "Map"),
    ("book/start/notation", "Notation"),
    ("book/start/ledger", "Ledger"),
    ("book/start/errata", "Errata"),
]
# Scripts of every page, and those of widgets, by the ends of their names.
OWN = ("book.js",)
# Of single pages.
OF_PAGE = {"book/start/map": ("map.js",), SEARCH: ("search-index.js", "search.js")}
OF_PAGE |= {f"book/start/{name}": ("filters.js",) for name in ("ledger", "notation")}
# Style sheets of single pages; all others are of every page.
LOOK_OF_PAGE = {
    "book/start/map": "map.css",
    WELCOME: "front.css",
    "book/start/errata": "errata.css",
}
OF_PAGE["book/start/errata"] = ("filters.js", "errata.js")
SCRIPTS_OF_WIDGETS = ("-widget.js", "widget-common.js", "widget-telling.js")
LOOK_OF_WIDGETS = ("-widget.css", "widget-common.css", "widget-telling.css")


@dataclass(frozen=True)
class Stop:
    """A page on the way: where it is, what it is called, and how many minutes it takes."""

    name: str
    title: str
    minutes: int = 0
    after: str = ""


@dataclass(frozen=True)
class Part:
    """The pages of a paper, or of the reference."""

    caption: str
    thread: str
    pages: tuple[Stop, ...]


def parts(contents: Path, readings: Path) -> list[Part]:
    """The parts of the book in their order; the titles of pages are still missing."""
    texts = (path.read_text(encoding="utf-8") for path in (contents, readings))
    return [*_parts(*texts)]


# Every page asks, and YAML takes its time.
@cache
def _parts(contents: str, readings: str) -> tuple[Part, ...]:
    read, found = json.loads(readings), yaml.safe_load(contents)["parts"]
    return tuple(_part(part["caption"], listed(yaml.safe_dump(part)), read) for part in found)


def _part(caption: str, names: list[str], read: dict[str, dict]) -> Part:
    stops = [_stop(name, read.get(name.removeprefix("book/"), {})) for name in names]
    return Part(caption, PurePosixPath(names[0]).parent.name, tuple(stops))


def _stop(name: str, reading: dict) -> Stop:
    needs = [f"book/{needed}" for needed in reading.get("prerequisites", [])]
    return Stop(name, "", reading.get("minutes", 0), needs[0] if needs else "")


def titled(part: Part, titles: dict) -> Part:
    """The part with the titles of its pages."""
    named = {name: title.astext() for name, title in titles.items()}
    stops = [
        replace(stop, title=named[stop.name], after=named.get(stop.after, ""))
        for stop in part.pages
    ]
    return replace(part, pages=tuple(stops))


def _frame(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """What the frame of this page shows."""
    folder = PurePosixPath(page).parent.name
    source = Path(app.srcdir)
    every = parts(source / "_toc.yml", source / READINGS)
    context["parts"] = [titled(part, app.env.titles) for part in every]
    # Other pages have no margin for the way.
    is_chapter = _is_chapter(app, page)
    own = (part for part in context["parts"] if page in [stop.name for stop in part.pages])
    context["here"] = next(own, None) if is_chapter else None
    context["thread"] = folder if folder in PARTS else "start"
    context["kind"] = "repcost-chapter" if is_chapter else _kind(page)
    context["shortcuts"] = [each for each in SHORTCUTS if each[0] in app.env.found_docs]
    context["report"] = _report(page, context.get("title", page), home(source))
    context["says"] = _says(app, page)
    context["about"] = Citation.read(source).line
    context["notebook"] = _notebook(app, page)
    place = repository(source / "_config.yml")
    context["launch"], context["preview"] = ways(place, context["notebook"]), preview(place)


def _says(app: Sphinx, page: str) -> str:
    """The beginning of a page in plain words, for those who see no more of it than a link."""
    if page not in app.env.found_docs:
        return ""
    section = name_references(app.env, app.env.get_doctree(page)).next_node(nodes.section)
    return said_of(section) if section else ""


def _report(page: str, title: str, home: str) -> str:
    """Where an error is told, with the page and the version filled in."""
    where = f"Page: {page} ({title}), version {__version__}"
    body = f"{where}\nStatement, if one is meant: \n\nWhat is wrong: "
    return f"{home}/issues/new?title={quote(f'Error on the page {page}')}&body={quote(body)}"


def _is_chapter(app: Sphinx, page: str) -> bool:
    # The other pages of these parts stand beside the chapters.
    is_beside = PurePosixPath(page).parent.name in PARTS
    return page != WELCOME and (is_beside or bool(_notebook(app, page)))


def _kind(page: str) -> str:
    if page == WELCOME:
        return "repcost-front"
    return "repcost-reference" + " repcost-notation" * (page == "book/start/notation")


def _notebook(app: Sphinx, page: str) -> str:
    source = app.env.doc2path(page, base=False) if page in app.env.found_docs else ""
    return f"_sources/{source}" if source.endswith(".ipynb") else ""


def _only_ours(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Leave out the style sheets and scripts of themes and extensions."""
    of_page = OF_PAGE.get(page, ())
    for script in of_page:
        app.add_js_file(script)
    wanted = (*OWN, *of_page, *SCRIPTS_OF_WIDGETS)
    kept = [script for script in context["script_files"] if _name(script).endswith(wanted)]
    # In place: the template holds on to these very lists.
    context["script_files"][:] = kept
    others = {f"/{css}" for of, css in LOOK_OF_PAGE.items() if of != page}
    own = [css for css in context["css_files"] if _is_ours(_name(css))]
    context["css_files"][:] = [css for css in own if not _name(css).endswith(tuple(others))]


def _name(file) -> str:
    return str(getattr(file, "filename", file) or "").partition("?")[0]


def _is_ours(name: str) -> bool:
    return "/look/" in name or name.endswith(LOOK_OF_WIDGETS)


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.connect("html-page-context", _frame)
    # Last, when all others have added theirs.
    app.connect("html-page-context", _only_ours, priority=950)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
