"""The two cells around a chapter that note what it depended on, and what they have noted."""

import nbformat
from nbformat import NotebookNode

from repcost_book.kernel.outputs import RECORD
from repcost_book.runner.chapters import tags

TAG = "recording"
# Names with an underscore, so that a chapter does not use them by accident.
BEGIN = """\
from repcost_book.kernel.recording import Recording as _Recording
_recording = _Recording({root!r})"""
END = "_recording.report(globals())"


def with_recording(notebook: NotebookNode, root: str) -> NotebookNode:
    """The notebook between the two cells; data are looked for in the checkout at `root`."""
    begin = _cell("recording-begin", BEGIN.format(root=root))
    notebook.cells = [begin, *notebook.cells, _cell("recording-end", END)]
    return notebook


def take_record(notebook: NotebookNode) -> dict:
    """Remove the two cells from an executed notebook, and return what they recorded."""
    added = [cell for cell in notebook.cells if TAG in tags(cell)]
    notebook.cells = [cell for cell in notebook.cells if TAG not in tags(cell)]
    outputs = [output for cell in added for output in cell.get("outputs", [])]
    records = [output["data"][RECORD] for output in outputs if RECORD in output.get("data", {})]
    return records[-1]


def _cell(id: str, source: str) -> NotebookNode:
    return nbformat.v4.new_code_cell(source, id=id, metadata={"tags": [TAG]})
