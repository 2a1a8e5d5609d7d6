"""What a chapter depended on, seen from inside its kernel.

The runner starts a `Recording` in a cell before the first, and asks for its report in a cell after
the last.
"""

import platform
import sys
import time
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from repcost_book.kernel.origin import machine
from repcost_book.kernel.outputs import RECORD, show
from repcost_book.kernel.placing import together
from repcost_book.kernel.run import Run
from repcost_book.kernel.sources import OWN, PACKAGES, digests, loaded_modules, named

# The ledger is compared by its entries, so that a new statement does not run every chapter again.
NOT_DATA = {".py", ".pyc", ".yml"}
# What the page names below a chapter: the versions that its numbers may depend on.
VERSIONS = ("repcost", "numpy", "scipy", "clarabel", "torch")


class Recording:
    """Notes every data file, of results/ or of the packages, that is opened for reading."""

    def __init__(self, root: str):
        self.root = Path(root).resolve()
        self.begun = time.time()
        self.opened: set[str] = set()
        # A hook cannot be removed again, so a kernel has one recording and ends with it.
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple) -> None:
        # The interpreter calls this at every event: it notes, and the report chooses.
        if event == "open" and isinstance(arguments[0], str) and arguments[1] in ("r", "rb"):
            self.opened.add(arguments[0])

    def report(self, names: dict[str, Any]) -> None:
        """Show what was used, as one output: files, versions, and the Run among the names."""
        files = {*loaded_modules(*OWN), *self._data()}
        # A chapter has one Run; of two, the later name counts.
        runs = [value for value in names.values() if isinstance(value, Run)]
        done = [work for run in runs for work in run.device.done]
        record = {
            "files": {**digests(files, self.root), **self._changed(files)},
            "versions": _versions(),
            "sizes": {name: list(sizes) for run in runs for name, sizes in run.sizes.items()},
            "settings": {name: value for run in runs for name, value in run.settings.items()},
            "machine": machine(done),
            "cpu_seconds": round(time.process_time(), 1),
            "work": together(done),
        }
        show({RECORD: record})

    def _changed(self, files: Iterable[Path]) -> dict[str, str]:
        """What was perhaps read before it was written: no file will ever have this hash."""
        late = [path for path in files if path.stat().st_mtime >= self.begun]
        return {named(path, self.root): "written while the chapter ran" for path in late}

    def _data(self) -> list[Path]:
        folders = (self.root / "results", *(PACKAGES / name for name in OWN))
        paths = [Path(name).absolute() for name in self.opened]
        data = [path for path in paths if path.suffix not in NOT_DATA]
        return [path for path in data if any(folder in path.parents for folder in folders)]


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
