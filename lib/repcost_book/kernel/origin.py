"""Where recorded numbers come from, and what of that is no longer as it was."""

import hashlib
import inspect
import json
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repcost.devices import Work
from repcost_book.kernel.placing import devices, together
from repcost_book.kernel.sources import digest, digests, loaded_modules, located

# So many changed modules are named in a line; the others are counted.
NAMED = 3


@dataclass(frozen=True)
class Changes:
    """What has changed since something was computed, in full; as text, a line of bearable length.

    >>> print(Changes(False, ("repcost/arrays.py", "repcost/bounds.py"), 40))
    2 of 40 modules: repcost/arrays.py, repcost/bounds.py
    """

    function: bool
    modules: tuple[str, ...]
    out_of: int

    def __bool__(self) -> bool:
        return self.function or bool(self.modules)

    def __str__(self) -> str:
        parts = ["the function that computed it"] if self.function else []
        if self.modules:
            named = [*self.modules[:NAMED], *["..."] * (len(self.modules) > NAMED)]
            parts.append(f"{len(self.modules)} of {self.out_of} modules: {', '.join(named)}")
        return "; ".join(parts)


def origin(
    compute: Callable, seed: int, seconds: float, done: Sequence[Work] = ()
) -> dict[str, Any]:
    """When, where, how long, from which seed and by which code `compute` has computed something."""
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "seconds": round(seconds, 1),
        "machine": machine(done),
        "work": together(done),
        "threads": _threads(),
        "seed": seed,
        "source": source(compute),
        "files": digests(loaded_modules("repcost")),
    }
    # A short key: alike for two recordings that came of the same code.
    told = json.dumps([about["source"], about["files"]])
    about["key"] = hashlib.sha256(told.encode()).hexdigest()[:8]
    return about


def changes(about: Mapping[str, Any], compute: Callable) -> Changes:
    """What is no longer as `about` has it: the function itself, modules of the library."""
    files = about["files"]
    modules = tuple(name for name, value in files.items() if _digest_now(name) != value)
    return Changes(source(compute) != about["source"], modules, len(files))


def source(compute: Callable) -> str:
    """A short hash of the text of a function; what it calls is in modules, which have their own."""
    return hashlib.sha256(inspect.getsource(compute).encode()).hexdigest()[:16]


def machine(done: Iterable[Work] = ()) -> str:
    """The GPUs that did something, and the processor, as the system names them."""
    return ", ".join([*(name for name in devices(done) if name != "cpu"), _processor()])


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _digest_now(name: str) -> str | None:
    path = located(name)
    return digest(path) if path.is_file() else None


def _threads() -> int:
    # torch is not imported for this question: where it is not loaded, one thread computed.
    torch = sys.modules.get("torch")
    return torch.get_num_threads() if torch is not None else 1
