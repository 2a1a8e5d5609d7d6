"""Figures with a caption and an alternative text that may hold computed numbers."""

import io
from collections.abc import Mapping

from repcost_book.kernel.checks import METADATA_KEY


def figure(fig, name: str, *, caption: str, alt: str) -> None:
    """Show a matplotlib figure (PNG at twice the size) as the numbered figure `name` of its page.

    caption: one paragraph of Markdown; alt: what is seen, with its numbers, for those who do not
    see it. The page takes both from the metadata of the output, so they may be f-strings.
    """
    import matplotlib.pyplot as plt
    from IPython.display import display

    picture = io.BytesIO()
    fig.savefig(
        picture, format="png", dpi=2 * fig.dpi, bbox_inches="tight", metadata={"Software": None}
    )
    plt.close(fig)
    mark = {METADATA_KEY: {"figure": {"name": name, "caption": caption, "alt": alt}}}
    display({"image/png": picture.getvalue(), "text/plain": alt}, raw=True, metadata=mark)


def caption_in_cell(cell) -> None:
    """Move what `figure` left in the metadata of an output to where myst-nb looks for it: the
    metadata of the cell.
    """
    for output in cell.get("outputs", []):
        found: Mapping | None = output.get("metadata", {}).get(METADATA_KEY, {}).get("figure")
        if found:
            about = {"caption": found["caption"], "name": found["name"]}
            cell.metadata["mystnb"] = {"figure": about, "image": {"alt": found["alt"]}}
