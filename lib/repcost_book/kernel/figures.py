"""Figures with a caption and an alternative text that may hold computed numbers."""

import io

from repcost_book.kernel.outputs import show


def figure(fig, name: str, *, caption: str, alt: str) -> None:
    """Show a matplotlib figure (PNG at twice the size) as the numbered figure `name` of its page.

    caption: one paragraph of Markdown.
    alt: what is seen, with its numbers, for those who do not see it.
    The page takes both from the metadata of the output, so they may be f-strings.
    """
    import matplotlib.pyplot as plt

    picture = io.BytesIO()
    # matplotlib writes its version into a PNG otherwise, and the same picture had other bytes.
    nothing = {"Software": None}
    fig.savefig(picture, format="png", dpi=2 * fig.dpi, bbox_inches="tight", metadata=nothing)
    plt.close(fig)
    mark = {"figure": {"name": name, "caption": caption, "alt": alt}}
    show({"image/png": picture.getvalue(), "text/plain": alt}, mark)
