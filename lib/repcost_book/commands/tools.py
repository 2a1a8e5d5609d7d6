"""The commands around the book: an editor, the pins, a clean checkout."""

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

from repcost_book.commands.command import Command, Options, call, python
from repcost_book.runner.environment import DATED, fast
from repcost_book.runner.files import write
from repcost_book.runner.project import Project

# A chapter is Markdown; with the first of these a double click opens it as the notebook it is.
LAB_SETTINGS = {
    "@jupyterlab/docmanager-extension:plugin": {
        "defaultViewers": {"markdown": "Jupytext Notebook"}
    },
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
}
RESOLVE = ["uv", "pip", "compile", "pyproject.toml", "--all-extras", "--universal"]
# No names of who asked for what: they would differ with the order of the requirements.
RESOLVE += ["--python-version", "3.11", "--no-header", "--no-annotate", "--quiet"]
RESOLVE += ["-o", "requirements.lock"]
# The same pins with the hashes of their files. Not in the first: with hashes among its constraints
# pip refuses what is installed from a folder.
HASH = ["uv", "pip", "compile", "requirements.lock", "--no-deps", "--generate-hashes"]
HASH += ["--universal", "--python-version", "3.11", "--no-header", "--no-annotate", "--quiet"]
HASH += ["-o", "requirements.hashes"]


def lab(project: Project, options: Options) -> None:
    """Start JupyterLab in book/, with settings of its own and not the reader's."""
    settings = project.build / "lab" / "labconfig" / "default_setting_overrides.json"
    write(settings, json.dumps(LAB_SETTINGS))
    environment = {**fast(), "JUPYTER_CONFIG_PATH": str(project.build / "lab")}
    command = python("jupyterlab", "--ServerApp.root_dir", str(project.book), *options.rest)
    sys.exit(call(command, project.root, environment))


def lock(project: Project, options: Options) -> None:
    """Resolve the pins, of which those that still fit are kept, and look their hashes up."""
    newest = ["--upgrade"] if options.upgrade else []
    steps = [python(*RESOLVE, *newest), python(*HASH, *newest)]
    sys.exit(any(call(step, project.root) for step in steps))


def wheel(project: Project, options: Options) -> None:
    """Build the wheel, and leave no older one beside it."""
    folder = project.build / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(build_wheel(project, folder))


def build_wheel(project: Project, folder: Path) -> int:
    """The wheel of this checkout, in a folder; the exit code."""
    build = python("hatchling", "build", "-t", "wheel", "-d", str(folder))
    return call(build, project.root, {**os.environ, **DATED})


def clean(project: Project, options: Options) -> None:
    """Remove _build/, in which everything lies that was made."""
    shutil.rmtree(project.build, ignore_errors=True)


def _add_upgrade(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--upgrade", action="store_true", help="newest versions")


COMMANDS = (
    Command(
        "lab",
        "JupyterLab on the chapters, which open by a double click; takes its arguments too",
        lab,
        needs=("jupyterlab", "lab"),
        passes_on=True,
    ),
    Command(
        "lock",
        "resolve requirements.lock again, and the hashes of what it pins",
        lock,
        needs=("uv", "test"),
        add_options=(_add_upgrade,),
    ),
    Command(
        "wheel",
        "build the wheel that the workers of a cluster install, in _build/wheel",
        wheel,
        needs=("hatchling", "test"),
    ),
    Command("clean", "remove everything that was built", clean),
)
