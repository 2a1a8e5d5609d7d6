"""A run on disk: plain arrays in one npz file, replaced as a whole so never half written."""

import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from repcost.npz_files import read_npz
from repcost.training.states import Arrays, RunState


def fingerprint(*parts: object) -> str:
    """Of everything that decides how a run goes: arrays by their bytes, the rest by its repr."""
    digest = hashlib.sha256()
    for part in parts:
        # The repr of a float tells all its bits, that of a long array leaves most of it out.
        told = (part.shape, part.tobytes()) if isinstance(part, np.ndarray) else part
        digest.update(repr(told).encode())
    return digest.hexdigest()


def checked_path(checkpoint: str | Path | None) -> Path | None:
    """Where to save; ValueError where nothing can be saved."""
    if checkpoint is None:
        return None
    if not isinstance(checkpoint, str | os.PathLike) or not str(checkpoint):
        raise ValueError(f"checkpoint must be the path of a file, not {checkpoint!r}")
    path = Path(checkpoint)
    if not path.parent.is_dir():
        raise ValueError(f"checkpoint is in a folder that does not exist; make {path.parent} first")
    if path.is_dir():
        raise ValueError(f"checkpoint must be the path of a file, but {path} is a folder")
    return path


def save(path: Path, run: str, device: str, arrays: Mapping[str, Any]) -> None:
    """Written beside its place first, so a kill at any moment leaves the old file or the new."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            np.savez(file, run=np.array(run), device=np.array(device), **arrays)
            file.flush()
            # Its contents must be on the disk before its name is: a rename may overtake them.
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load(path: Path, run: str, device: str) -> Arrays | None:
    """What was saved for this run, or None; ValueError for that of another run or device."""
    if not path.exists():
        return None
    remedy = "delete it or name another file"
    arrays = read_npz(path, what="checkpoint", remedy=remedy)
    if "run" not in arrays or str(arrays.pop("run")) != run:
        raise ValueError(f"checkpoint {path} belongs to another run; {remedy}")
    # Devices round differently: half a run on each would be neither.
    if (there := str(arrays.pop("device", device))) != device:
        said = f"checkpoint {path} was computed on {there}, and this run is on {device}"
        raise ValueError(f"{said}; go on there, or {remedy}")
    return arrays


@dataclass
class CheckpointFile:
    """The file of a run, if it has one.

    path: where; None if nothing is to be saved.
    run: the fingerprint of the run, without which its file is not read; device: where it runs.
    every: seconds between two savings.
    """

    path: Path | None
    run: str
    device: str
    every: float
    _last: float = field(default_factory=time.monotonic)

    def read(self) -> RunState | None:
        arrays = None if self.path is None else load(self.path, self.run, self.device)
        if arrays is None:
            return None
        try:
            return RunState.from_arrays(arrays)
        except KeyError as missing:
            cut = f"checkpoint {self.path} lacks the array {missing}"
            raise ValueError(f"{cut}; delete it or name another file") from None

    @property
    def is_due(self) -> bool:
        return self.path is not None and time.monotonic() - self._last >= self.every

    def write(self, state: RunState) -> None:
        if self.path is not None:
            save(self.path, self.run, self.device, state.arrays())
            self._last = time.monotonic()
