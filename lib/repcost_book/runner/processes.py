"""No kernel is left behind: stop them when the runner is stopped, and after a kill -9 at the start
of the next run.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil

from repcost_book.runner.execute import stop_tree


class AnotherRun(SystemExit):
    """A run of this checkout is going on."""


@contextlib.contextmanager
def only_run(folder: Path) -> Iterator[Path]:
    """A folder for pid files, held by this process; leftovers of a run that was killed are stopped
    first.

    SIGTERM is treated as Ctrl-C is: every process started below this one since is stopped before it
    leaves.
    """
    folder.mkdir(parents=True, exist_ok=True)
    owner = folder / "owner.pid"
    if (running := _alive(owner)) and running.pid != os.getpid():
        raise AnotherRun(
            f"Another run is going on here (process {running.pid}); wait for it, or stop it."
        )
    for pid_file in folder.glob("*.pid"):
        if pid_file != owner and (orphan := _alive(pid_file)):
            stop_tree(orphan)
        pid_file.unlink(missing_ok=True)
    owner.write_text(f"{os.getpid()} {psutil.Process().create_time()}")
    others, before = psutil.Process().children(), signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield folder
    finally:
        for child in psutil.Process().children():
            if child not in others:
                stop_tree(child)
        signal.signal(signal.SIGTERM, before)
        owner.unlink(missing_ok=True)


def _interrupt(*_) -> None:
    raise KeyboardInterrupt


def _alive(pid_file: Path) -> psutil.Process | None:
    """The process a pid file names, if it is the same one still (pids are used again; start times
    are not).
    """
    try:
        pid, created = pid_file.read_text().split()
        process = psutil.Process(int(pid))
        return process if abs(process.create_time() - float(created)) < 0.1 else None
    except (OSError, ValueError, psutil.NoSuchProcess):
        return None
