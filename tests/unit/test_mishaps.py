"""What the runner does when something around it fails: one sentence, nothing lost, no litter."""

import json
import os
import signal
import subprocess
import sys
import time

import nbformat
import psutil
import pytest

from repcost_book.__main__ import main
from repcost_book.runner import files
from repcost_book.runner.environment import KEPT, repeatable
from repcost_book.runner.files import write
from repcost_book.runner.locks import Held, lock
from repcost_book.runner.paper_runs import noted
from repcost_book.runner.processes import only_run
from repcost_book.runner.runs import Request, run, summary
from repcost_book.runner.store import Kept
from tests.mishaps import Talking, fill, holding, make_read_only, mounted
from tests.small_book import small_book, states, write_chapter

QUICK = {"profile": "quick"}


@pytest.fixture
def project(tmp_path):
    return small_book(tmp_path)


# Disks


def test_a_full_disk_keeps_the_old_file_and_no_half_of_the_new_one(tmp_path):
    with mounted(tmp_path / "disk", "size=600k"):
        path = tmp_path / "disk" / "notebook.ipynb"
        write(path, "old")
        with pytest.raises(OSError) as raised:
            write(path, bytes(2**20))
        assert path.read_text() == "old"
        assert [found.name for found in path.parent.iterdir()] == ["notebook.ipynb"]
        said = files.cannot_write(raised.value)
    assert said and str(path) in said and "No space is left" in said and "make room" in said


def test_a_full_disk_ends_a_run_with_one_sentence(tmp_path, monkeypatch):
    with mounted(tmp_path / "disk", "size=600k"):
        project = small_book(tmp_path / "disk")
        monkeypatch.chdir(project.root)
        before = sorted(project.root.rglob("*"))
        filler = fill(project.root)
        with pytest.raises(SystemExit, match=r"No space is left for .*: make room"):
            main(["run", "good"])
        filler.unlink()
        litter = set(project.root.rglob("*")) - set(before)
    assert {path.name for path in litter} <= {"_build", "running", "lock"}


def test_a_disk_that_is_full_when_the_chapter_has_run(tmp_path, monkeypatch):
    with mounted(tmp_path / "disk", "size=600k"):
        project = small_book(tmp_path / "disk")
        write_chapter(project.root, "good", "print('x' * 2**20)")
        monkeypatch.chdir(project.root)
        with pytest.raises(SystemExit, match=r"No space is left for .*good\.ipynb: make room"):
            main(["run", "good"])
        kept = list(project.executed("quick").rglob("*"))
        assert kept == [] and [path.name for path in project.running.iterdir()] == ["lock"]


def test_a_checkout_that_is_read_only(tmp_path, monkeypatch, capsys):
    with mounted(tmp_path / "disk", "size=8m"):
        project = small_book(tmp_path / "disk")
        monkeypatch.chdir(project.root)
        main(["run", "good"])
        write_chapter(project.root, "data", "print('other')")
        make_read_only(project.root)
        # Nothing need be written for what has not changed.
        main(["run", "good"])
        assert "cached" in capsys.readouterr().out
        with pytest.raises(SystemExit, match=r"_build.* cannot be written .*: run it in a check"):
            main(["run", "data"])


def test_other_errors_are_not_taken_for_these():
    assert files.cannot_write(FileNotFoundError(2, "No such file", "x")) is None


