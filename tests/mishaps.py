"""What goes wrong around the book, made to happen: disks that are full, locks that are held."""

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from repcost_book.runner import locks

# By a Python that finds nothing that is installed: so does the set-up.
HOLDER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import locks
with locks.lock(Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""


class Talking:
    """A process that says a word a line, and ends at the latest when its input does."""

    def __init__(self, *command: str):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def word(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        self.process.communicate("")


@contextlib.contextmanager
def holding(lock: Path) -> Iterator[subprocess.Popen]:
    """Another process that holds a lock; it is killed at the end."""
    arguments = [str(Path(locks.__file__).parent), str(lock)]
    holder = Talking(sys.executable, "-I", "-S", "-c", HOLDER, *arguments)
    assert holder.word() == "held"
    try:
        yield holder.process
    finally:
        holder.process.kill()
        holder.end()


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """A file system in memory at this folder; the test is skipped where nobody may mount one."""
    folder.mkdir()
    as_root = [[], ["sudo", "-n"]] if shutil.which("mount") and sys.platform == "linux" else []
    what = ["mount", "-t", "tmpfs", "-o", f"{options},mode=777", "tmpfs", str(folder)]
    may = [before for before in as_root if _works([*before, *what])]
    if not may:
        pytest.skip("mounting is not allowed here")
    try:
        yield
    finally:
        subprocess.run([*may[0], "umount", "--lazy", str(folder)], check=True)


def make_read_only(folder: Path) -> None:
    """From now on nobody can write there, root included."""
    remount = ["mount", "-o", "remount,ro", str(folder)]
    assert _works(remount) or _works(["sudo", "-n", *remount])


def fill(folder: Path) -> Path:
    """A file that takes all the room that is left."""
    filler = folder / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    return filler


def _works(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False
