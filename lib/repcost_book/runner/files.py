"""Writing files so that nobody ever sees half of one, or one of two that belong together."""

import tempfile
from collections.abc import Mapping
from pathlib import Path


def write(path: Path, content: str | bytes) -> bool:
    """Write atomically, unless the file already holds this; True if it, and its mtime, changed."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == data:
        return False
    folder = path.parent
    folder.mkdir(parents=True, exist_ok=True)
    # In the same folder: only within one file system is replacing a file a single step.
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{path.name}.", delete=False) as file:
        file.write(data)
    finished = Path(file.name)
    # Temporary files are for their owner alone.
    finished.chmod(0o644)
    finished.replace(path)
    return True


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
