"""Arrays by name, from npz files that may be damaged or be something else."""

from collections.abc import Iterable
from importlib.resources.abc import Traversable

import numpy as np


def read_npz(
    path: Traversable, *, what: str, remedy: str, needs: Iterable[str] = ()
) -> dict[str, np.ndarray]:
    """All arrays of a file; ValueError with its name and the remedy if not all can be had.

    what: what the file is, as the message calls it.
    needs: names without which it is not that.
    """
    with path.open("rb") as file:
        # Without pickle, so that a file from elsewhere can hold nothing but arrays.
        try:
            with np.load(file, allow_pickle=False) as arrays:
                found = {name: arrays[name] for name in arrays.files}
        # Text, pictures, half of a file: whatever the readers of npz and zip make of it.
        except Exception:
            raise ValueError(f"{what} {path} is no file of arrays; {remedy}") from None
    if missing := [name for name in needs if name not in found]:
        raise ValueError(f"{what} {path} lacks the array {missing[0]}; {remedy}")
    return found
