"""What a chapter under doubt may not do: write anywhere but into the folder that it was given.

A wrong name or a turned comparison could overwrite results, figures or sources.
"""

import os
import sys
from pathlib import Path

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Their first argument is what they change or remove; of a rename it is both.
CHANGING = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link"}
CHANGING |= {"os.symlink", "os.chmod", "shutil.rmtree", "shutil.move"}


def allow_writing_only_in(folder: Path) -> None:
    """From now on to the end of this process, and of its forks; a hook cannot be removed."""
    allowed = (os.fspath(folder.resolve()) + os.sep, "/dev/", "/proc/self/")

    def refuse(event: str, arguments: tuple) -> None:
        if event == "open":
            path, _, flags = arguments
            changed = [path] if isinstance(flags, int) and flags & WRITING else []
        else:
            changed = arguments[:2] if event in CHANGING else []
        for path in changed:
            if isinstance(path, str | bytes | os.PathLike):
                _refuse_outside(os.path.realpath(os.fsdecode(path)), allowed)

    sys.addaudithook(refuse)


def _refuse_outside(path: str, allowed: tuple[str, ...]) -> None:
    if not (path + os.sep).startswith(allowed):
        raise PermissionError(f"under doubt a chapter writes nothing, not {path}")
