"""The runner on a small book of its own: what runs, what does not, and what a failure leaves."""

import json
import os
import signal
import subprocess
import sys
import time

import nbformat
import psutil
import pytest

from repcost_book.kernel.sources import digest, located
from repcost_book.pages.merge import merge
from repcost_book.pages.settled import LedgerError
from repcost_book.runner.chapters import chapters
from repcost_book.runner.execute import FONTS, Limits
from repcost_book.runner.keys import Record, key
from repcost_book.runner.runs import Request, run, summary
from tests.small_book import CHAPTERS, small_book, states, write_chapter


@pytest.fixture
def project(tmp_path):
    return small_book(tmp_path)


def test_only_pages_that_name_a_kernel_are_chapters(project):
    assert [chapter.name for chapter in chapters(project)] == list(CHAPTERS)


def test_a_run_its_record_and_when_it_runs_again(project, capfd):
    request = Request(only=["good", "data"])
    (good, _data) = run(project, request)
    # What is no terminal gets a line for each chapter, and no bar.
    assert sorted(capfd.readouterr().err.splitlines()) in (
        ["1 of 2: good", "2 of 2: data"],
        ["1 of 2: data", "2 of 2: good"],
    )
    assert states(run(project, request)) == {"good": "cached", "data": "cached"}
    notebook = nbformat.read(good.notebook, as_version=4)
    about = notebook.metadata["repcost"]
    assert about["profile"] == "quick" and about["sizes"] == {"number": [2, 9]}
    assert "numpy" in about["versions"]
    assert notebook.cells[-1].outputs[0].text == "2 0\n"
    assert not any("recording" in cell.metadata.get("tags", []) for cell in notebook.cells)

    # Prose does not run it again; code, data and pins do, and only where they are used.
    source = project.book / "good.md"
    source.write_text(source.read_text() + "\nMore words.\n")
    assert states(run(project, request)) == {"good": "cached", "data": "cached"}
    (project.root / "results" / "numbers.json").write_text("[2]")
    assert states(run(project, request)) == {"good": "cached", "data": "ran"}
    write_chapter(project.root, "good", "print('other')")
    assert states(run(project, request)) == {"good": "ran", "data": "cached"}
    project.lock.write_text("numpy==2.1\n")
    assert states(run(project, request)) == {"good": "ran", "data": "ran"}


def test_a_changed_module_of_the_library_runs_it_again(project):
    (ran,) = run(project, Request(only=["good"]))
    record = ran.notebook.with_suffix(".json")
    content = json.loads(record.read_text())
    assert "repcost_book/kernel/run.py" in content["files"]
    content["files"]["repcost_book/kernel/run.py"] = "the hash of an older version"
    record.write_text(json.dumps(content))
    assert states(run(project, Request(only=["good"]))) == {"good": "ran"}


def test_what_is_written_while_a_chapter_runs_runs_it_again(project):
    """Its own source, or data that it has read: what is kept would not be what is there."""
    edited = "file.write_text(file.read_text().replace('1 + 1', '1 + 2')); print(1 + 1)"
    for name, file, code in (
        ("good", project.book / "good.md", edited),
        (
            "data",
            project.root / "results" / "numbers.json",
            "print(file.read_text()); file.touch()",
        ),
    ):
        begin = f"from pathlib import Path; file = Path({str(file)!r})"
        write_chapter(project.root, name, f"{begin}\n{code}")
    request = Request(only=["good", "data"])
    assert states(run(project, request)) == {"good": "ran", "data": "ran"}
    assert states(run(project, request)) == {"good": "ran", "data": "ran"}
    # Nothing is left to edit; the data are touched each time.
    assert states(run(project, request)) == {"good": "cached", "data": "ran"}


def test_the_key_and_the_files_are_each_enough_to_run_again(project):
    """Another parameter; and a true key, but a file that has changed since."""
    (good,) = chapters(project, ["good"])
    name = "repcost_book/kernel/run.py"
    now = {name: digest(located(name))}
    for files, parameters, same in (
        (now, {"seed": 0}, True),
        (now, {"seed": 1}, False),
        ({name: "older"}, {"seed": 0}, False),
    ):
        record = Record(key(good, {"seed": 0}, project, files), "", files)
        assert record.is_current(good, parameters, project) == same


def test_a_version_is_raised_without_running_anything_again(tmp_path):
    first, second, other = (tmp_path / f"{name}.py" for name in ("first", "second", "other"))
    first.write_text('"""A package."""\n\n__version__ = "0.1.0"\n\nANSWER = 4\n')
    second.write_text(first.read_text().replace("0.1.0", "1.0.0"))
    assert digest(first) == digest(second)
    # Controls: anything else counts, and data may say what they like.
    other.write_text(first.read_text().replace("4", "5"))
    assert digest(first) != digest(other)
    told = [path.rename(path.with_suffix(".txt")) for path in (first, second)]
    assert digest(told[0]) != digest(told[1])


