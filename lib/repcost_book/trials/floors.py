"""The oldest versions that pyproject.toml allows, installed and run.

`uv` resolves each requirement of this project, of all extras, to its floor, and what these require
to the newest that fits. Both go into an environment of their own under `_build/floors`, together
with a copy of the checkout, whose `requirements.lock` is that resolution. There everything is
tested: spelling and lint, the book with its pages, tests, and reference notebooks.

A floor counts only if it was run. So one that the resolution lifts, as another requirement does
not work with it, is reported like a failed test: it has to be raised in pyproject.toml.
"""

import re
import shutil
import subprocess
import sys
import tomllib
import venv
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from repcost_book.runner.environment import repeatable
from repcost_book.runner.files import write
from repcost_book.runner.project import Project

RESOLVE = ["uv", "pip", "compile", "pyproject.toml", "--all-extras", "--no-header", "--no-annotate"]
RESOLVE += ["--resolution", "lowest-direct", "--quiet"]
PIP = ["pip", "--disable-pip-version-check", "install", "--quiet"]
# What `test` does, but for types: they follow the annotations of numpy and scipy, which change with
# every version of these, and are promised for the pins alone.
STEPS = ["ruff check", "ruff format --check", "codespell_lib", "repcost_book book"]
STEPS += ["repcost_book test lib/repcost lib/repcost_book tests"]
OURS = "our own code"
# Which modules a package brings is in its metadata; that they can be imported is the least.
IMPORT = """
import importlib, sys
from importlib.metadata import packages_distributions
wanted, bad = set(sys.argv[1:]), []
for module, packages in packages_distributions().items():
    if wanted & {name.lower().replace('_', '-') for name in packages} and module.isidentifier():
        try:
            importlib.import_module(module)
        except Exception as error:
            bad.append(f'{module}: {type(error).__name__}: {error}')
print('\\n'.join(bad))
"""


