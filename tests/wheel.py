"""The packages as others install them: from the wheel, into a folder that has nothing else."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from repcost_book.runner.project import Project


def install_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout and unpack it; the place to put on the path."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    # A zip file knows no date before this one, the first of 1980; hatchling 1.27 stops there.
    dated = {**os.environ, "SOURCE_DATE_EPOCH": "315532800"}
    subprocess.run(build, cwd=Project.here().root, env=dated, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "installed")
    return folder / "installed"
