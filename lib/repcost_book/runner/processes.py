"""No kernel is left behind: not by a runner that is stopped, nor, at the next run, by a kill -9."""

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil

from repcost_book.runner.locks import Held, lock

# Windows has no SIGHUP.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class AnotherRun(SystemExit):
    """A run of this checkout is going on."""


@contextlib.contextmanager
def only_run(folder: Path) -> Iterator[Path]:
    """A folder for pid files, held by this process alone.

    Leftovers of a run that was killed are stopped first. SIGTERM, and SIGHUP of a terminal that is
    closed, are treated as Ctrl-C is: every process started below this one since is stopped before
    it leaves.
    """
    try:
        with lock(folder / "lock"):
            _stop_leftovers(folder)
            with _nothing_left_behind():
                yield folder
    except Held as holder:
        said = f"Another run is going on here (process {holder})"
        raise AnotherRun(f"{said}; wait for it, or stop it.") from None


@contextlib.contextmanager
def _nothing_left_behind() -> Iterator[None]:
    others = psutil.Process().children()
    # One that is ignored stays so: `nohup` asks for that.
    before = {sign: signal.getsignal(sign) for sign in ENDING}
    for sign in [sign for sign, handler in before.items() if handler != signal.SIG_IGN]:
        signal.signal(sign, _interrupt)
    try:
        yield
    finally:
        for child in psutil.Process().children():
            if child not in others:
                stop_tree(child)
        for sign, handler in before.items():
            signal.signal(sign, handler)


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


def _stop_leftovers(folder: Path) -> None:
    for pid_file in folder.glob("*.pid"):
        if orphan := _alive(pid_file):
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
