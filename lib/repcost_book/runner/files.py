"""Writing files so that a reader never sees half of one."""

import tempfile
from pathlib import Path


def write(path: Path, content: str | bytes) -> bool:
    """Write atomically, unless the file already holds this; True if it changed (and its mtime with
    it).
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        file.write(data)
    finished = Path(file.name)
    finished.chmod(0o644)
    finished.replace(path)
    return True
