"""Nothing moves once a page is painted: each picture says how large it is before it is there.

The faces are waited for by `book/_templates/layout.html`, and drawings keep their room by their
style sheets.
"""

import re
import struct
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from sphinx.application import Sphinx

# An `img`, or a `source` for narrow screens, that does not say it yet.
PICTURE = re.compile(r'<(img|source)(?![^>]* width=)([^>]* src(?:set)?="([^"]+\.png)")')


def sized(html: str, find: dict[str, Path]) -> str:
    """The same page, whose pictures tell their size; `find` has their files by name."""

    def with_size(found: re.Match[str]) -> str:
        path = find.get(PurePosixPath(found[3]).name)
        if path is None or not path.is_file():
            return found[0]
        width, height = size(path)
        return f'<{found[1]} width="{width}" height="{height}"{found[2]}'

    return PICTURE.sub(with_size, html)


@cache
def size(path: Path) -> tuple[int, int]:
    """Of a PNG, from its first chunk."""
    return struct.unpack(">II", path.read_bytes()[16:24])


def _page(app: Sphinx, page: str, template: str, context: dict, doctree: Any) -> None:
    source = Path(app.srcdir)
    images = {name: source / path for path, name in app.builder.images.items()}
    own = source / "_figures" / page.removeprefix("book/")
    narrow = {path.name: path for path in own.glob("*.png")}
    context["body"] = sized(context.get("body", ""), images | narrow)


def setup(app: Sphinx) -> dict:
    """What Sphinx calls."""
    app.connect("html-page-context", _page, priority=940)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
