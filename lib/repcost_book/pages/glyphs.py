"""The strokes of letters, once a page, and under short names.

Formulas (`formulas`) refer to letters by the names that MathJax gives them. A page gets the letters
that its formulas need, before its text.
"""

import re
import string
from collections import Counter
from functools import cache
from typing import Any

from sphinx.application import Sphinx

from repcost_book.pages.formulas import mathjax

LETTERS = string.digits + string.ascii_letters
# What of a page may have formulas.
PARTS = ("body", "title", "toc")


def glyphs_for(*parts: str) -> str:
    """A hidden drawing with the shapes that the formulas in these parts of a page refer to."""
    used = dict.fromkeys(re.findall(r'<use href="#g([^"]+)"', "".join(parts)))
    if not used:
        return ""
    shapes = _glyphs()
    paths = "".join(f'<path id="g{name}" d="{shapes[name]}"/>' for name in used)
    return f'<svg class="repcost-glyphs" aria-hidden="true"><defs>{paths}</defs></svg>'


def shortened(glyphs: str, *parts: str) -> list[str]:
    """The same with names of a letter or two, which a page of formulas has by the thousand.

    >>> shortened('<path id="gI-1D465" d="m0"/>', '<use href="#gI-1D465"/>')
    ['<path id="g0" d="m0"/>', '<use href="#g0"/>']
    """
    used = Counter(re.findall(r'<use href="#([^"]+)"', "".join(parts)))
    names = sorted(re.findall(r'<path id="([^"]+)"', glyphs), key=lambda name: -used[name])
    short = {name: f"g{_letters(n)}" for n, name in enumerate(names)}
    found = [re.sub(r'(?<=<path id=")[^"]+', lambda name: short[name[0]], glyphs)]
    for part in parts:
        found.append(re.sub(r'(?<=<use href="#)[^"]+', lambda name: short[name[0]], part))
    return found


def _letters(number: int) -> str:
    """The first 62 of them are one letter or digit."""
    more, last = divmod(number, len(LETTERS))
    return (_letters(more - 1) if more else "") + LETTERS[last]


def _glyphs() -> dict[str, str]:
    paths = re.findall(r"<path [^>]*>", mathjax().call("glyphs"))
    names = [_attribute(path, "id").partition("TEX-")[2] for path in paths]
    return {name: _steps(_attribute(path, "d")) for name, path in zip(names, paths, strict=True)}


@cache
def _steps(path: str) -> str:
    """The same path by differences instead of places, whose numbers are shorter."""
    at, start, told = [0, 0], [0, 0], []
    for kind, inside in re.findall(r"([MLHVQTZ])([^MLHVQTZ]*)", path):
        numbers = [int(number) for number in re.findall(r"-?\d+", inside)]
        axes = {"H": [0], "V": [1]}.get(kind, [0, 1] * (len(numbers) // 2))
        steps = [number - at[axis] for number, axis in zip(numbers, axes, strict=True)]
        told.append(kind.lower() + " ".join(map(str, steps)).replace(" -", "-"))
        for number, axis in list(zip(numbers, axes, strict=True))[-2:]:
            at[axis] = number
        start = [*at] if kind == "M" else start
        at = [*start] if kind == "Z" else at
    return "".join(told)


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return found[1] if found else ""


# In Sphinx


def add_glyphs(app: Sphinx | None, page: str, template: str, context: dict, doctree: Any) -> None:
    """Put before the text the shapes that its formulas refer to."""
    parts = [context.get(part) or "" for part in PARTS]
    glyphs, *parts = shortened(glyphs_for(*parts), *parts)
    context.update({part: text for part, text in zip(PARTS, parts, strict=True) if text})
    context["body"] = glyphs + context.get("body", "")


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.connect("html-page-context", add_glyphs)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