SETTINGS = """
import IPython.paths, matplotlib
print(matplotlib.get_configdir(), IPython.paths.get_ipython_dir())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no HOME")
def test_a_home_that_cannot_be_written(project, monkeypatch):
    write_chapter(project.root, "good", SETTINGS)
    # For root, too, no folder can be made below a file.
    monkeypatch.setenv("HOME", str(project.lock))
    for name in (*KEPT, "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    (ran,) = run(project, Request(only=["good"]))
    assert ran.failure is None
    shown = nbformat.read(ran.notebook, as_version=4).cells[-1].outputs[0].text
    assert shown.split() == [str(project.own / name) for name in ("matplotlib", "ipython")]
    # Without folders of our own it would have failed.
    command = [sys.executable, "-c", SETTINGS]
    alone = subprocess.run(command, env=repeatable(), capture_output=True, text=True)
    assert "IPython parent" in alone.stderr and "Matplotlib" in alone.stderr


# What was kept, and is damaged


def test_damaged_records_and_notebooks_are_stale_and_named(project, capsys):
    (ran,) = run(project, Request(only=["good"]))
    kept = Kept(project, ran.chapter, QUICK)
    whole, notebook = kept.record.read_bytes(), kept.notebook.read_bytes()
    assert kept.is_current() and capsys.readouterr().out == ""
    other = {**json.loads(whole), "files": []}
    for damage in (b"", whole[:50], b"{}", b"[]", b"\xff\x00", json.dumps(other).encode()):
        kept.record.write_bytes(damage)
        assert not kept.is_current()
        said = capsys.readouterr().out
        assert "good.json is not as it was written; good runs again" in said
    kept.record.write_bytes(whole)
    for damage in (b"", notebook[: len(notebook) // 2], notebook + b" "):
        kept.notebook.write_bytes(damage)
        assert not kept.is_current()
        assert "good.ipynb is not as it was written" in capsys.readouterr().out
    # The run repairs both.
    assert states(run(project, Request(only=["good"]))) == {"good": "ran"}
    assert kept.is_current()


def test_a_damaged_list_of_paper_runs_is_named_with_the_remedy(tmp_path):
    path = tmp_path / "paper-runs.json"
    path.write_text('{"a": {"sec')
    with pytest.raises(SystemExit, match=r"paper-runs\.json is damaged; restore it: git checkout"):
        noted(path)


# Locks


def test_of_many_at_once_one_has_the_lock(tmp_path):
    go, code = (
        tmp_path / "go",
        """
import sys, time
from pathlib import Path
from repcost_book.runner.locks import Held, lock
print("ready", flush=True)
while not Path(sys.argv[1]).exists():
    pass
try:
    with lock(Path(sys.argv[2])):
        print("held", flush=True)
        sys.stdin.read()
except Held:
    print("refused", flush=True)
""",
    )
    command = [sys.executable, "-c", code, str(go), str(tmp_path / "lock")]
    several = [Talking(*command) for _ in range(4)]
    assert {one.word() for one in several} == {"ready"}
    go.touch()
    said = [one.word() for one in several]
    for one in several:
        one.end()
    assert sorted(said) == ["held", *["refused"] * 3]


def test_a_holder_that_is_killed_and_not_reaped_holds_nothing(tmp_path):
    path = tmp_path / "lock"
    with holding(path) as holder:
        with pytest.raises(Held, match=str(holder.pid)), lock(path):
            pass
        holder.kill()
        process, deadline = psutil.Process(holder.pid), time.monotonic() + 30
        while os.name != "nt" and process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline
        with lock(path):
            assert path.read_text() == str(os.getpid())


def test_two_books_at_once_although_nothing_need_be_run(project, monkeypatch):
    monkeypatch.chdir(project.root)
    project.contents.write_text(json.dumps({"format": "jb-book", "root": "book/plain"}))
    with holding(project.running / "lock") as other:
        says = rf"Another run is going on here \(process {other.pid}\); wait for it, or stop it"
        with pytest.raises(SystemExit, match=says):
            main(["book"])


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_run_under_nohup_goes_on_when_the_terminal_is_closed(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with only_run(tmp_path / "running"):
        os.kill(os.getpid(), signal.SIGHUP)
    assert signal.signal(signal.SIGHUP, before) == signal.SIG_IGN
    with pytest.raises(KeyboardInterrupt), only_run(tmp_path / "running"):
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(60)


# What a chapter does


def test_a_kernel_that_dies_names_its_cell(project):
    write_chapter(project.root, "good", "import os\nos._exit(9)")
    result = run(project, Request(only=["good"]))
    assert "the kernel died" in summary(result)
    assert "in cell c002, which begins with: import os" in summary(result)
