"""The commands that test and that measure."""

import os
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from repcost_book.commands.command import Command, Options, call, python
from repcost_book.commands.options import add_jobs
from repcost_book.runner.environment import repeatable
from repcost_book.runner.project import Project

# What `test` looks at while the pages are made.
LOOKS = ["ruff check", "ruff format --check", "basedpyright", "codespell_lib"]
# What is timed has no other test beside it and no checks of shapes, and counts processor time.
TIMED = ["--benchmark-only", "-p", "no:xdist", "-p", "no:jaxtyping"]
TIMED += ["-o", "addopts=--benchmark-disable-gc --benchmark-timer=time.process_time"]

# What became of one, and how many seconds it took.
Look = tuple[subprocess.CompletedProcess[str], float]
Looks = dict[str, Future[Look]]


def test(project: Project, options: Options) -> None:
    """Everything that can fail; with arguments of pytest's only what pytest does with them."""
    took: dict[str, float] = {}
    failed = [] if options.rest else _lint_and_pages(project, took)
    # By files, because a file's tests share what is slow to make.
    pytest = ["pytest", "-n", str(options.jobs), "--dist", "loadfile", *options.rest]
    # It ends with where its own time went (tests/times.py).
    failed += _step(project, pytest, repeatable())
    if took:
        print("\nBefore the tests, in seconds, the looks beside the pages:")
        print("\n".join(f"{seconds:8.1f}  {name}" for name, seconds in took.items()))
    if failed:
        raise SystemExit(f"\nFailed: {', '.join(failed)}")


def bench(project: Project, options: Options) -> None:
    """Measure ours against theirs; a run of all benchmarks enters the book."""
    from repcost_book.pages.benchmarks import record

    # All that pytest-benchmark measured; the book keeps a small part of it.
    report = project.build / "benchmarks.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    where = [] if _names_a_file(options.rest) else ["benchmarks"]
    command = python("pytest", *where, *TIMED, f"--benchmark-json={report}", *options.rest)
    if call(command, project.root, repeatable()):
        raise SystemExit("A benchmark failed; the table in the book stays as it was.")
    if options.rest:
        print("Only a run of all benchmarks enters the book.")
    else:
        record(report, project.benchmarks)
        print(f"Recorded in {os.path.relpath(project.benchmarks)}")


def _lint_and_pages(project: Project, took: dict[str, float]) -> list[str]:
    """Which of the looks failed, and whether the pages did; their seconds go into `took`."""
    begun = time.monotonic()
    # The looks run meanwhile; leaving the block waits for the last of them.
    with _looking(project.root) as looks:
        # In a process of its own, as a reader would start it.
        failed = _step(project, ["repcost_book", "book"])
        took["repcost_book book"] = time.monotonic() - begun
    for name, look in looks.items():
        done, took[name] = look.result()
        print(f"\n--- {name}\n{done.stdout}", flush=True)
        failed += [name] * bool(done.returncode)
    return failed


@contextmanager
def _looking(folder: Path) -> Iterator[Looks]:
    """One look after the other, beside what is done meanwhile."""

    def look(name: str) -> Look:
        command, out, begun = python(*name.split()), subprocess.PIPE, time.monotonic()
        done = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, text=True)
        return done, time.monotonic() - begun

    # Making the pages leaves one core free for most of the time.
    with ThreadPoolExecutor(max_workers=1) as beside:
        yield {name: beside.submit(look, name) for name in LOOKS}


def _step(
    project: Project, arguments: list[str], environment: dict[str, str] | None = None
) -> list[str]:
    """Run one step in sight of the reader; its name if it failed."""
    name = " ".join(arguments)
    print(f"\n--- {name}", flush=True)
    return [name] if call(python(*arguments), project.root, environment) else []


def _names_a_file(arguments: list[str]) -> bool:
    # As pytest writes it: benchmarks/test_tours.py::test_ours.
    return any(Path(argument.partition("::")[0]).exists() for argument in arguments)


COMMANDS = (
    Command(
        "test",
        "lint, types, spelling, pages, tests, references; with pytest's arguments pytest alone",
        test,
        needs=("nbval", "test"),
        add_options=(add_jobs,),
        passes_on=True,
    ),
    Command(
        "bench",
        "benchmarks: ours against theirs, as ratios in one run; takes pytest's arguments too",
        bench,
        needs=("pytest_benchmark", "test"),
        passes_on=True,
    ),
)
