"""Waiting for what another process does."""

import time
from collections.abc import Callable

import psutil

# Seconds for what would hang.
PATIENCE = 60


def until(holds: Callable[[], object], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_gone(pid: int) -> bool:
    """Whether it has ended; whose child it is may not have noticed yet."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
