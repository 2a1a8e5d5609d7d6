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

    def html(self, display: bool, symbols: str = "") -> str:
        # The frame hangs as low as its strokes, so that it may scroll and stay on its line.
        low = re.search(r' style="(vertical-align:[^"]*)"', self.svg)
        style = (
            f' style="{low[1]}"'.replace(": ", ":").replace(";", "") if low and not display else ""
        )
        if display and self.width > BOX:
            style = f' style="font-size: {max(SMALLEST, 0.965 * BOX / self.width):.3f}em"'
        strokes = re.sub(r'<svg( style="[^"]*")?', '<svg aria-hidden="true"', self.svg, count=1)
        kind = ' display="true"' if display else ""
        # What may scroll must be reached by keys.
        reach = ' tabindex="0"' if display or self.width > PHONE else ""
        if symbols:
            reach += f' data-symbols="{symbols}"'
        return f"<mjx-container{kind}{style}{reach}>{strokes}{self.mathml}</mjx-container>"


def mathematics(tex: str, display: bool = False) -> Formula:
    """The formula of this TeX; one that MathJax cannot read comes out as `failed`."""
    return _set(tex.strip(), display)


@cache
def _set(tex: str, display: bool) -> Formula:
    found = mathjax().call("formula", tex, display)
    return Formula(_light(found["svg"]), _plain(found["mathml"]))


@cache
def mathjax() -> Any:
    # The engine takes a second to load, and most commands make no pages.
    from py_mini_racer import MiniRacer

    engine = MiniRacer()
    # Left to the end of Python, it would wait for its own thread for ever.
    atexit.register(engine.close)
    script = files("repcost_book.pages").joinpath("mathjax/formulas.js")
    engine.eval(script.read_text(encoding="utf-8"))
    return engine


# Attributes for MathJax in a browser, which is not there.
UNSEEN = (
    "xmlns|class|id|mathvariant|fence|stretchy|symmetric|minsize|maxsize|lspace|rspace|displaystyle"
)
IDLE = r"data-mml-node|data-c|data-mjx-texclass|xmlns|xmlns:xlink|focusable|role|jax|class"
# The group that the style sheet turns over, as axes point upward in it; it must stay.
UPWARD = "<G>"
EMPTY = re.compile(r'<g>((?:<use[^>]*/>)*)</g>|<g transform="[^"]*"></g>')
SHIFTED = re.compile(r'(<use href="[^"]*") transform="translate\(([-\d]+)(?:,([-\d]+))?\)"/>')
MOVED = re.compile(
    r'<g transform="translate\(([-\d]+)(?:,([-\d]+))?\)( scale\([.\d]+\))?">'
    r'(<use href="[^"]*")/></g>'
)
# A group of letters that are only moved together, and one of its letters.
TOGETHER = re.compile(r'<g transform="translate\(([-\d]+)(?:,([-\d]+))?\)">((?:<use [^>]*/>)+)</g>')
LETTER = re.compile(
    r'(<use href="[^"]*")(?: transform="translate\(([-\d]+)(?:,([-\d]+))?\)( scale\([.\d]+\))?")?'
    r'(?: x="([-\d]+)")?(?: y="([-\d]+)")?/>'
)


def _light(svg: str) -> str:
    """The same strokes in a third of the letters; colours and the upward axis are in `text.css`."""
    svg = re.sub(rf' (?:{IDLE})="[^"]*"', "", svg)
    svg = re.sub(r' (?:stroke|fill|stroke-width)="(?:currentColor|0)"', "", svg)
    svg = re.sub(r'xlink:href="#MJX-(?:\d+-)?TEX-', 'href="#g', svg)
    svg = re.sub(r"(<(?:use|path|rect)[^>]*)></(?:use|path|rect)>", r"\1/>", svg)
    # In thousandths of the size of the letters.
    svg = re.sub(r"translate\(([-\d.]+)[ ,]([-\d.]+)\)", _rounded, svg)
    svg = svg.replace(" translate(0,0)", "").replace('<g transform="scale(1,-1)">', UPWARD, 1)
    svg = re.sub(
        r'viewBox="[^"]*"', lambda found: re.sub(r"[\d.]+", _whole, found[0]), svg, count=1
    )
    svg = svg.replace("scale(0.", "scale(.").replace(",0)", ")")
    # It follows from the width and the frame.
    svg = re.sub(r' height="[^"]*ex"', "", svg, count=1)
    before = ""
    # A group that holds nothing together, or only moves one letter.
    while svg != before:
        before, svg = svg, EMPTY.sub(r"\1", svg)
        svg = TOGETHER.sub(_apart, MOVED.sub(_at, svg))
    svg = SHIFTED.sub(lambda found: _placed(found[1], found[2], found[3]), svg)
    # All that is left in the group that is turned over may be one group, of the whole formula.
    if f"{UPWARD}<g>" in svg:
        svg = svg.replace(f"{UPWARD}<g>", "<g>").replace("</g></g></svg>", "</g></svg>")
    # A hundredth of the height of a letter is less than a pixel.
    svg = re.sub(r"(\.\d\d)\d+ex", r"\1ex", svg).replace("-0.", "-.")
    return svg.replace(UPWARD, "<g>").replace(") scale(", ")scale(")


def _whole(found: re.Match[str]) -> str:
    return str(round(float(found[0])))


def _rounded(found: re.Match[str]) -> str:
    return f"translate({round(float(found[1]))},{round(float(found[2]))})"


def _at(found: re.Match[str]) -> str:
    x, y, scale, letter = found.groups(default="")
    return _placed(letter, x, y, scale)


def _apart(found: re.Match[str]) -> str:
    """Each letter of the group where it was, by itself."""
    right, up = int(found[1]), int(found[2] or 0)

    def moved(letter: re.Match[str]) -> str:
        use, a, b, scale, x, y = letter.groups(default="")
        return _placed(use, str(right + int(a or x or 0)), str(up + int(b or y or 0)), scale)

    whole = LETTER.sub(moved, found[3])
    # A letter that is scaled and not moved, say, is not like this.
    return whole if len(LETTER.findall(found[3])) == found[3].count("<use") else found[0]


def _placed(letter: str, x: str, y: str | None, scale: str = "") -> str:
    if scale:
        up = f",{y}" if y and y != "0" else ""
        return f'{letter} transform="translate({x}{up}){scale}"/>'
    places = [
        f' {axis}="{place}"' for axis, place in (("x", x), ("y", y)) if place and place != "0"
    ]
    return f"{letter}{''.join(places)}/>"


def _plain(mathml: str) -> str:
    mathml = re.sub(r"<!--.*?-->|\n\s*", "", mathml)
    mathml = re.sub(r"&#x(\w{3,});", lambda found: chr(int(found[1], 16)), mathml)
    # How far brackets stretch is for the eye.
    return re.sub(rf' (?:{UNSEEN}|data-(?!mjx-error)[\w-]+)="[^"]*"', "", mathml)


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
    return formula.html(display, node.get("symbols", ""))


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


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.add_html_math_renderer(NAME, (_visit, None), (_visit_block, None))
    app.connect("doctree-read", keep_punctuation)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
