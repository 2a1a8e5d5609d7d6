"""The commands that test and that measure."""

import argparse
import os
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from repcost_book.commands.command import Command, Options, call, python
from repcost_book.commands.options import add_jobs, add_only
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
    """Everything that can fail; of named chapters, or with pytest's arguments, pytest alone."""
    some = [*options.rest, *_references(project, options.chapter)]
    took: dict[str, float] = {}
    failed = [] if some else _lint_and_pages(project, took)
    # By files, because a file's tests share what is slow to make.
    jobs = min(options.jobs, len(options.chapter) or options.jobs)
    pytest = ["pytest", "-n", str(jobs), "--dist", "loadfile", *some]
    # It ends with where its own time went (tests/times.py).
    failed += _step(project, pytest, repeatable(project.own))
    # Of the paper profile what is executed is compared; nothing runs for it.
    failed += [] if some else _step(project, ["repcost_book", "compare"])
    if took:
        print("\nBefore the tests, in seconds, the looks beside the pages:")
        print("\n".join(f"{seconds:8.1f}  {name}" for name, seconds in took.items()))
    if failed:
        raise SystemExit(f"\nFailed: {', '.join(failed)}")


def compare(project: Project, options: Options) -> None:
    """Print which claims differ, and which chapters there is nothing to compare of."""
    from repcost_book.runner.references import compare_paper

    came = compare_paper(project, options.only)
    for difference in came.differences:
        print(difference)
    if not (came.compared or options.only):
        print("No chapter is executed in the paper profile here, so there is nothing to compare.")
        return
    print(f"Compared with references of the paper profile: {len(came.compared)} chapters")
    _print_names("Without a reference", came.without_reference)
    _print_names("Not executed in the paper profile, or changed since", came.not_executed)
    # Whoever names a chapter wants it compared.
    if came.differences or (options.only and came.not_executed):
        raise SystemExit("\nThe paper profile is not what its references have.")


def bench(project: Project, options: Options) -> None:
    """Measure ours against theirs; a run of all benchmarks enters the book."""
    from repcost_book.pages.benchmarks import record

    # All that pytest-benchmark measured; the book keeps a small part of it.
    report = project.build / "benchmarks.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    where = [] if _names_a_file(options.rest) else ["benchmarks"]
    command = python("pytest", *where, *TIMED, f"--benchmark-json={report}", *options.rest)
    if call(command, project.root, repeatable(project.own)):
        raise SystemExit("A benchmark failed; the table in the book stays as it was.")
    if options.rest:
        print("Only a run of all benchmarks enters the book.")
    else:
        record(report, project.benchmarks)
        print(f"Recorded in {os.path.relpath(project.benchmarks)}")


def _lint_and_pages(project: Project, took: dict[str, float]) -> list[str]:
    """Which of the looks failed, and whether the pages did; their seconds go into `took`."""
    failed = _timed(project, ["repcost_book", "run"], took)
    # Chapters take every core, and the pages one of them; so the looks wait for the pages.
    with _looking(project.root) as looks:
        failed = failed or _timed(project, ["repcost_book", "book"], took)
    # Leaving the block waits for the last of them.
    for name, look in looks.items():
        done, took[name] = look.result()
        print(f"\n--- {name}\n{done.stdout}", flush=True)
        failed += [name] * bool(done.returncode)
    return failed


def _timed(project: Project, arguments: list[str], took: dict[str, float]) -> list[str]:
    # In a process of its own, as a reader would start it.
    begun = time.monotonic()
    failed = _step(project, arguments)
    took[" ".join(arguments)] = time.monotonic() - begun
    return failed


@contextmanager
def _looking(folder: Path) -> Iterator[Looks]:
    """One look after the other, beside what is done meanwhile."""

    def look(name: str) -> Look:
        command, out, begun = python(*name.split()), subprocess.PIPE, time.monotonic()
        done = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, text=True)
        return done, time.monotonic() - begun

    with ThreadPoolExecutor(max_workers=1) as beside:
        yield {name: beside.submit(look, name) for name in LOOKS}


def _step(
    project: Project, arguments: list[str], environment: dict[str, str] | None = None
) -> list[str]:
    """Run one step in sight of the reader; its name if it failed."""
    name = " ".join(arguments)
    print(f"\n--- {name}", flush=True)
    return [name] if call(python(*arguments), project.root, environment) else []


def _references(project: Project, names: list[str]) -> list[str]:
    """The reference notebooks of these chapters."""
    from repcost_book.runner.chapters import chapters

    named = chapters(project, names) if names else []
    return [str(project.references / f"{chapter.name}.ipynb") for chapter in named]


def _print_names(says: str, names: list[str]) -> None:
    if names:
        print(f"{says}: {', '.join(names)}")


def _names_a_file(arguments: list[str]) -> bool:
    # As pytest writes it: benchmarks/test_tours.py::test_ours.
    return any(Path(argument.partition("::")[0]).exists() for argument in arguments)


def _add_chapter(parser: argparse.ArgumentParser) -> None:
    says = "run the reference notebook of this chapter alone, such as savarese-2019/cost"
    parser.add_argument("--chapter", action="append", default=[], metavar="CHAPTER", help=says)


COMMANDS = (
    Command(
        "test",
        "lint, types, spelling, pages, tests, references; with pytest's arguments pytest alone",
        test,
        needs=("nbval", "test"),
        add_options=(add_jobs, _add_chapter),
        passes_on=True,
    ),
    Command(
        "compare",
        "compare what is executed of the paper profile with its references",
        compare,
        needs=("nbformat", "book"),
        add_options=(add_only,),
    ),
    Command(
        "bench",
        "benchmarks: ours against theirs, as ratios in one run; takes pytest's arguments too",
        bench,
        needs=("pytest_benchmark", "test"),
        passes_on=True,
    ),
)
