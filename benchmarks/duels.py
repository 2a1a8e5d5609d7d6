"""Ours and theirs in turns, so that what else the machine does disturbs both alike."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# Seconds, at the least, that a round is to take.
_ROUND = 0.01


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
    steps: how many of what the table is to show are in one call.
    proved: whether its answer is.
    before: seconds that it takes before the first round, once, to be shown apart.
    """

    what: str
    run: Callable[[], Any]
    steps: float = 1.0
    proved: bool = False
    before: float | None = None


def duel(
    benchmark: Any,
    ours: Callable[[], Any],
    *rivals: Rival,
    rounds: int = 5,
    steps: float = 1.0,
    proved: bool = True,
) -> list[Any]:
    """What ours and the rivals found; how long each round took enters the table.

    steps: how many of what the table is to show are in one call of ours.
    """
    found: list[Any] = [None] * (1 + len(rivals))
    seconds: list[list[float]] = [[] for _ in rivals]
    often = [_often(run) for run in (ours, *(rival.run for rival in rivals))]

    def theirs() -> None:
        for place, (rival, times) in enumerate(zip(rivals, often[1:], strict=True)):
            took, found[1 + place] = cpu_seconds(lambda run=rival.run, n=times: _again(run, n))
            seconds[place].append(took / times / rival.steps)

    def round_of_ours() -> None:
        found[0] = _again(ours, often[0])

    benchmark.extra_info["times"], benchmark.extra_info["proved"] = often[0] * steps, proved
    benchmark.pedantic(round_of_ours, setup=theirs, rounds=rounds)
    benchmark.extra_info["rivals"] = [
        _told(rival, took) for rival, took in zip(rivals, seconds, strict=True)
    ]
    return found


def _often(run: Callable[[], Any]) -> int:
    """How often it is to run in a round, so that caches fill and the clock is fine enough."""
    took, _ = cpu_seconds(run)
    return max(1, round(_ROUND / max(took, 1e-6)))


def _again(run: Callable[[], Any], times: int) -> Any:
    result = None
    for _ in range(times):
        result = run()
    return result


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
