"""The words in which a kernel speaks to the runner and the pages, by outputs of its cells."""

from collections.abc import Mapping
from typing import Any

# In the metadata of an output: the mark of a check or of a figure. The text of the output is for
# readers, and may be changed without anybody else noticing.
METADATA_KEY = "repcost"

# Outputs that no reader sees, because the runner takes them out: what a kernel used, and the files
# it computed at the paper's own size.
RECORD = "application/vnd.repcost.record+json"
RESULT = "application/vnd.repcost.result+json"

# Beside the picture of a figure: the same as SVG, and its numbers. Pages offer both as files.
FIGURE = "application/vnd.repcost.figure+json"


def show(data: Mapping[str, Any], mark: Mapping[str, Any] | None = None) -> None:
    """Show `data`, a value per MIME type, as one output of the cell, with a mark for the pages.

    Outside of a cell its text is printed, if it has any.
    """
    if not in_a_cell():
        if "text/plain" in data:
            print(data["text/plain"])
        return
    # IPython is there wherever there is a cell, and nowhere in a bare installation.
    from IPython.display import display

    display(dict(data), raw=True, metadata={METADATA_KEY: dict(mark)} if mark else None)


def in_a_cell() -> bool:
    """Whether there is a cell to show something in."""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None
