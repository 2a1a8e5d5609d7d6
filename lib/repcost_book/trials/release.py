"""What is uploaded on a tag, made and tried before anybody else has it.

A release is a wheel and an sdist. Both are made twice, the second wheel from the sdist, and must
be the same byte for byte: so anyone can make them again and compare. Then each Python that is
promised installs the wheel alone, once with the oldest versions of what it requires and once with
the newest, and runs the example of the README. Nothing is uploaded here.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from repcost_book.runner.environment import DATED
from repcost_book.runner.project import Project

PROMISED = ("3.11", "3.12", "3.13")
# Held to one version: a release of tomorrow is judged as one of today.
TWINE = "twine==7.0.0"
UV = (sys.executable, "-m", "uv")


@dataclass(frozen=True)
class Release:
    """The two files of a release, made in a folder."""

    project: Project
    folder: Path

    def build(self) -> None:
        """Make the wheel and the sdist, and leave no older ones beside them."""
        shutil.rmtree(self.folder, ignore_errors=True)
        build(self.project.root, self.folder)

    @property
    def wheel(self) -> Path:
        (found,) = self.folder.glob("*.whl")
        return found

    @property
    def sdist(self) -> Path:
        (found,) = self.folder.glob("*.tar.gz")
        return found

    def made_differently(self) -> list[str]:
        """The files that are not the same when others make them, from the sdist alone."""
        with TemporaryDirectory() as place:
            with tarfile.open(self.sdist) as archive:
                archive.extractall(place, filter="data")
            (source,) = Path(place).iterdir()
            # An sdist adds it to the sources; in a second one it would be there twice.
            (source / "PKG-INFO").unlink()
            again = Release(self.project, Path(place) / "again")
            build(source, again.folder)
            pairs = (self.wheel, again.wheel), (self.sdist, again.sdist)
            return [ours.name for ours, theirs in pairs if digest(ours) != digest(theirs)]

    def is_described(self) -> bool:
        """Whether an index can show the description and the metadata."""
        check = [*UV, "tool", "run", "--quiet", "--from", TWINE, "twine", "check", "--strict"]
        return not subprocess.run([*check, str(self.wheel), str(self.sdist)]).returncode

    def alone(self, python: str, resolution: str) -> str:
        """What goes wrong where the wheel is installed and nothing else; empty if nothing does.

        resolution: "lowest-direct" for the floors of the core, "highest" for the newest.
        """
        with TemporaryDirectory() as place:
            inside = Path(place) / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
            install = ["pip", "install", "--quiet", "--only-binary", ":all:", "--python", inside]
            install += ["--resolution", resolution, self.wheel, *core(self.project)]
            steps = [
                [*UV, "venv", "--quiet", "--python", python, place],
                [*UV, *install],
                [inside, "-c", example(self.project)],
            ]
            return next(filter(None, (_failed(step, place) for step in steps)), "")


def build(source: Path, folder: Path) -> None:
    """Make both files of the sources in a folder, with the date that all of them have."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel"]
    environment = {**os.environ, **DATED}
    subprocess.run([*command, "-d", folder], cwd=source, check=True, env=environment)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def core(project: Project) -> list[str]:
    """What the package requires without extras, as it is written."""
    text = (project.root / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]["dependencies"]


def example(project: Project) -> str:
    """The first example of the README, which needs no extra."""
    readme = (project.root / "README.md").read_text(encoding="utf-8")
    return readme.split("```python\n", 1)[1].split("```", 1)[0]


def pythons() -> dict[str, str | None]:
    """Where each Python is that is promised; None where it is not on the path."""
    return {version: _works(shutil.which(f"python{version}")) for version in PROMISED}


def disagreements(project: Project, version: str) -> Iterator[str]:
    """Which files do not speak of this version."""
    citation = yaml.safe_load((project.root / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (project.root / "CHANGELOG.md").read_text(encoding="utf-8")
    if citation["version"] != version:
        yield f"CITATION.cff has version {citation['version']}, and the package {version}"
    heading = re.search(rf"^## {re.escape(version)}\b.*$", changes, re.MULTILINE)
    if heading is None:
        yield f"CHANGELOG.md has no heading '## {version} (DATE)'; rename that of the unreleased"
    elif str(citation["date-released"]) not in heading[0]:
        yield f"CITATION.cff has another date than '{heading[0]}' in CHANGELOG.md"


def _works(path: str | None) -> str | None:
    # Shims of version managers are on the path also where there is nothing behind them.
    runs = path and not subprocess.run([path, "--version"], capture_output=True).returncode
    return path if runs else None


def _failed(command: list, place: str) -> str:
    # Elsewhere, and without what could lead back into this checkout.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
    return (done.stderr.strip() or "it failed without a word") if done.returncode else ""
