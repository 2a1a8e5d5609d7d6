"""Figures with a caption and an alternative text that may hold computed numbers."""

import base64
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repcost_book.kernel.drawn import drawn
from repcost_book.kernel.narrow import make_narrow, smallest_letters
from repcost_book.kernel.outputs import FIGURE, in_a_cell, show

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:  # only those who draw have matplotlib
    Figure = Any

# Otherwise Matplotlib writes its version and the date into a file, and draws names by chance: the
# same picture had other bytes.
NOTHING = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
STEADY: Any = {"svg.hashsalt": "repcost"}


def figure(fig: Figure, name: str, *, caption: str, alt: str) -> None:
    """Show a matplotlib figure (PNG at twice the size) as the numbered figure `name` of its page.

    caption: one paragraph of Markdown.
    alt: what is seen, with its numbers, for those who do not see it.
    The page takes both from the metadata of the output, so they may be f-strings. Beside the
    picture lie the same as an SVG, and what it shows as numbers: readers of the page can have both
    as files. Narrow screens show it arranged anew (`narrow`). Outside of a notebook the picture is
    written as `name`.png.
    """
    import matplotlib.pyplot as plt

    picture = _saved(fig, "png")
    # The numbers are text, too: as a tree, notebooks would have each of them on a line of its own.
    numbers = json.dumps(drawn(fig), allow_nan=False)
    files: dict[str, Any] = {"svg": _saved(fig, "svg").decode(), "data": numbers}
    if not in_a_cell():
        plt.close(fig)
        Path(f"{name}.png").write_bytes(picture)
        print(f"{name}.png: {alt}")
        return
    files["narrow"] = _narrow(fig)
    plt.close(fig)
    mark = {"figure": {"name": name, "caption": caption, "alt": alt}}
    show({"image/png": picture, "text/plain": alt, FIGURE: files}, mark)


def _narrow(fig: Figure) -> dict[str, Any]:
    """The picture for narrow screens, as text, which JSON may have, and the size of its letters."""
    below = make_narrow(fig)
    picture = base64.b64encode(_saved(fig, "png")).decode()
    told = {"panels_below_each_other": below, "points": smallest_letters(fig)}
    return {"png": picture, "dpi": 2 * fig.dpi, **told}


def _saved(fig: Figure, kind: str) -> bytes:
    import matplotlib as mpl

    picture = io.BytesIO()
    with mpl.rc_context(STEADY):
        fig.savefig(
            picture, format=kind, dpi=2 * fig.dpi, bbox_inches="tight", metadata=NOTHING[kind]
        )
    return picture.getvalue()
