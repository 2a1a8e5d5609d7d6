"""Formulas are set while the pages are made: they are there with the first paint, nothing moves
afterwards, and a reader needs no script for them.

MathJax draws each formula once and gives its MathML beside, for tools that read aloud. The strokes
of letters are kept once a page, and formulas refer to them by name.
"""

import atexit
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

NAME = "set-at-build"
# What follows a formula without a space stays on its line.
PUNCTUATION = re.compile(r"[,.;:!?)\]’”]+")
# A formula of this width, in `ex`, may be wider than the screen of a phone.
PHONE = 36
# And one wider than this is wider than a box: it is set smaller, down to four fifths.
BOX, SMALLEST = 60, 0.8

logger = logging.getLogger(__name__)


class Formula(NamedTuple):
    """One formula, set: the strokes, and the MathML that says the same."""

    svg: str
    mathml: str

    @property
    def failed(self) -> bool:
        return "data-mjx-error" in self.mathml or "<merror" in self.mathml

    @property
    def width(self) -> float:
        """In `ex`, about half the size of the letters."""
        found = re.search(r'width="([\d.]+)ex"', self.svg)
        return float(found[1]) if found else 0.0

    def html(self, display: bool) -> str:
        # The frame hangs as low as its strokes, so that it may scroll and stay on its line.
        low = re.search(r' style="(vertical-align:[^"]*)"', self.svg)
        style = f' style="{low[1]}"' if low and not display else ""
        if display and self.width > BOX:
            style = f' style="font-size: {max(SMALLEST, 0.965 * BOX / self.width):.3f}em"'
        strokes = re.sub(r'<svg( style="[^"]*")?', '<svg aria-hidden="true"', self.svg, count=1)
        spoken = f"<mjx-assistive-mml>{self.mathml}</mjx-assistive-mml>"
        kind = ' display="true"' if display else ""
        # What may scroll must be reached by keys.
        reach = ' tabindex="0"' if display or self.width > PHONE else ""
        return f"<mjx-container{kind}{style}{reach}>{strokes}{spoken}</mjx-container>"


def mathematics(tex: str, display: bool = False) -> Formula:
    """The formula of this TeX; one that MathJax cannot read comes out as `failed`."""
    return _set(tex.strip(), display)


@cache
def _set(tex: str, display: bool) -> Formula:
    found = _mathjax().call("formula", tex, display)
    return Formula(_light(found["svg"]), _plain(found["mathml"]))


@cache
def _mathjax() -> Any:
    # The engine takes a second to load, and most commands make no pages.
    from py_mini_racer import MiniRacer

    engine = MiniRacer()
    # Left to the end of Python, it would wait for its own thread for ever.
    atexit.register(engine.close)
    script = files("repcost_book.pages").joinpath("mathjax/formulas.js")
    engine.eval(script.read_text(encoding="utf-8"))
    return engine


# Attributes for MathJax in a browser, which is not there.
IDLE = r"data-mml-node|data-c|data-mjx-texclass|xmlns|xmlns:xlink|focusable|role|jax|class"


def _light(svg: str) -> str:
    """The same strokes in half as many letters."""
    svg = re.sub(rf' (?:{IDLE})="[^"]*"', "", svg)
    svg = re.sub(r'xlink:href="#MJX-(?:\d+-)?TEX-', 'href="#g', svg)
    svg = re.sub(r"(<(?:use|path|rect)[^>]*)></(?:use|path|rect)>", r"\1/>", svg)
    before = ""
    # A group without a transform holds nothing together.
    while svg != before:
        before, svg = svg, re.sub(r"<g>((?:<use[^>]*/>)?)</g>", r"\1", svg)
    return svg


def _plain(mathml: str) -> str:
    mathml = re.sub(r"<!--.*?-->|\n\s*", "", mathml)
    return re.sub(r' (?:xmlns|class|id|data-(?!mjx-error)[\w-]+)="[^"]*"', "", mathml)


def glyphs_for(*parts: str) -> str:
    """A hidden drawing with the shapes that the formulas in these parts of a page refer to."""
    used = dict.fromkeys(re.findall(r'<use href="#g([^"]+)"', "".join(parts)))
    if not used:
        return ""
    shapes = _glyphs()
    paths = "".join(f'<path id="g{name}" d="{shapes[name]}"/>' for name in used)
    return f'<svg class="repcost-glyphs" aria-hidden="true"><defs>{paths}</defs></svg>'


def _glyphs() -> dict[str, str]:
    paths = re.findall(r"<path [^>]*>", _mathjax().call("glyphs"))
    return {_attribute(path, "id").partition("TEX-")[2]: _attribute(path, "d") for path in paths}


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return found[1] if found else ""


# In Sphinx


def _visit(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(_html(node, node.astext(), display=False))
    raise nodes.SkipNode


def _visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    tex = node.astext() if node.get("nowrap") else _aligned(node.astext())
    self.body.append(_html(node, tex, display=True) + "</div>\n")
    raise nodes.SkipNode


def _html(node: nodes.Element, tex: str, display: bool) -> str:
    formula = mathematics(tex, display)
    if formula.failed:
        logger.warning("this formula cannot be set: %s", tex, location=node)
    return formula.html(display)


def _aligned(tex: str) -> str:
    r"""Lines that `\\` divides stand below one another at their `&`."""
    return rf"\begin{{split}}{tex}\end{{split}}" if r"\\" in tex and r"\begin" not in tex else tex


def keep_punctuation(app: Sphinx | None, doctree: nodes.Element) -> None:
    """A comma or a bracket that follows a formula never begins a line."""
    for formula in list(doctree.findall(nodes.math)):
        following = formula.next_node(descend=False, siblings=True)
        if not isinstance(following, nodes.Text):
            continue
        if found := PUNCTUATION.match(following.astext()):
            _join(formula, following, found[0])


def _join(formula: nodes.math, following: nodes.Text, signs: str) -> None:
    together = nodes.inline("", "", classes=["repcost-together"])
    parent = formula.parent
    parent.replace(following, nodes.Text(following.astext()[len(signs) :]))
    parent.replace(formula, together)
    together += [formula, nodes.Text(signs)]


def add_glyphs(app: Sphinx | None, page: str, template: str, context: dict, doctree: Any) -> None:
    """Put before the text the shapes that its formulas refer to."""
    body = context.get("body", "")
    context["body"] = glyphs_for(body, context.get("title", ""), context.get("toc", "")) + body


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.add_html_math_renderer(NAME, (_visit, None), (_visit_block, None))
    app.connect("doctree-read", keep_punctuation)
    app.connect("html-page-context", add_glyphs)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
