"""What a chapter depended on, seen from inside its kernel: the runner starts a
`Recording` before it and asks for its report after it."""

import hashlib
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

MIME_TYPE = "application/vnd.repcost.record+json"
PACKAGES = Path(__file__).resolve().parents[2]
OWN = ("repcost", "repcost_book")
# The ledger is compared by its entries (see keys.py), so that a new statement does not run every
# chapter again.
NOT_DATA = {".py", ".pyc", ".yml"}


class Recording:
    """Notes every data file of the project (in results/, or shipped in the packages) that is opened
    for reading.
    """

    def __init__(self, root: str):
        self.root = Path(root).resolve()
        self.opened: set[str] = set()
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple) -> None:
        if event == "open" and isinstance(arguments[0], str) and arguments[1] in ("r", "rb"):
            self.opened.add(arguments[0])

    def report(self, names: dict) -> None:
        """Show, as one output, the files this kernel used with their hashes, the versions, and the
        sizes of its Run.
        """
        from IPython.display import display

        from repcost_book.kernel.run import Run

        modules = (
            module.__file__
            for name, module in list(sys.modules.items())
            if name.split(".")[0] in OWN
        )
        files = {
            self._relative(path): digest(path)
            for path in {*map(Path, filter(None, modules)), *self._data()}
        }
        runs = [value for value in names.values() if isinstance(value, Run)]
        record = {
            "files": dict(sorted(files.items())),
            "versions": _versions(),
            "sizes": {name: list(sizes) for run in runs for name, sizes in run.sizes.items()},
            "settings": {
                name: value
                for run in runs
                for name, value in (("seed", run.seed), ("device", run.device))
            },
        }
        display({MIME_TYPE: record}, raw=True)

    def _data(self) -> list[Path]:
        folders = (self.root / "results", *(PACKAGES / name for name in OWN))
        paths = [Path(name).absolute() for name in self.opened]
        return [
            path
            for path in paths
            if path.suffix not in NOT_DATA and any(f in path.parents for f in folders)
        ]

    def _relative(self, path: Path) -> str:
        path = path.resolve()
        return path.relative_to(PACKAGES if PACKAGES in path.parents else self.root).as_posix()


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def locate(relative: str, root: Path) -> Path:
    """Where a file of a record lies on this machine."""
    return PACKAGES / relative if relative.split("/")[0] in OWN else root / relative


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in ("repcost", "numpy", "scipy", "clarabel", "torch"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
