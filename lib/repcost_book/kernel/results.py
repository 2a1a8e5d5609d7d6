"""What was found at the papers' own sizes: computed in the paper profile, read in the quick one.

The kernel that computes shows the file as an output of its cell; the runner, which may be on
another machine, takes it out of the executed notebook and writes it into results/. So a chapter
that failed, or was only tried in Jupyter, changes no result.
"""

import base64
import io
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from repcost.devices import Device
from repcost.npz_files import read_npz
from repcost_book.kernel.origin import Changes, changes, origin
from repcost_book.kernel.outputs import RESULT, show
from repcost_book.kernel.placing import refuse_mixture
from repcost_book.kernel.sources import PACKAGES, SHIPPED

# The entry of an npz file that tells where the others come from.
ABOUT = "about"
UNCHANGED = Changes(False, (), 0)


@dataclass(frozen=True)
class Recorded:
    """Arrays by name, and their origin: `recorded["kinks"]` is the array of that name.

    about: date, seconds, machine, seed, key, what was done on which device, and the hashes of the
    code that computed them.
    changed: what of that code is no longer as it was.
    """

    name: str
    arrays: Mapping[str, np.ndarray]
    about: Mapping[str, Any]
    changed: Changes = UNCHANGED

    def __getitem__(self, array: str) -> np.ndarray:
        return self.arrays[array]

    def told(self) -> str:
        """A line for the reader; the full list of what has changed is in `changed.modules`."""
        where = f"{self.about['seconds']:.0f} s on {self.about['machine']}, key {self.about['key']}"
        line = f"Recorded {self.about['date']}: {self.name}, {where}."
        return f"{line} Changed since: {self.changed}." if self.changed else line


def compute_and_show(
    name: str, compute: Callable[[], Mapping], seed: int, device: Device
) -> Recorded:
    """Call `compute`, and show what it found, and what it did on which device, to the runner."""
    begun, before = time.monotonic(), len(device.done)
    arrays = {key: np.asarray(value) for key, value in compute().items()}
    done = device.done[before:]
    refuse_mixture(device, done, name)
    # Afterwards, because the modules that it needs are imported only then.
    about = origin(compute, seed, time.monotonic() - begun, done)
    recorded = Recorded(name, arrays, about)
    show({RESULT: {"name": name, "npz": base64.b64encode(_npz(recorded)).decode()}})
    return recorded


def read_and_tell(name: str, compute: Callable) -> Recorded:
    """What was recorded last, with a line that says when, and what has changed since."""
    path = folder() / f"{name}.npz"
    if not path.is_file():
        remedy = "run this chapter once with --profile paper"
        raise FileNotFoundError(f"nothing is recorded as {name}: {remedy}")
    remedy = "restore it (git checkout) or run this chapter with --profile paper"
    arrays = read_npz(path, what="the recorded result", remedy=remedy, needs=[ABOUT])
    about = json.loads(str(arrays.pop(ABOUT)))
    recorded = Recorded(name, arrays, about, changes(about, compute))
    show({"text/plain": recorded.told()})
    return recorded


def folder() -> Path:
    """results/ of the checkout this package is installed from, or the copy that the wheel has."""
    return SHIPPED if SHIPPED.is_dir() else PACKAGES.parent / "results"


def _npz(recorded: Recorded) -> bytes:
    # Text as an array of characters: no pickle, which would run code when it is read.
    about = {ABOUT: np.array(json.dumps(recorded.about))}
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **{**recorded.arrays, **about})
    return file.getvalue()
