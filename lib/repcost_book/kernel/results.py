"""What was found at the papers' own sizes: computed in the paper profile, kept in results/, read in
the quick one.

The kernel that computes shows the file as an output of its cell; the runner, which may be on
another machine, takes it out of the executed notebook and writes it. So a chapter that failed, or
was only tried in Jupyter, changes no result.
"""

import base64
import hashlib
import inspect
import io
import json
import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from repcost_book.kernel.recording import PACKAGES, digest
from repcost_book.runner.files import write

# A chapter imports this file, and must not need what only the runner does.
if TYPE_CHECKING:
    from nbformat import NotebookNode

MIME_TYPE = "application/vnd.repcost.result+json"
# The entry of an npz file that tells where the others come from.
ABOUT = "about"


@dataclass(frozen=True)
class Recorded:
    """Arrays by name, and what is known of their origin: date, seconds, machine, seed, key, code."""

    name: str
    arrays: Mapping[str, np.ndarray]
    about: Mapping

    def __getitem__(self, array: str) -> np.ndarray:
        return self.arrays[array]

    def changed(self, compute: Callable) -> list[str]:
        """What is no longer as it was when this was computed: the function itself, modules of the
        library.
        """
        own = [] if _source(compute) == self.about["source"] else ["the function that computed it"]
        return own + [name for name, value in self.about["files"].items() if _digest(name) != value]

    def told(self, changed: list[str]) -> str:
        where = f"{self.about['seconds']:.0f} s on {self.about['machine']}, key {self.about['key']}"
        line = f"Recorded {self.about['date']}: {self.name}, {where}."
        return f"{line} Changed since: {', '.join(changed)}." if changed else line


def compute_and_show(name: str, compute: Callable[[], Mapping], seed: int) -> Recorded:
    """Call `compute`, and show what it found to the runner."""
    begun = time.monotonic()
    arrays = {key: np.asarray(value) for key, value in compute().items()}
    files = {_relative(module): digest(Path(module)) for module in _library()}
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "seconds": round(time.monotonic() - begun, 1),
        "machine": machine(),
        "threads": _threads(),
        "seed": seed,
        "source": _source(compute),
        "files": dict(sorted(files.items())),
    }
    about["key"] = hashlib.sha256(
        json.dumps([about["source"], about["files"]]).encode()
    ).hexdigest()[:8]
    recorded = Recorded(name, arrays, about)
    _display({MIME_TYPE: {"name": name, "npz": base64.b64encode(_npz(recorded)).decode()}})
    return recorded


def read_and_tell(name: str, compute: Callable) -> Recorded:
    """What was recorded last, with a line that says when, and what of the code has changed since."""
    path = folder() / f"{name}.npz"
    if not path.is_file():
        raise FileNotFoundError(
            f"nothing is recorded as {name}: run this chapter once with --profile paper"
        )
    with np.load(path, allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files if key != ABOUT}
        recorded = Recorded(name, arrays, json.loads(str(file[ABOUT])))
    _display({"text/plain": recorded.told(recorded.changed(compute))})
    return recorded


def take_results(notebook: "NotebookNode") -> dict[str, bytes]:
    """Remove the files that an executed notebook shows, and return them by name."""
    found = {}
    for cell in notebook.cells:
        for output in [
            output for output in cell.get("outputs", []) if MIME_TYPE in output.get("data", {})
        ]:
            cell.outputs.remove(output)
            told = output["data"][MIME_TYPE]
            found[told["name"]] = base64.b64decode(told["npz"])
    return found


def keep(results: Mapping[str, bytes], root: Path) -> None:
    for name, content in results.items():
        write(root / "results" / f"{name}.npz", content)


def folder() -> Path:
    """results/ of the checkout this package is installed from, or the copy that the wheel has."""
    here = PACKAGES / "repcost_book"
    return here / "results" if (here / "results").is_dir() else PACKAGES.parent / "results"


def machine() -> str:
    """The GPU, if torch is loaded and uses one, and the processor, by the names that the system
    gives them.
    """
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = named[0] if named else platform.processor() or platform.machine()
    torch = sys.modules.get("torch")
    return (
        f"{torch.cuda.get_device_name()}, {processor}"
        if torch and torch.cuda.is_available()
        else processor
    )


def _npz(recorded: Recorded) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(
        file, allow_pickle=False, **{**recorded.arrays, ABOUT: np.array(json.dumps(recorded.about))}
    )
    return file.getvalue()


def _library() -> list[str]:
    loaded = list(sys.modules.items())
    return [
        module.__file__
        for name, module in loaded
        if name.split(".")[0] == "repcost" and module.__file__
    ]


def _relative(path: str) -> str:
    return Path(path).resolve().relative_to(PACKAGES).as_posix()


def _digest(name: str) -> str | None:
    path = PACKAGES / name
    return digest(path) if path.is_file() else None


def _source(compute: Callable) -> str:
    return hashlib.sha256(inspect.getsource(compute).encode()).hexdigest()[:16]


def _threads() -> int:
    torch = sys.modules.get("torch")
    return torch.get_num_threads() if torch is not None else 1


def _display(data: dict) -> None:
    from IPython.display import display

    display(data, raw=True)