@dataclass(frozen=True)
class Floors:
    """An environment at the floors, but for the `pins` (NAME==VERSION), and what is run in it."""

    project: Project
    pins: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        return self.project.build / "floors"

    @property
    def checkout(self) -> Path:
        return self.folder / "checkout"

    @property
    def python(self) -> str:
        inside = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
        return str(self.folder / "venv" / inside)

    @property
    def constraints(self) -> Path:
        return self.folder / "constraints.txt"

    def resolve(self) -> dict[str, Version]:
        """The version of every package, also kept as a file of constraints."""
        pinned = self.folder / "pins.txt"
        write(pinned, "".join(f"{pin}\n" for pin in self.pins))
        command = [sys.executable, "-m", *RESOLVE, "-c", str(pinned), "-o", str(self.constraints)]
        # An earlier resolution would be kept as far as it fits.
        self.constraints.unlink(missing_ok=True)
        subprocess.run(command, cwd=self.project.root, check=True)
        return versions(self.constraints.read_text(encoding="utf-8"))

    def install(self) -> None:
        """Make the environment anew, unless one of the same versions is there."""
        direct = "".join(f"{each}\n" for each in requirements(self.project))
        key = self.folder / "ready.txt"
        wanted = self.constraints.read_text(encoding="utf-8") + direct
        if not key.is_file() or key.read_text(encoding="utf-8") != wanted:
            key.unlink(missing_ok=True)
            write(self.folder / "direct.txt", direct)
            venv.create(self.folder / "venv", with_pip=True, clear=True)
            # What must be compiled is no floor for most people.
            wheels = ["--only-binary", ":all:", "-c", str(self.constraints)]
            self._run(*PIP, *wheels, "-r", str(self.folder / "direct.txt"))
            write(key, wanted)
        self._copy()
        # By the floor of what builds it, too, and so without the isolation that takes the newest.
        self._run(*PIP, "--no-build-isolation", "--no-deps", "-e", ".", folder=self.checkout)

    def not_imported(self) -> list[str]:
        """The modules of direct requirements that cannot be imported, and why."""
        names = [canonicalize_name(each.name) for each in requirements(self.project)]
        command = [self.python, "-c", IMPORT, *names]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.split("\n")[:-1] if done.stdout.strip() else []

    def test(self, arguments: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
        """The steps that failed, and failed tests by package; arguments are for pytest alone."""
        report = self.folder / "junit.xml"
        report.unlink(missing_ok=True)
        environment = {**repeatable(), "PYTEST_ADDOPTS": f"--junitxml={report}"}
        # It could bring in the packages of this checkout instead of those of the copy.
        environment.pop("PYTHONPATH", None)
        alone = ["repcost_book", "test", *arguments]
        bad = []
        for step in [alone] if arguments else [step.split() for step in STEPS]:
            print(f"\n--- at the floors: {' '.join(step)}", flush=True)
            command = [self.python, "-m", *step]
            if subprocess.run(command, cwd=self.checkout, env=environment).returncode:
                bad.append(" ".join(step))
        failed = by_package(report.read_text(encoding="utf-8")) if report.is_file() else {}
        return bad, failed

    def _run(self, *arguments: str, folder: Path | None = None) -> None:
        command = [self.python, "-m", *arguments]
        subprocess.run(command, cwd=folder or self.project.root, check=True)

    def _copy(self) -> None:
        """The files of the checkout, changed or new ones too, but none that git ignores."""
        shutil.rmtree(self.checkout, ignore_errors=True)
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        found = subprocess.run(listing, cwd=self.project.root, capture_output=True, check=True)
        for name in filter(None, found.stdout.decode().split("\0")):
            if (self.project.root / name).is_file():
                (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.project.root / name, self.checkout / name)
        shutil.copy2(self.constraints, self.checkout / "requirements.lock")
        # Of other versions.
        (self.checkout / "requirements.hashes").unlink(missing_ok=True)
        # A repository of its own: otherwise ruff finds that git ignores all that lies in _build.
        subprocess.run(["git", "init", "--quiet"], cwd=self.checkout, check=True)


def requirements(project: Project) -> list[Requirement]:
    """What this project requires by itself, with all extras."""
    text = (project.root / "pyproject.toml").read_text(encoding="utf-8")
    about = tomllib.loads(text)["project"]
    extras = chain.from_iterable(about["optional-dependencies"].values())
    return [Requirement(line) for line in (*about["dependencies"], *extras)]


def versions(constraints: str) -> dict[str, Version]:
    """The versions in a file of lines NAME==VERSION."""
    pins = map(Requirement, (line for line in constraints.splitlines() if line[:1].isalnum()))
    return {canonicalize_name(pin.name): Version(next(iter(pin.specifier)).version) for pin in pins}


def lifted(
    wanted: Iterable[Requirement], resolved: Mapping[str, Version], pins: Iterable[str] = ()
) -> dict[str, Version]:
    """The requirements, as they are written, whose floor was not resolved, and what was."""
    pinned = {canonicalize_name(Requirement(pin).name) for pin in pins}
    higher = {}
    for each in wanted:
        name = canonicalize_name(each.name)
        if name not in pinned and floor(each) != resolved[name]:
            higher[str(each)] = resolved[name]
    return higher


def floor(requirement: Requirement) -> Version:
    """The oldest version that a requirement allows; each has one."""
    floors = [spec.version for spec in requirement.specifier if spec.operator == ">="]
    if not floors:
        raise ValueError(f"{requirement} has no floor; write NAME>=VERSION in pyproject.toml")
    return max(map(Version, floors))


def by_package(report: str) -> dict[str, list[str]]:
    """Failed tests of a JUnit report by the package whose code is the last in the traceback."""
    failed = defaultdict(list)
    for case in ET.fromstring(report).iter("testcase"):
        for bad in (*case.findall("failure"), *case.findall("error")):
            inside = re.findall(r"site-packages[/\\]([A-Za-z]\w*)", bad.text or "")
            name = f"{case.get('classname')}::{case.get('name')}"
            failed[inside[-1] if inside else OURS].append(name)
    return dict(failed)
