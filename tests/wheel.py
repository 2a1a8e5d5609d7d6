"""The packages as others install them: from the wheel, into a folder that has nothing else."""

import zipfile
from pathlib import Path

from repcost_book.commands.tools import build_wheel
from repcost_book.runner.project import Project


def install_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout and unpack it; the place to put on the path."""
    assert build_wheel(Project.here(), folder) == 0
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "installed")
    return folder / "installed"