# Takes up to twenty seconds: seven chapters run, and one sleeps until its limit, which the first
# cell of another must not reach on a busy machine.
def test_what_goes_wrong_is_named_and_the_others_finish(project):
    results = run(project, Request(limits=Limits(cell=6, chapter=60)))
    assert states(results) == {
        "good": "ran",
        "data": "ran",
        "raising": "FAILED",
        "warning": "FAILED",
        "sleeping": "FAILED",
    }
    text = summary(results)
    assert "RuntimeError: this went wrong" in text and "raising.ipynb" in text
    assert "wrote to stderr" in text and "deprecated" in text
    assert "timed out" in text.lower() or "CellTimeoutError" in text
    # The second run resumes: what was good is kept, what failed runs again.
    write_chapter(project.root, "raising", "print('mended')")
    assert states(run(project, Request(only=["good", "raising"]))) == {
        "good": "cached",
        "raising": "ran",
    }


def test_a_chapter_that_takes_too_long_is_stopped(project):
    (ran,) = run(project, Request(only=["sleeping"], limits=Limits(cell=100, chapter=5)))
    assert ran.failure and "longer than 5 s" in ran.failure
    assert not kernels_below(os.getpid())


def test_parameters_reach_the_chapter_and_the_page(project):
    (ran,) = run(project, Request(only=["good"], parameters={"seed": 7}, profile="paper"))
    executed = nbformat.read(ran.notebook, as_version=4)
    assert executed.cells[-1].outputs[0].text == "9 7\n"
    page = merge(chapters(project, ["good"])[0].notebook(), executed)
    assert any(
        "seed = 7" in cell.source and "injected-parameters" in cell.metadata.tags
        for cell in page.cells
    )
    assert "paper" in page.cells[-1].source


def test_mistyped_names_are_refused(project):
    says = "good has no parameter sed; its parameters are: profile, seed"
    with pytest.raises(SystemExit, match=says):
        run(project, Request(only=["good"], parameters={"sed": 7}))
    with pytest.raises(SystemExit, match="No chapter god; the chapters are: good"):
        run(project, Request(only=["god"]))


def test_outputs_are_never_merged_into_other_code(project):
    (ran,) = run(project, Request(only=["good"]))
    write_chapter(project.root, "good", "print('other')")
    with pytest.raises(LedgerError, match="belong to other code"):
        merge(chapters(project, ["good"])[0].notebook(), nbformat.read(ran.notebook, as_version=4))


def kernels_below(pid):
    return [child for child in psutil.Process(pid).children(recursive=True) if is_kernel(child)]


def is_kernel(process):
    try:
        return "ipykernel" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        # It has ended since it was listed.
        return False


def temporary(project):
    return project.root / "temporary"


def started(project):
    """A runner in a process of its own, and the kernel of its sleeping chapter."""
    command = [sys.executable, "-m", "repcost_book", "run", "sleeping"]
    temporary(project).mkdir()
    runner = subprocess.Popen(
        command,
        cwd=project.root,
        env={**os.environ, "TMPDIR": str(temporary(project))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where these tests are a shell's job in the background, they ignore SIGINT, and so would
        # what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 30
    while not (found := kernels_below(runner.pid)):
        assert runner.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    return runner, found[0]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("sign", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_stopped_runner_leaves_no_kernel_and_no_file(project, sign):
    runner, kernel = started(project)
    runner.send_signal(getattr(signal, sign))
    errors = runner.communicate(timeout=30)[1]
    assert runner.returncode != 0 and "Stopped" in errors
    assert not any(temporary(project).iterdir())
    psutil.wait_procs([kernel], timeout=10)
    assert not kernel.is_running() or kernel.status() == psutil.STATUS_ZOMBIE


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_runner_leaves_no_kernel_either_and_a_living_one_is_left_alone(project):
    runner, kernel = started(project)
    with pytest.raises(SystemExit, match="Another run is going on"):
        run(project, Request(only=["good"]))
    assert kernel.is_running()
    runner.kill()
    runner.communicate()
    # Nobody had the time to stop it.
    psutil.wait_procs([kernel], timeout=10)
    assert not kernel.is_running() or kernel.status() == psutil.STATUS_ZOMBIE
    assert states(run(project, Request(only=["good"]))) == {"good": "ran"}


def test_a_chapter_that_writes_to_stderr_fails_unless_matplotlib_speaks_of_its_fonts(project):
    say = "import sys\nprint({!r}, file=sys.stderr)\nprint(1)"
    write_chapter(project.root, "good", say.format("something is wrong"))
    write_chapter(project.root, "data", say.format(FONTS))
    finished = run(project, Request(only=["good", "data"]))
    assert states(finished) == {"good": "FAILED", "data": "ran"}
    failed, ran = finished
    assert "wrote to stderr" in str(failed.failure) and "something is wrong" in str(failed.failure)
    notebook = nbformat.read(ran.notebook, as_version=4)
    assert not any("font" in str(cell.get("outputs")) for cell in notebook.cells)
