"""What a search looks through: pages, their sections, boxes, errata and names, each with its terms.

Sphinx's own index knows words and not what a place is about. `book/terms.yml` says that, and is the
index at the end of the book as well. The ranking is `book/_static/search.js`.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, cast

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from repcost_book.kernel.ledger import BEYOND, PAPERS, statements
from repcost_book.pages.plain import letters, line, name_references
from repcost_book.runner.files import write

# How long what is shown of a place may be.
SHOWN = 170
WORD = re.compile(r"[a-zà-ÿ][a-zà-ÿ0-9-]+")
# In many places, or of no use.
COMMON = frozenset(
    re.findall(
        r"\w+",
        "a also an and any are as at be because been but by can each first for from had has have "
        "if in into is it its more most no not of on one only or other our same so than that the "
        "their them then there these they this to two was we were what when where which while who "
        "why with",
    )
)


def terms(path: Path) -> dict[str, list[str]]:
    """Each term with its places, that which explains it first; none if there is no such file.

    A place is a page (`savarese-2019/cost`), a part of one (`start/welcome#run-it`), or the box of
    a statement (`#savarese-2019/theorem-3.1`).
    """
    found = _read(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {term: [at] if isinstance(at, str) else list(at) for term, at in found.items()}


# Every page asks.
@cache
def _read(text: str) -> dict[str, str | list[str]]:
    return yaml.safe_load(text) or {}


def address(place: str) -> str:
    """Where a place of `terms.yml` is: the page, and behind a # the part of it."""
    if not place.startswith("#"):
        return place
    statement = statements().get(place[1:])
    if statement is None or statement.chapter is None:
        raise ValueError(f"terms.yml: {place} is no statement of the ledger that has a chapter")
    return f"{statement.chapter}#{place[1:].replace('/', '-')}"


def by_address(found: Mapping[str, list[str]]) -> dict[str, list[list]]:
    """The terms of each place, with their rank among the places of that term."""
    at = defaultdict(list)
    for term, places in found.items():
        for rank, place in enumerate(places):
            at[address(place)].append([term, rank])
    return dict(at)


def entries(app: Sphinx) -> Iterator[dict]:
    """Everything that can be found, in the order of the pages."""
    of_place = by_address(terms(Path(app.srcdir, "book", "terms.yml")))
    for page in sorted(app.env.found_docs):
        doctree = name_references(app.env, app.env.get_doctree(page))
        for entry in _of_page(page.removeprefix("book/"), doctree):
            yield {**entry, "terms": of_place.get(entry["at"], [])}


def _of_page(page: str, doctree: nodes.document) -> Iterator[dict]:
    paper = PAPERS.get(PurePosixPath(page).parent.name, "")
    is_first = True
    places = doctree.findall(lambda node: _is_section(node) or _is_box(node))
    for node in cast(Iterator[nodes.Element], places):
        title = _title(node)
        if is_first:
            is_first = False
            yield _entry("page", page, title, paper, node)
        elif _is_box(node):
            yield _box(page, node)
        else:
            yield _entry(_kind(page, title), f"{page}#{_id(node)}", title, paper, node)


def _entry(kind: str, at: str, title: str, paper: str, node: nodes.Element) -> dict:
    found = {"kind": kind, "at": at, "title": title, "paper": paper, "says": said_of(node)}
    # Who looks for a name of the library knows it, or its first sentence.
    return {**found, "words": "" if kind == "name" else _words(node, title)}


def _box(page: str, node: nodes.Element) -> dict:
    id = node["ids"][0]
    known = {each.id.replace("/", "-"): each for each in statements().values()}
    if id not in known:
        return _entry("section", f"{page}#{id}", _title(node), "", node)
    found = known[id]
    paper = "not in the paper" if found.paper == BEYOND else found.source
    entry = _entry("box", f"{page}#{id}", found.number, paper, node)
    return {**entry, "says": _shortened(line(found.says))}


def _kind(page: str, title: str) -> str:
    if page == "start/errata" and title.startswith("Erratum "):
        return "erratum"
    return "name" if page == "start/library" else "section"


def _id(node: nodes.Element) -> str:
    # The first is what its permanent link has.
    return next(iter(node["ids"]), "")


def _is_section(node: nodes.Node) -> bool:
    return isinstance(node, nodes.section)


def _is_box(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Element) and "repcost-box" in node.get("classes", ())


def _title(node: nodes.Element) -> str:
    title = node.next_node(nodes.title)
    return text_of(title) if title else ""


def said_of(node: nodes.Element) -> str:
    """The beginning of the text of a place, not of what lies below it."""
    own = [child for child in node.children if not _is_section(child) and not _is_box(child)]
    for child in own:
        for paragraph in child.findall(nodes.paragraph):
            if len(said := text_of(paragraph)) > 40:
                return _shortened(said)
    return ""


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN].rpartition(" ")[0] + " …"


def _words(node: nodes.Element, title: str) -> str:
    """The words of a place, each once; those of sections and boxes in it are theirs."""
    inside = [child for child in node.children if not _is_section(child) and not _is_box(child)]
    found = dict.fromkeys(WORD.findall(" ".join(map(text_of, inside)).lower()))
    return " ".join(word for word in found if word not in COMMON and word not in title.lower())


def without_common_words(found: list[dict]) -> list[dict]:
    """The places without the words that a twentieth of them have: these lead nowhere.

    In titles and terms, which count for more, they stay.
    """
    most = max(1, len(found) // 20)
    counts = Counter(word for each in found for word in each["words"].split())
    return [
        {**each, "words": " ".join(w for w in each["words"].split() if counts[w] <= most)}
        for each in found
    ]


def text_of(node: Any) -> str:
    """The text of a node without code; of formulas the letters."""
    if isinstance(node, nodes.math | nodes.math_block):
        return letters(node.astext())
    if isinstance(node, nodes.Text):
        return node.astext()
    left_out = (nodes.literal_block, nodes.raw, nodes.comment, nodes.image)
    if isinstance(node, left_out) or "cell_input" in node.get("classes", ()):
        return ""
    between = "" if isinstance(node, nodes.TextElement) else " "
    return re.sub(r"\s+", " ", between.join(map(text_of, node.children)))


class IndexTerms(SphinxTransform):
    """Enter the terms of a page into the index at the end of the book."""

    # Before Sphinx collects what the index has (850).
    default_priority = 840

    def apply(self, **kwargs) -> None:
        path = Path(self.env.srcdir, "book", "terms.yml")
        self.env.note_dependency(str(path))
        page = self.env.docname.removeprefix("book/")
        own = [
            ("single", term, at.partition("#")[2], "main" if rank == 0 else "", None)
            for at, found in by_address(terms(path)).items()
            if at.partition("#")[0] == page
            for term, rank in found
        ]
        if own:
            self.document.insert(0, addnodes.index(entries=own))


def _finished(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        # What is empty is not written: this file is read before the first search.
        found = without_common_words(list(entries(app)))
        told = [{name: value for name, value in each.items() if value} for each in found]
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        write(Path(app.outdir, "_static", "search-index.js"), f"var PLACES = {text};\n")


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.add_transform(IndexTerms)
    app.connect("build-finished", _finished)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
