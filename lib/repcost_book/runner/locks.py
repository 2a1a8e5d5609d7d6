"""One process at a time: a lock that the system gives back when its holder ends, however it ends.

So no lock is ever stale, not after a kill and not while a dead holder waits to be reaped. The file
stays: whoever removed it could remove one that somebody else has just locked.

Only the standard library is used here, because the set-up reads this file by its path, by a Python
that has nothing installed.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

# A byte that no text reaches: on Windows what is locked cannot be read.
FAR = 1 << 30
HELD = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}
# Of a place where nothing can be written, and of file systems without locks.
READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


class Held(Exception):
    """Another process has the lock; as text, the number of that process."""


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the lock at this path, or raise `Held` at once."""
    file = _opened(path)
    if file is None:
        # Nobody here can write anything that another could spoil.
        yield
        return
    try:
        _take(file)
        _sign(file, path)
        yield
    finally:
        # Closing gives the lock back.
        os.close(file)


def _opened(path: Path) -> int | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        if error.errno in READ_ONLY:
            return None
        raise


def _sign(file: int, path: Path) -> None:
    try:
        os.truncate(file, 0)
        os.write(file, str(os.getpid()).encode())
    except OSError as error:
        # A full disk does not say which file it was.
        error.filename = str(path)
        raise


def _take(file: int) -> None:
    try:
        _lock_byte(file)
    except OSError as error:
        if error.errno in HELD:
            raise Held(os.read(file, 20).decode() or "unknown") from None
        if error.errno not in NO_LOCKS:
            raise


if os.name == "nt":
    import msvcrt

    def _lock_byte(file: int) -> None:
        os.lseek(file, FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(file, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock_byte(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
