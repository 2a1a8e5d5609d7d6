"""A Dask scheduler and its workers, as processes that have the packages from the wheel alone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
from distributed import Client

from repcost_book.runner.processes import stop_tree
from tests.waiting import until
from tests.wheel import install_wheel


def connected(address: str) -> Any:
    # Dask's own types allow for a coroutine wherever it answers.
    return Client(address, set_as_default=False)


def installed_with_a_change(wheel: Path, folder: Path) -> Path:
    """A copy of what the wheel installs, one module of which is another."""
    shutil.copytree(wheel, folder)
    with (folder / "repcost" / "bounds.py").open("a") as module:
        module.write("# Changed.\n")
    return folder


class Cluster:
    """A scheduler, and workers of one thread each."""

    def __init__(self, folder: Path):
        self.wheel = install_wheel(folder)
        self.other = installed_with_a_change(self.wheel, folder / "other")
        self.empty = folder / "empty"
        self.empty.mkdir()
        self.file, self.log = folder / "scheduler.json", (folder / "log").open("w")
        self.processes: list[subprocess.Popen] = []
        self.start("scheduler", "--port", "0", "--no-show")
        until(self.file.exists)
        self.address = json.loads(self.file.read_text())["address"]

    def start(self, what: str, *options: str, wheel: Path | None = None) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--host", "127.0.0.1"]
        command += ["--no-dashboard", "--scheduler-file", str(self.file), *options]
        environment = {**os.environ, "PYTHONPATH": str(wheel or self.wheel)}
        out, cwd = self.log, self.empty
        started = subprocess.Popen(command, cwd=cwd, env=environment, stdout=out, stderr=out)
        self.processes.append(started)

    def with_workers(self, number: int, wheel: Path | None = None) -> str:
        """The address of the scheduler, once it has so many workers; dead ones are replaced."""
        for _ in range(number - len(self.living())):
            self.start("worker", "--no-nanny", "--nthreads", "1", wheel=wheel)
        with connected(self.address) as client:
            # New ones come, and dead ones are noticed.
            until(lambda: len(client.processing()) == len(self.living()))
        return self.address

    def living(self) -> list[int]:
        return [process.pid for process in self.processes[1:] if process.poll() is None]

    def dismiss_workers(self) -> None:
        for process in self.processes[1:]:
            process.kill()
            process.wait()
        del self.processes[1:]

    def stop(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                stop_tree(psutil.Process(process.pid))
            process.wait()
        self.log.close()
