"""A `check` that notes what it measured, held or not, and lets the chapter go on.

The first check that fails ends a chapter, and hides all that come after it. A trial wants to see
each. So its chapters begin with the cell below, which no chapter of the book has. They paint no
figure either: nobody looks at it, and it takes as long as some chapters compute.
"""

from typing import Any, NamedTuple

import nbformat
from nbformat import NotebookNode

from repcost_book.kernel.checks import measured_claim
from repcost_book.kernel.comparable import as_float
from repcost_book.kernel.outputs import METADATA_KEY, show

# Chapters take `check` from the package.
BEGIN = """\
import repcost_book as _book
from repcost_book.trials import noting as _noting
_book.check, _book.figure = _noting.check, _noting.figure"""


class Note(NamedTuple):
    """What one check measured; `failure` is empty if it held."""

    statement: str
    claim: str
    worst: float
    at_most: float
    failure: str = ""

    @property
    def share(self) -> float:
        """Worst over bound; how far it is above a bound that is not positive counts in full."""
        if self.at_most > 0:
            return self.worst / self.at_most
        # NaN, too, is no success.
        return 0.0 if self.worst <= self.at_most else float("inf")


def check(id: str, claim: str, *told: Any, **others: Any) -> None:
    """As `repcost_book.check`, but it shows a failure instead of raising it."""
    found = measured_claim(id, claim, *told, **others)
    # As text: JSON has neither NaN nor infinity.
    numbers = repr(as_float(found.worst)), repr(as_float(found.at_most))
    show({"text/plain": f"noted: {claim}"}, {"noted": [id, claim, *numbers, found.failure]})


def figure(fig: Any, *told: Any, **others: Any) -> None:
    """As `repcost_book.figure`, but it leaves the figure unpainted."""
    import matplotlib.pyplot as plt

    plt.close(fig)


def with_noting(notebook: NotebookNode) -> NotebookNode:
    """The notebook, in which no check raises and no figure is painted."""
    notebook.cells = [nbformat.v4.new_code_cell(BEGIN, id="noting"), *notebook.cells]
    return notebook


def notes(executed: NotebookNode) -> list[Note]:
    """What the checks of an executed notebook have noted."""
    outputs = [output for cell in executed.cells for output in cell.get("outputs", [])]
    marks = [output.get("metadata", {}).get(METADATA_KEY, {}).get("noted") for output in outputs]
    return [note(*mark) for mark in marks if mark]


def note(statement: str, claim: str, worst: str, at_most: str, failure: str) -> Note:
    return Note(statement, claim, float(worst), float(at_most), failure)
