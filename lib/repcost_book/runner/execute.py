"""One chapter through papermill, in a process of its own, anywhere: text in, executed notebook out."""

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
from nbformat import NotebookNode

from repcost_book.kernel.recording import MIME_TYPE
from repcost_book.runner.chapters import is_added
from repcost_book.runner.environment import Workers, repeatable


@dataclass(frozen=True)
class Limits:
    """Seconds a cell, and a whole chapter, may take."""

    cell: int
    chapter: int


@dataclass(frozen=True)
class Outcome:
    """An executed notebook (as text; None if there is not even a broken one), why it failed, and
    how long it took.
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
) -> Outcome:
    """Run a notebook from source cells; never raises for what the chapter does."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source.ipynb"), Path(folder, "executed.ipynb")
        source.write_text(_with_recording(notebook, root), encoding="utf-8")
        failure = _papermill(source, target, parameters, limits, pid_file, sweeps or Workers())
        executed = target.read_text(encoding="utf-8") if target.is_file() else None
    if executed and not failure:
        failure = _wrote_to_stderr(nbformat.reads(executed, as_version=4))
    return Outcome(executed, failure, time.monotonic() - begun)


def take_record(notebook: NotebookNode) -> dict:
    """Remove the cells of the recording from an executed notebook and return what they recorded."""
    outputs = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if MIME_TYPE in output.get("data", {})
    ]
    notebook.cells = [
        cell for cell in notebook.cells if "recording" not in cell.metadata.get("tags", [])
    ]
    return outputs[-1]["data"][MIME_TYPE]


def stop_tree(process: psutil.Process) -> None:
    """End a process and all below it: kernels lead sessions of their own and outlive their parent
    otherwise.
    """
    try:
        family = [*process.children(recursive=True), process]
    except psutil.NoSuchProcess:
        return
    for member in family:
        try:
            member.terminate()
        except psutil.NoSuchProcess:
            continue
    for survivor in psutil.wait_procs(family, timeout=3)[1]:
        survivor.kill()


def _papermill(
    source: Path,
    target: Path,
    parameters: dict,
    limits: Limits,
    pid_file: Path | None,
    sweeps: Workers,
) -> str | None:
    command = [
        sys.executable,
        "-m",
        "papermill",
        str(source),
        str(target),
        "--kernel",
        "python3",
        "--no-progress-bar",
    ]
    command += ["--cwd", str(source.parent), "--execution-timeout", str(limits.cell)]
    for name, value in parameters.items():
        command += ["-p" if isinstance(value, int) else "-r", name, str(value)]
    with subprocess.Popen(
        command,
        env={**repeatable(), **sweeps.tell()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        if pid_file:
            pid_file.write_text(f"{process.pid} {psutil.Process(process.pid).create_time()}")
        try:
            errors = process.communicate(timeout=limits.chapter)[1]
        except subprocess.TimeoutExpired:
            stop_tree(psutil.Process(process.pid))
            return f"the chapter took longer than {limits.chapter} s and was stopped (--chapter-timeout)"
        finally:
            if pid_file:
                pid_file.unlink(missing_ok=True)
    if process.returncode == 0:
        return None
    lines = [line for line in errors.strip().splitlines() if line.strip()]
    return "\n".join(lines[-8:]) or f"papermill ended with code {process.returncode}"


def _with_recording(notebook: str, root: str) -> str:
    node = nbformat.reads(notebook, as_version=4)

    def cell(id: str, source: str) -> NotebookNode:
        return nbformat.v4.new_code_cell(source, id=id, metadata={"tags": ["recording"]})

    begin = f"from repcost_book.kernel.recording import Recording as _Recording\n_recording = _Recording({root!r})"
    node.cells = [
        cell("recording-begin", begin),
        *node.cells,
        cell("recording-end", "_recording.report(globals())"),
    ]
    return nbformat.writes(node)


def _wrote_to_stderr(notebook: NotebookNode) -> str | None:
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr" and not is_added(cell):
                return f"cell {cell.id} wrote to stderr, which a published chapter must not:\n{output.text.strip()[-800:]}"
    return None
