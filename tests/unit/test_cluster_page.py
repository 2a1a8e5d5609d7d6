"""docs/CLUSTER.md does what it says: its commands are taken from it and run, on this machine.

What it says in commands with other names (of interfaces, addresses and chapters) is replaced by
those of here; a command that is not known to these tests fails them.
"""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from repcost_book.commands.main import command_line
from repcost_book.runner.processes import stop_tree
from repcost_book.runner.project import Project
from tests.small_book import small_book

ROOT = Project.here().root
PAGE = (ROOT / "docs" / "CLUSTER.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)```", PAGE, flags=re.MULTILINE | re.DOTALL)


SCRIPTS = [block for block in blocks("sh") if block.startswith("#!")]
COMMANDS = [line for block in blocks("sh") if block not in SCRIPTS for line in block.splitlines()]
BY = "python -m repcost_book "
# By their first words; what only SLURM has is not run.
WHEEL, INSTALL, LIST = f"{BY}wheel", "python -m pip install ", "python -c "
SCHEDULER, WORKER, FIRST, BOOK = "dask scheduler ", "dask worker ", f"{BY}run ", f"{BY}book "
OF_SLURM = ["sbatch ", "squeue "]


def command(begins: str) -> str:
    (found,) = [line for line in COMMANDS if line.startswith(begins)]
    return found


def test_every_command_is_run_below_or_is_one_of_slurm():
    known = (WHEEL, INSTALL, LIST, SCHEDULER, WORKER, FIRST, BOOK, *OF_SLURM)
    assert sorted(map(command, known)) == sorted(COMMANDS)
    assert len(SCRIPTS) == 1


def test_the_options_of_our_commands_exist():
    for line in COMMANDS:
        if line.startswith(BY):
            assert callable(command_line().parse_args(shlex.split(line.removeprefix(BY))).command)


def test_it_is_linked_from_where_people_begin():
    for name in ("README.md", "CONTRIBUTING.md"):
        assert "(docs/CLUSTER.md)" in (ROOT / name).read_text(encoding="utf-8")


def loopback() -> str:
    return next(
        name
        for name, addresses in psutil.net_if_addrs().items()
        if any(each.address == "127.0.0.1" for each in addresses)
    )


class Here:
    """A shell in which the names of the page are those of this machine."""

    def __init__(self, packages: Path, chapter: str):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        self.names = {
            r"^dask ": f"{shlex.quote(sys.executable)} -m dask ",
            r"^exec dask ": f"exec {shlex.quote(sys.executable)} -m dask ",
            r"^python ": f"{shlex.quote(sys.executable)} ",
            r"\bib0\b": loopback(),
            r"\b10\.0\.0\.1\b": "127.0.0.1",
            r"\b8786\b": self.port,
            r"\bstart/welcome\b": chapter,
        }
        # No port is asked for pages that nobody looks at.
        no_pages = {"DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__ADDRESS": ":0"}
        self.environment = {**os.environ, **no_pages, "PYTHONPATH": str(packages)}
        self.processes: list[subprocess.Popen] = []

    def translated(self, text: str) -> str:
        for theirs, ours in self.names.items():
            text = re.sub(theirs, ours.replace("\\", r"\\"), text, flags=re.MULTILINE)
        return text

    def run(self, text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        both = {**self.environment, **environment}
        text = self.translated(text)
        return subprocess.run(
            text, shell=True, cwd=folder, env=both, capture_output=True, text=True, timeout=120
        )

    def start(self, command: list[str] | str, folder: Path) -> subprocess.Popen:
        with (folder / "log").open("a") as log:
            started = subprocess.Popen(
                command,
                shell=isinstance(command, str),
                cwd=folder,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        self.processes.append(started)
        return started

    @contextmanager
    def nothing_left(self) -> Iterator[None]:
        try:
            yield
        finally:
            for process in self.processes:
                if process.poll() is None:
                    stop_tree(psutil.Process(process.pid))
                process.wait()


# Takes up to ten seconds: the wheel is made and installed, and five processes start as told there.
@pytest.mark.skipif(sys.platform == "win32", reason="commands of a POSIX shell")
def test_the_commands_by_hand_and_the_script_of_a_job(tmp_path):
    """From the wheel to a chapter that ran on one of two workers."""
    packages, empty, root = (tmp_path / name for name in ("packages", "empty", "book_of_here"))
    empty.mkdir()
    root.mkdir()
    project, here = small_book(root), Here(packages, "good")
    checkout = {"PYTHONPATH": str(ROOT / "lib")}
    done = [here.run(WHEEL, ROOT, **checkout)]
    # The packages that it needs are here: only the wheel is installed.
    alone = f" --no-deps --no-index --quiet --target {shlex.quote(str(packages))}"
    done.append(here.run(command(INSTALL) + alone, ROOT))
    done.append(here.run(command(LIST), empty))
    assert all(one.returncode == 0 for one in done), done
    assert loopback() in done[-1].stdout.split()
    assert (packages / "repcost_book" / "results").is_dir()

    (script,) = SCRIPTS
    (empty / "worker.sh").write_text(here.translated(script))
    with here.nothing_left():
        scheduler = here.start("exec " + here.translated(command(SCHEDULER)), empty)
        workers = [
            here.start("exec " + here.translated(command(WORKER)), empty),
            here.start(["sh", "worker.sh", f"tcp://127.0.0.1:{here.port}"], empty),
        ]
        # Whether or not they are there already: the chapter waits.
        ran = here.run(command(FIRST), root, **checkout)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert (project.executed("quick") / "good.ipynb").is_file()
        until_registered(empty / "log", 2)
        scheduler.send_signal(signal.SIGKILL)
        # Workers end when their scheduler is gone.
        assert all(worker.wait(timeout=60) is not None for worker in workers)


def until_registered(log: Path, workers: int) -> None:
    deadline = time.monotonic() + 60
    while log.read_text().count("Registered to:") < workers:
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)


def test_slurm_is_given_the_script_of_the_page():
    (script,) = SCRIPTS
    assert "#SBATCH --gres=gpu:1\n" in script and '"$1"' in script
    options = shlex.split(command("sbatch "))
    assert options[-2:] == ["worker.sh", "tcp://10.0.0.1:8786"] and "`worker.sh`" in PAGE


def test_dask_jobqueue_asks_slurm_for_a_gpu(tmp_path):
    """But for SLURM itself: the script is written, and not handed in."""
    missing = "dask-jobqueue, of the extras cluster and test, is not here"
    pytest.importorskip("dask_jobqueue", reason=missing)
    (settings,), (code,) = blocks("yaml"), blocks("python")
    (tmp_path / "jobqueue.yaml").write_text(settings.replace("ib0", loopback()))
    # Only what needs no `sbatch`.
    written = [sys.executable, "-c", code.partition("cluster.scale")[0]]
    own = {**os.environ, "DASK_CONFIG": str(tmp_path)}
    done = subprocess.run(written, env=own, capture_output=True, text=True, timeout=60)
    assert "#SBATCH --gres=gpu:1\n" in done.stdout and "#SBATCH -p gpu\n" in done.stdout
    assert "--nthreads 1 " in done.stdout and "dask_worker" in done.stdout, done.stderr
