"""What the processes of the book find in their environment; the library leaves its own alone."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import repcost
from repcost_book import Run
from repcost_book.__main__ import main
from repcost_book.kernel.workers import Workers
from repcost_book.runner import environment
from repcost_book.runner.environment import AVX_512, THREADS, fast, repeatable
from repcost_book.runner.project import Project

# To read or to set an environment variable, or the number of threads of a library.
TOUCHES = re.compile(
    r"environ|getenv|putenv|set_num_threads|set_num_interop_threads|threadpool_limits"
)


def touching(folder: Path) -> list[str]:
    return [
        path.name
        for path in sorted(folder.rglob("*.py"))
        if TOUCHES.search(path.read_text("utf-8"))
    ]


def test_the_library_touches_neither_environment_nor_threads():
    assert touching(Path(repcost.__file__).parent) == []
    assert "environment.py" in touching(Path(environment.__file__).parent)


@pytest.mark.parametrize(
    "flags, chosen", [(AVX_512, True), (AVX_512 | {"fma"}, True), ({"avx512f"}, False), ((), False)]
)
def test_the_kernels_need_every_part_of_avx_512(monkeypatch, flags, chosen):
    monkeypatch.setattr(environment, "flags", lambda: set(flags))
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    assert fast().get("OPENBLAS_CORETYPE") == ("SKYLAKEX" if chosen else None)


def test_where_there_is_no_proc_nothing_is_chosen(monkeypatch):
    monkeypatch.setattr(environment, "PROCESSOR", Path("/nowhere"))
    assert environment.flags() == set()


def test_a_process_of_the_book_has_one_thread_and_its_arithmetic_works():
    told = """
import numpy, torch
print(torch.get_num_threads(), (numpy.ones((99, 99)) @ numpy.ones(99)).sum())
"""
    done = subprocess.run(
        [sys.executable, "-c", told], env=repeatable(), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", "9801.0"]


@pytest.mark.parametrize("command", ["test", "bench"])
def test_tests_and_benchmarks_run_in_it(monkeypatch, command):
    seen = []

    def call(command, folder, environment=None):
        seen.append((command, environment))
        return 0

    monkeypatch.setattr("repcost_book.commands.testing.call", call)
    main([command, "-k", "nothing"])
    ((called, found),) = seen
    assert "pytest" in called and found.items() >= THREADS.items()
    assert found == repeatable(Project.here().own)


def test_a_kernel_is_told_where_its_sweeps_run():
    assert Workers.told({}) == Workers() == Workers(1, "")
    for workers in (Workers(3), Workers(scheduler="tcp://there:1")):
        assert Workers.told(workers.tell()) == workers


def test_a_sweep_of_a_chapter_runs_here_unless_told_otherwise():
    places = Run("quick").sweep(
        lambda number: (number, os.getpid()), [{"number": n} for n in range(3)]
    )
    assert places == [(n, os.getpid()) for n in range(3)]
