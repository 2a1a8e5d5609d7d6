"""No kernel is left behind: not by a runner that is stopped, nor, at the next run, by a kill -9."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil


class AnotherRun(SystemExit):
    """A run of this checkout is going on."""


@contextlib.contextmanager
def only_run(folder: Path) -> Iterator[Path]:
    """A folder for pid files, held by this process alone.

    Leftovers of a run that was killed are stopped first. SIGTERM is treated as Ctrl-C is: every
    process started below this one since is stopped before it leaves.
    """
    folder.mkdir(parents=True, exist_ok=True)
    owner = folder / "owner.pid"
    _refuse_beside(owner)
    _stop_leftovers(folder, owner)
    owner.write_text(_identity(psutil.Process()))
    others, before = psutil.Process().children(), signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield folder
    finally:
        for child in psutil.Process().children():
            if child not in others:
                stop_tree(child)
        signal.signal(signal.SIGTERM, before)
        owner.unlink(missing_ok=True)


@contextlib.contextmanager
def pid_noted(pid_file: Path | None, pid: int) -> Iterator[None]:
    """Keep in a file, while it runs, which process this is; nothing if no file is given."""
    if pid_file:
        pid_file.write_text(_identity(psutil.Process(pid)))
    try:
        yield
    finally:
        if pid_file:
            pid_file.unlink(missing_ok=True)


def stop_tree(process: psutil.Process) -> None:
    """End a process and all below it."""
    # All by name: kernels lead sessions of their own, and outlive their parent otherwise.
    try:
        family = [*process.children(recursive=True), process]
    except psutil.NoSuchProcess:
        return
    for member in family:
        try:
            member.terminate()
        except psutil.NoSuchProcess:
            continue
    for survivor in psutil.wait_procs(family, timeout=3)[1]:
        survivor.kill()


def _refuse_beside(owner: Path) -> None:
    running = _alive(owner)
    if running and running.pid != os.getpid():
        said = f"Another run is going on here (process {running.pid})"
        raise AnotherRun(f"{said}; wait for it, or stop it.")


def _stop_leftovers(folder: Path, owner: Path) -> None:
    for pid_file in folder.glob("*.pid"):
        if pid_file != owner and (orphan := _alive(pid_file)):
            stop_tree(orphan)
        pid_file.unlink(missing_ok=True)


def _interrupt(*_) -> None:
    raise KeyboardInterrupt


def _identity(process: psutil.Process) -> str:
    # Numbers of processes are used again; together with the time of the start they are not.
    return f"{process.pid} {process.create_time()}"


def _alive(pid_file: Path) -> psutil.Process | None:
    """The process a pid file names, if it is the same one still."""
    try:
        pid, created = pid_file.read_text().split()
        process = psutil.Process(int(pid))
        return process if abs(process.create_time() - float(created)) < 0.1 else None
    except (OSError, ValueError, psutil.NoSuchProcess):
        return None
