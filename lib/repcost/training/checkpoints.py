"""A run on disk: plain arrays in one npz file, replaced as a whole so that it is never half
written.
"""

import hashlib
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

State = dict[str, Any]


def fingerprint(*parts: object) -> str:
    """Of everything that decides how a run goes: arrays by their bytes, the rest by what it prints."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(
            repr((part.shape, part.tobytes()) if isinstance(part, np.ndarray) else part).encode()
        )
    return digest.hexdigest()


def save(path: Path, run: str, state: State) -> None:
    """Written beside its place first, so a kill at any moment leaves the old file or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            np.savez(file, run=np.array(run), **state)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load(path: Path, run: str) -> State | None:
    """The state that was saved for this run, or None; ValueError if the file belongs to another
    run.
    """
    if not path.exists():
        return None
    with np.load(path, allow_pickle=False) as file:
        if "run" not in file or str(file["run"]) != run:
            raise ValueError(
                f"checkpoint {path} belongs to another run; delete it or name another file"
            )
        return {name: file[name] for name in file.files if name != "run"}


class Saved:
    """The file of a run, if it has one: read at the start, written from time to time.

    A run has a `name` and a `state`, arrays by name; setting the state brings the run to where it
    was.
    """

    def __init__(self, run: Any, path: str | Path | None, every: float):
        self.run, self.path, self.every, self.last = (
            run,
            None if path is None else Path(path),
            every,
            time.monotonic(),
        )
        state = None if self.path is None else load(self.path, run.name)
        if state is not None:
            run.state = state

    def write_if_due(self) -> None:
        if time.monotonic() - self.last >= self.every:
            self.write()

    def write(self) -> None:
        if self.path is not None:
            save(self.path, self.run.name, self.run.state)
            self.last = time.monotonic()
