"""Ours and theirs in turns, so that what else the machine does disturbs both alike."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


def cpu_seconds(action: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time, and what came of it."""
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


@dataclass(frozen=True)
class Rival:
    """Another way to the same.

    what: in words for a reader who has not seen it, "a sparse cone programme, by Clarabel".
    run: one round of it.
    times: how often as much as ours, if a round of it does more or less.
    proved: whether its answer is.
    before: seconds that it takes before the first round, once, to be shown apart.
    """

    what: str
    run: Callable[[], Any]
    times: float = 1.0
    proved: bool = False
    before: float | None = None


def duel(
    benchmark: Any,
    ours: Callable[[], Any],
    *rivals: Rival,
    rounds: int = 5,
    times: int = 1,
    proved: bool = True,
) -> list[Any]:
    """What ours and the rivals found; how long each round took enters the table.

    times: how often ours runs in a round, if once is too short to be measured.
    """
    found: list[Any] = [None] * (1 + len(rivals))
    seconds = [[] for _ in rivals]

    def theirs() -> None:
        for place, rival in enumerate(rivals):
            took, found[1 + place] = cpu_seconds(rival.run)
            seconds[place].append(took / rival.times)

    def round_of_ours() -> None:
        for _ in range(times):
            found[0] = ours()

    # What comes first fills caches.
    round_of_ours()
    benchmark.extra_info["times"], benchmark.extra_info["proved"] = times, proved
    benchmark.pedantic(round_of_ours, setup=theirs, rounds=rounds)
    benchmark.extra_info["rivals"] = [
        _told(rival, took) for rival, took in zip(rivals, seconds, strict=True)
    ]
    return found


def _told(rival: Rival, seconds: list[float]) -> dict[str, Any]:
    return {
        "what": rival.what,
        "seconds": min(seconds),
        "spread": spread(seconds),
        "proved": rival.proved,
        "before": rival.before,
    }


def spread(seconds: list[float]) -> float:
    """How much longer the median round took than the best one, as a part of that."""
    return float(np.median(seconds)) / min(seconds) - 1
