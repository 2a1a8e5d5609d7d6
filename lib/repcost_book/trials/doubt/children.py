"""Forks of this process: each does one piece of work, within limits, and says what came of it."""

import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# A child may use so much more memory than the process it was forked from.
MORE_MEMORY = 6 << 30
# So many times its seconds of the processor it may take on the clock: others use the machine.
PATIENCE = 20.0
TIMED_OUT = "timed out"
DIED = "died"


@dataclass(frozen=True)
class Work:
    """What a child does; its result is told in JSON.

    seconds: of the processor that it may take.
    """

    key: Any
    do: Callable[[], Any]
    seconds: float


@dataclass
class _Child:
    work: Work
    pid: int
    pipe: int
    begun: float
    told: bytes = b""

    @property
    def is_late(self) -> bool:
        return time.monotonic() - self.begun > PATIENCE * (1 + self.work.seconds)


def in_children(works: Iterable[Work], jobs: int) -> Iterator[tuple[Any, Any]]:
    """The key and the result of each, as they end; `TIMED_OUT` or `DIED` if there is none."""
    todo, running = iter(works), dict[int, _Child]()
    try:
        while True:
            while len(running) < jobs and (work := next(todo, None)) is not None:
                child = _forked(work)
                running[child.pipe] = child
            if not running:
                return
            for child in _ended(running):
                del running[child.pipe]
                yield child.work.key, _result(child)
    finally:
        for child in running.values():
            os.kill(child.pid, signal.SIGKILL)
            _result(child)


def _forked(work: Work) -> _Child:
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _do(work, theirs)
    os.close(theirs)
    return _Child(work, pid, ours, time.monotonic())


def _do(work: Work, pipe: int) -> None:
    """In the child, which ends here, without what the parent does when it ends."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _limit(work.seconds)
        told = json.dumps(work.do()).encode()
        while told:
            told = told[os.write(pipe, told) :]
    finally:
        os._exit(0)


def _limit(seconds: float) -> None:
    # Of the processor, and in parts of a second; whoever is late is ended without a word.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    sizes = Path("/proc/self/statm")
    # Elsewhere than on Linux addresses are not what memory is limited by.
    if sizes.is_file():
        now = int(sizes.read_text().split()[0]) * resource.getpagesize()
        most = now + MORE_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _ended(running: dict[int, _Child]) -> Iterator[_Child]:
    """Those whose pipes are at their ends, and those that are killed now for being late."""
    ready, _, _ = select.select(list(running), [], [], 1.0)
    for pipe in ready:
        child = running[pipe]
        part = os.read(pipe, 1 << 16)
        child.told += part
        if not part:
            yield child
    for child in [each for each in running.values() if each.is_late]:
        os.kill(child.pid, signal.SIGKILL)


def _result(child: _Child) -> Any:
    os.close(child.pipe)
    _, status = os.waitpid(child.pid, 0)
    try:
        return json.loads(child.told)
    except ValueError:
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status)
        return TIMED_OUT if killed in (signal.SIGPROF, signal.SIGKILL) else DIED
