"""What a command is, and what commands share."""

import argparse
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from repcost_book.runner.project import Project

Options = argparse.Namespace


@dataclass(frozen=True)
class Command:
    """One word after `python -m repcost_book`.

    needs: a package without which it cannot run, and the extra that brings it.
    add_options: what adds its options to its parser.
    passes_on: whether it hands what it does not know to another program.
    """

    name: str
    says: str
    run: Callable[[Project, Options], None]
    needs: tuple[str, str] | None = None
    add_options: tuple[Callable[[argparse.ArgumentParser], None], ...] = ()
    passes_on: bool = False

    def __call__(self, project: Project, options: Options) -> None:
        if self.needs:
            need(*self.needs)
        self.run(project, options)


def python(*arguments: str) -> list[str]:
    """A command line for a module of this Python."""
    return [sys.executable, "-m", *arguments]


def call(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> int:
    """Run a command to its end, in sight of the reader; its exit code."""
    # With our own streams: pytest and JupyterLab colour what they write to a terminal.
    return subprocess.run(command, cwd=folder, env=environment).returncode


def need(module: str, extra: str) -> None:
    """SystemExit with the remedy if a package is not installed."""
    # This looks for the package and does not import it, which may take seconds.
    if find_spec(module) is None:
        install = f"{Path(sys.executable).name} -m pip install -c requirements.lock"
        remedy = f"{install} -e '.[torch,book,test,{extra}]'"
        needed = f"This command needs the packages of the extra [{extra}]"
        raise SystemExit(f"{needed}; install them with\n  {remedy}")
