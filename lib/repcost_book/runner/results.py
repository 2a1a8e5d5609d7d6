"""Results that a kernel has shown: taken out of the executed notebook, kept in results/."""

import base64
from collections.abc import Mapping
from pathlib import Path

from nbformat import NotebookNode

from repcost_book.kernel.outputs import RESULT
from repcost_book.runner.files import write


def take_results(notebook: NotebookNode) -> dict[str, bytes]:
    """Remove the files that an executed notebook shows, and return them by name."""
    found = {}
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        for output in [each for each in outputs if RESULT in each.get("data", {})]:
            cell.outputs.remove(output)
            told = output["data"][RESULT]
            found[told["name"]] = base64.b64decode(told["npz"])
    return found


def keep(results: Mapping[str, bytes], root: Path) -> None:
    """Write them to `results/` under a folder; under the checkout `run.recorded` reads them."""
    for name, content in results.items():
        write(root / "results" / f"{name}.npz", content)
