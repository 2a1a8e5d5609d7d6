"""One chapter through papermill, in a process of its own, anywhere: text in, notebook out."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
from nbformat import NotebookNode

from repcost_book.kernel.workers import Workers
from repcost_book.runner.chapters import is_added
from repcost_book.runner.environment import repeatable
from repcost_book.runner.processes import pid_noted, stop_tree
from repcost_book.runner.records import with_recording

NOWHERE = subprocess.DEVNULL
TETHERED = Path(__file__).with_name("tethered.py")
# Seconds between two questions whether a chapter is still wanted.
OFTEN = 1.0
# Where programmes put temporary files, on POSIX and on Windows.
TEMPORARY = ("TMPDIR", "TEMP", "TMP")
# So much of what went wrong is told: the end, where Python says it.
LAST_LINES, LAST_LETTERS = 8, 800
FONTS = "Matplotlib is building the font cache; this may take a moment."


@dataclass(frozen=True)
class Limits:
    """Seconds a cell, and a whole chapter, may take."""

    cell: int
    chapter: int


@dataclass(frozen=True)
class Outcome:
    """What became of a chapter: its failure, if any, and how long it took.

    notebook: as text; None if there is not even a broken one.
    """

    notebook: str | None
    failure: str | None
    seconds: float


def execute(
    notebook: str,
    parameters: dict,
    limits: Limits,
    *,
    root: str = ".",
    pid_file: Path | None = None,
    sweeps: Workers | None = None,
    setting: Mapping[str, str] | None = None,
    wanted: Callable[[], bool] = lambda: True,
    own: Path | None = None,
) -> Outcome:
    """Run a notebook from source cells; never raises for what the chapter does.

    setting: what its environment has that is not the usual. wanted: asked every second; when it
    says no, the kernel is stopped. own: where Matplotlib, IPython and Jupyter keep what is theirs;
    the home if not given.
    """
    begun = time.monotonic()
    recorded = with_recording(nbformat.reads(notebook, as_version=4), root)
    told = {**repeatable(own), **(sweeps or Workers()).tell(), **(setting or {})}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source.ipynb"), Path(folder, "executed.ipynb")
        source.write_text(nbformat.writes(recorded), encoding="utf-8")
        # What Jupyter leaves behind goes with the folder, too.
        environment = {**told, **dict.fromkeys(TEMPORARY, folder)}
        command = _papermill(source, target, parameters, limits.cell)
        failure = _run(command, environment, limits.chapter, pid_file, wanted)
        executed = _read(target)
    if executed:
        failure = f"{failure}{_where(executed)}" if failure else _wrote_to_stderr(executed)
    text = nbformat.writes(executed) if executed else None
    return Outcome(text, failure, time.monotonic() - begun)


def _read(target: Path) -> NotebookNode | None:
    """The executed notebook; None if there is none, or half of one: its writer was stopped."""
    try:
        return nbformat.read(target, as_version=4)
    except (OSError, ValueError):
        return None


def _papermill(source: Path, target: Path, parameters: dict, cell_seconds: int) -> list[str]:
    # -P: the modules beside that file have names that others have, too.
    command = [sys.executable, "-P", str(TETHERED), str(source), str(target)]
    command += ["--kernel", "python3", "--no-progress-bar", "--cwd", str(source.parent)]
    command += ["--execution-timeout", str(cell_seconds)]
    for name, value in parameters.items():
        # -p guesses the type of its value: a text that looks like None would arrive as that.
        command += ["-p" if isinstance(value, int) else "-r", name, str(value)]
    return command


def _run(
    command: list[str],
    environment: dict[str, str],
    seconds: int,
    pid_file: Path | None,
    wanted: Callable[[], bool],
) -> str | None:
    """Why the command failed, or None."""
    with _tether() as tether:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=tether,
            stdout=NOWHERE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process, pid_noted(pid_file, process.pid):
            return _wait(process, seconds, wanted)


@contextmanager
def _tether() -> Iterator[int]:
    """The end of a pipe that closes when this block, or this process, ends."""
    theirs, ours = os.pipe()
    try:
        yield theirs
    finally:
        os.close(theirs)
        os.close(ours)


def _wait(process: subprocess.Popen[str], seconds: int, wanted: Callable[[], bool]) -> str | None:
    """Why the process failed, or was stopped; None if all is well."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and wanted():
        try:
            errors = process.communicate(timeout=min(OFTEN, left))[1]
        except subprocess.TimeoutExpired:
            continue
        return _why(errors, process.returncode)
    stop_tree(psutil.Process(process.pid))
    if left > 0:
        return "nobody waits for this chapter any more, and it was stopped"
    return f"the chapter took longer than {seconds} s and was stopped (--chapter-timeout)"


def _why(errors: str, code: int) -> str | None:
    if code == 0:
        return None
    if "DeadKernelError" in errors:
        return "the kernel died: it was killed, perhaps for want of memory, or it crashed"
    lines = [line for line in errors.strip().splitlines() if line.strip()]
    return "\n".join(lines[-LAST_LINES:]) or f"papermill ended with code {code}"


def _where(notebook: NotebookNode) -> str:
    """The cell in which the kernel was last, where the failure itself does not show it."""
    told = [(cell, cell.metadata.get("papermill", {})) for cell in notebook.cells]
    begun = [(cell, about) for cell, about in told if about.get("start_time")]
    if not begun or begun[-1][1]["exception"]:
        return ""
    last = begun[-1][0]
    first = next(iter(last.source.strip().splitlines()), "")
    return f"\nin cell {last.id}, which begins with: {first}"


def _wrote_to_stderr(notebook: NotebookNode) -> str | None:
    """Which cell did, and what: a page that shows a warning is not finished.

    What Matplotlib says once in the life of an installation, and on a slow machine only, is taken
    out: it is about no chapter.
    """
    for cell in [each for each in notebook.cells if each.cell_type == "code"]:
        cell.outputs = [each for each in cell.outputs if not _is_of_fonts(each)]
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr" and not is_added(cell):
                said = output.text.strip()[-LAST_LETTERS:]
                where = f"cell {cell.id} wrote to stderr, which a published chapter must not"
                return f"{where}:\n{said}"
    return None


def _is_of_fonts(output: NotebookNode) -> bool:
    is_line = output.output_type == "stream" and output.name == "stderr"
    return is_line and output.text.strip() == FONTS
