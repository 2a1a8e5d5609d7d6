"""Writing files so that nobody ever sees half of one, or one of two that belong together."""

import errno
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Disks that are full, and quotas.
FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}


def write(path: Path, content: str | bytes) -> bool:
    """Write atomically, unless the file already holds this; True if it, and its mtime, changed."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == data:
        return False
    folder = path.parent
    folder.mkdir(parents=True, exist_ok=True)
    # In the same folder: only within one file system is replacing a file a single step.
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{path.name}.", delete=False) as file:
        finished = Path(file.name)
    try:
        finished.write_bytes(data)
        # Temporary files are for their owner alone.
        finished.chmod(0o644)
        finished.replace(path)
    except BaseException as error:
        finished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            # A full disk does not say which file it was.
            error.filename = str(path)
        raise
    return True


def read_json(path: Path) -> Any:
    """What a file of the repository holds; SystemExit with the remedy if it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        name = os.path.relpath(path)
        raise SystemExit(f"{name} is damaged; restore it: git checkout -- {name}") from None


def cannot_write(error: OSError) -> str | None:
    """One sentence with the remedy, if this is what happens where nothing can be written."""
    if error.errno in FULL:
        remedy = "make room and run it again; what had finished is kept"
        return f"No space is left for {error.filename or 'a file'}: {remedy}."
    if error.errno in FORBIDDEN:
        remedy = "run it in a checkout that you may write to"
        return f"{error.filename} cannot be written ({error.strerror}): {remedy}."
    return None


def write_together(contents: Mapping[Path, str | bytes]) -> None:
    """Write all of these files, or, where one cannot be written, leave all as they were."""
    before = {path: path.read_bytes() if path.is_file() else None for path in contents}
    try:
        for path, content in contents.items():
            write(path, content)
    # Ctrl-C too, which is no Exception.
    except BaseException:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                write(path, content)
        raise
