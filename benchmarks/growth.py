"""How time and memory grow with the size of a problem."""

import ctypes
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.duels import cpu_seconds

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of the line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def grown(
    problem: Callable[[int], Callable[[], Any]], sizes: list[int], rounds: int = 3
) -> dict[str, Any]:
    """Of three sizes or more the least time of each, the exponent, and the memory of the largest.

    problem: from a size to what is timed; making it is not.
    """
    seconds = [min(_round(problem(size)) for _ in range(rounds)) for size in sizes]
    return {
        "sizes": sizes,
        "seconds": seconds,
        "exponent": exponent(sizes, seconds),
        "bytes": peak_bytes(problem(sizes[-1])),
    }


def _round(run: Callable[[], Any]) -> float:
    return cpu_seconds(run)[0]


def peak_bytes(run: Callable[[], Any]) -> int | None:
    """By how much the memory of this process grows meanwhile, with that of C libraries.

    Linux keeps the largest; elsewhere None.
    """
    if sys.platform != "linux":
        return None
    gc.collect()
    # What was freed goes back to the system, or it would be used again without being seen.
    ctypes.CDLL(None).malloc_trim(0)
    # 5 sets the largest back to what there is now.
    _RESET.write_text("5")
    before = _kilobytes("VmRSS")
    run()
    return 1024 * max(0, _kilobytes("VmHWM") - before)


def _kilobytes(name: str) -> int:
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))
