"""One line of Markdown as HTML, for what is not written by Sphinx: formulas, code, emphasis."""

import re
from html import escape

from repcost_book.pages.formulas import mathematics

_PART = re.compile(r"(\$[^$]+\$|`[^`]+`)")


def inline(text: str) -> str:
    """The HTML of a line of the ledger."""
    return "".join(_part(part) for part in _PART.split(text))


def _part(part: str) -> str:
    if part.startswith("$"):
        return mathematics(part[1:-1]).html(display=False)
    if part.startswith("`"):
        return f"<code>{escape(part[1:-1])}</code>"
    plain = escape(part, quote=False)
    plain = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", plain)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", plain)
