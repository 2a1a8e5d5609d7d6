"""The whole book as one document: every page in its order, behind a title and the contents.

Addresses of other pages become places of this one. An id belongs to its page, so each gets the name
of that page before it. The shapes of letters have short names, which mean another letter on each
page; here each shape is kept once, under a name of its own. Nothing runs: what can be moved on a
screen says in words what it shows.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from zlib import crc32

import yaml

from repcost_book.pages.citation import Citation
from repcost_book.runner.chapters import listed
from repcost_book.runner.project import Project

MAIN = re.compile(r'<main id="main-content"[^>]*>(.*?)(?:<nav class="repcost-turn"|</main>)', re.S)
GLYPHS = re.compile(r'<svg class="repcost-glyphs".*?</svg>', re.S)
SHAPE = re.compile(r'<path id="([^"]+)" d="([^"]*)"')
USE = re.compile(r'(?<=<use href="#)[^"]+')
SCRIPT = re.compile(r"<script(?! type=\"application/json\").*?</script>", re.S)
FOR_SCREENS = re.compile(r'<source [^>]*>|<p class="repcost-below">.*?</p>')
# What is folded on a screen and read on paper; code stays folded.
READ = re.compile(r'<details class="repcost-fold (repcost-(?:proof|aside|solution))"')
# Between the name of a page and an id of it; before the number of a shape.
OF, LETTER = "--", "letter-"
# A name in a PDF has at most 127 letters.
LONGEST = 120


# How the letters of formulas are drawn, and what each is called in the whole.
Shapes = dict[str, str]


@dataclass(frozen=True)
class Leaf:
    """A page of the book: its name, its title, its text with addresses of the whole.

    kind: the classes of its body, by which it has its look.
    """

    name: str
    title: str
    kind: str
    html: str

    @property
    def id(self) -> str:
        return _id(self.name)


def whole(project: Project, numbers: Mapping[str, int]) -> str:
    """The document as HTML; `numbers` has the page on which each id begins, as far as known."""
    parts = _parts(project)
    names = [name for _, names in parts for name in names]
    shapes: Shapes = {}
    leaves = {name: _leaf(project.html, name, set(names), shapes) for name in names}
    contents = "".join(
        _part(caption, [leaves[each] for each in own], numbers) for caption, own in parts
    )
    texts = [
        f'<article id="{leaf.id}" class="repcost-leaf {leaf.kind}">'
        f'<div class="repcost-text">{leaf.html}</div></article>'
        for leaf in leaves.values()
    ]
    body = [
        _title(project),
        f'<nav class="repcost-contents"><h2>Contents</h2>{contents}</nav>',
        *texts,
    ]
    head = HEAD.format(title=_book(project), looks=_looks(project))
    return head + _drawn_once(shapes) + "\n".join(body)


HEAD = """<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{title}</title>
{looks}</head><body class="repcost-whole"><main class="repcost-text">
"""


def root(project: Project) -> str:
    """The name of the first page."""
    return yaml.safe_load(project.contents.read_text(encoding="utf-8"))["root"]


def _parts(project: Project) -> list[tuple[str, list[str]]]:
    """The first page by itself, then the pages of each part."""
    text = project.contents.read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    parts = [("", [found["root"]])]
    for part in found.get("parts", [{"caption": "", "chapters": found.get("chapters", [])}]):
        parts.append((part["caption"], listed(yaml.safe_dump(part))))
    return parts


def _book(project: Project) -> str:
    return _settings(project)["title"]


def _settings(project: Project) -> dict:
    return yaml.safe_load((project.root / "_config.yml").read_text(encoding="utf-8"))


def _title(project: Project) -> str:
    citation = Citation.read(project.root)
    return (
        '<section class="repcost-title"><h1>What a ReLU network pays</h1>'
        "<p>Four papers, every statement beside a check that could have failed</p>"
        f"<p>{citation.line}</p>"
        f'<p><a href="{citation.address}">{citation.address}</a></p></section>'
    )


def _part(caption: str, leaves: Iterable[Leaf], numbers: Mapping[str, int]) -> str:
    lines = "".join(
        f'<li><a href="#{leaf.id}"><span>{leaf.title}</span>'
        f"<span>{numbers.get(leaf.id, 0)}</span></a></li>"
        for leaf in leaves
    )
    return f"{f'<h3>{caption}</h3>' if caption else ''}<ol>{lines}</ol>"


def _leaf(site: Path, name: str, names: set[str], shapes: Shapes) -> Leaf:
    page = (site / f"{name}.html").read_text(encoding="utf-8")
    found = MAIN.search(page)
    if found is None:
        raise ValueError(f"{name}.html has no <main>; make the pages again, with make book")
    html = SCRIPT.sub("", GLYPHS.sub("", _lettered(found[1], page, shapes)))
    html = html.replace("Needs JavaScript: ", "On the screen: ")
    html = FOR_SCREENS.sub("", html)
    html = READ.sub(r'<details open class="repcost-fold \1"', html)
    title = re.search(r"<h1[^>]*>(.*?)(?:<a class=\"headerlink|</h1>)", html, re.S)
    kind = re.search(r'<body class="([^"]*)"', page)
    text = _moved(html, name, names)
    return Leaf(name, title[1] if title else name, kind[1] if kind else "", text)


def _lettered(html: str, page: str, shapes: Shapes) -> str:
    """The formulas of a page with the letters of the whole, which are noted."""
    own = {
        name: shapes.setdefault(drawn, f"{LETTER}{len(shapes):x}")
        for block in GLYPHS.findall(page)
        for name, drawn in SHAPE.findall(block)
    }
    return USE.sub(lambda use: own[use[0]], html)


def _drawn_once(shapes: Shapes) -> str:
    paths = "".join(f'<path id="{name}" d="{drawn}"/>' for drawn, name in shapes.items())
    return f'<svg class="repcost-glyphs" aria-hidden="true"><defs>{paths}</defs></svg>'


def _moved(html: str, name: str, names: set[str]) -> str:
    """Ids, and what leads to them, as they are called in the whole."""
    html = re.sub(r' id="([^"]+)"', lambda own: f' id="{_place(name, own[1])}"', html)
    folder = posixpath.dirname(name)
    attribute = re.compile(r' (href|src|for|aria-labelledby|aria-describedby)="([^"]*)"')
    return attribute.sub(lambda found: f' {found[1]}="{_there(found, name, folder, names)}"', html)


def _there(found: re.Match[str], name: str, folder: str, names: set[str]) -> str:
    kind, target = found[1], unescape(found[2])
    if kind in ("for", "aria-labelledby", "aria-describedby"):
        return _place(name, target)
    if target.startswith(f"#{LETTER}"):
        return target
    if target.startswith("#"):
        return f"#{_place(name, target[1:])}"
    if ":" in target.partition("/")[0]:
        return found[2]
    path, _, part = target.partition("#")
    there = posixpath.normpath(posixpath.join(folder, path))
    page = there.partition("?")[0].removesuffix(".html")
    if page in names:
        return f"#{_place(page, part)}" if part else f"#{_id(page)}"
    return there


def _id(name: str) -> str:
    return name.removeprefix("book/").replace("/", "-")


def _place(page: str, id: str) -> str:
    """What an id of a page is called in the whole: with its end in short, if it is very long."""
    place = f"{_id(page)}{OF}{id}"
    return place if len(place) <= LONGEST else f"{place[: LONGEST - 9]}-{crc32(place.encode()):08x}"


def _looks(project: Project) -> str:
    """Every style sheet, as no page has more than some of them, in the order that pages have."""
    own = _settings(project).get("sphinx", {}).get("config", {}).get("html_css_files", [])
    static = project.html / "_static"
    sheets = [*(static / name for name in own), *sorted(static.glob("*-widget.css"))]
    # The last word is that of paper.
    sheets += [static / "widget-common.css", static / "look" / "whole.css"]
    names = [sheet.relative_to(project.html).as_posix() for sheet in sheets if sheet.is_file()]
    return "".join(f'<link rel="stylesheet" href="{name}">\n' for name in names)
