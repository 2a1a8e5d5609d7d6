"""The whole book as one document: every page in its order, behind a title and the contents.

Addresses of other pages become places of this one. An id belongs to its page, so each gets the name
of that page before it; the shapes of letters are the same everywhere and are kept once. Nothing
runs: what can be moved on a screen says in words what it shows.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import yaml

from repcost_book.pages.citation import Citation
from repcost_book.runner.chapters import listed
from repcost_book.runner.project import Project

MAIN = re.compile(r'<main id="main-content"[^>]*>(.*?)(?:<nav class="repcost-turn"|</main>)', re.S)
GLYPHS = re.compile(r'<svg class="repcost-glyphs".*?</svg>', re.S)
SCRIPT = re.compile(r"<script(?! type=\"application/json\").*?</script>", re.S)
FOR_SCREENS = re.compile(r'<source [^>]*>|<p class="repcost-below">.*?</p>')
# What is folded on a screen and read on paper; code stays folded.
READ = re.compile(r'<details class="repcost-fold (repcost-(?:proof|aside|solution))"')
# Between the name of a page and an id of it.
OF = "--"


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
    leaves = {name: _leaf(project.html, name, set(names)) for name in names}
    contents = "".join(
        _part(caption, [leaves[each] for each in own], numbers) for caption, own in parts
    )
    texts = [
        f'<article id="{leaf.id}" class="repcost-leaf {leaf.kind}">'
        f'<div class="repcost-text">{leaf.html}</div></article>'
        for leaf in leaves.values()
    ]
    shapes = _shapes(project.html, names)
    body = [
        _title(project),
        f'<nav class="repcost-contents"><h2>Contents</h2>{contents}</nav>',
        *texts,
    ]
    return HEAD.format(title=_book(project), looks=_looks(project)) + shapes + "\n".join(body)


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


def _leaf(site: Path, name: str, names: set[str]) -> Leaf:
    page = (site / f"{name}.html").read_text(encoding="utf-8")
    found = MAIN.search(page)
    if found is None:
        raise ValueError(f"{name}.html has no <main>; make the pages again, with make book")
    html = SCRIPT.sub("", GLYPHS.sub("", found[1]))
    html = html.replace("Needs JavaScript: ", "On the screen: ")
    html = FOR_SCREENS.sub("", html)
    html = READ.sub(r'<details open class="repcost-fold \1"', html)
    title = re.search(r"<h1[^>]*>(.*?)(?:<a class=\"headerlink|</h1>)", html, re.S)
    kind = re.search(r'<body class="([^"]*)"', page)
    text = _moved(html, name, names)
    return Leaf(name, title[1] if title else name, kind[1] if kind else "", text)


def _moved(html: str, name: str, names: set[str]) -> str:
    """Ids, and what leads to them, as they are called in the whole."""
    html = re.sub(r' id="(?!g[A-Z])([^"]+)"', rf' id="{_id(name)}{OF}\1"', html)
    folder = posixpath.dirname(name)
    attribute = re.compile(r' (href|src|for|aria-labelledby|aria-describedby)="([^"]*)"')
    return attribute.sub(lambda found: f' {found[1]}="{_there(found, name, folder, names)}"', html)


def _there(found: re.Match[str], name: str, folder: str, names: set[str]) -> str:
    kind, target = found[1], unescape(found[2])
    if kind in ("for", "aria-labelledby", "aria-describedby"):
        return f"{_id(name)}{OF}{target}"
    if target.startswith("#g") and target[2:3].isupper():
        return target
    if target.startswith("#"):
        return f"#{_id(name)}{OF}{target[1:]}"
    if ":" in target.partition("/")[0]:
        return found[2]
    path, _, part = target.partition("#")
    there = posixpath.normpath(posixpath.join(folder, path))
    page = there.partition("?")[0].removesuffix(".html")
    if page in names:
        return f"#{_id(page)}{OF}{part}" if part else f"#{_id(page)}"
    return there


def _id(name: str) -> str:
    return name.removeprefix("book/").replace("/", "-")


def _shapes(site: Path, names: Iterable[str]) -> str:
    """Each letter of a formula once."""
    pages = [(site / f"{name}.html").read_text(encoding="utf-8") for name in names]
    found = [shape for page in pages for block in GLYPHS.findall(page) for shape in _paths(block)]
    paths = "".join(dict.fromkeys(found))
    return f'<svg class="repcost-glyphs" aria-hidden="true"><defs>{paths}</defs></svg>'


def _paths(block: str) -> list[str]:
    return re.findall(r"<path [^>]*>(?:</path>)?", block)


def _looks(project: Project) -> str:
    """Every style sheet, as no page has more than some of them, in the order that pages have."""
    own = _settings(project).get("sphinx", {}).get("config", {}).get("html_css_files", [])
    static = project.html / "_static"
    sheets = [*(static / name for name in own), *sorted(static.glob("*-widget.css"))]
    # The last word is that of paper.
    sheets += [static / "widget-common.css", static / "look" / "whole.css"]
    names = [sheet.relative_to(project.html).as_posix() for sheet in sheets if sheet.is_file()]
    return "".join(f'<link rel="stylesheet" href="{name}">\n' for name in names)
