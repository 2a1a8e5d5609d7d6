"""Sweeps and chapters on a real Dask scheduler with two workers.

They are processes in an empty folder, where the packages come from the wheel and not from this
checkout. Workers die, and the numbers are those of a run without them.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest
from distributed import Client
from tqdm import tqdm

from repcost import Architecture, Objective, Recipe, train
from repcost.datasets import ten_points
from repcost.training import sweep
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.execute import Outcome
from repcost_book.runner.places import elsewhere
from repcost_book.runner.processes import stop_tree
from repcost_book.runner.runs import Request, run
from tests.small_book import small_book, states, write_chapter
from tests.wheel import install_wheel

# Dask leaves sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Cluster:
    """A scheduler, and workers of one thread each."""

    def __init__(self, folder: Path):
        self.wheel = install_wheel(folder)
        self.empty = folder / "empty"
        self.empty.mkdir()
        self.file, self.log = folder / "scheduler.json", (folder / "log").open("w")
        self.processes: list[subprocess.Popen] = []
        self.start("scheduler", "--port", "0", "--no-show")

    def start(self, what: str, *options: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--host", "127.0.0.1"]
        command += ["--no-dashboard", "--scheduler-file", str(self.file), *options]
        environment = {**os.environ, "PYTHONPATH": str(self.wheel)}
        out, cwd = self.log, self.empty
        started = subprocess.Popen(command, cwd=cwd, env=environment, stdout=out, stderr=out)
        self.processes.append(started)

    def with_workers(self, number: int) -> str:
        """The address of the scheduler, once it has so many workers; dead ones are replaced."""
        for _ in range(number - len(self.living())):
            self.start("worker", "--no-nanny", "--nthreads", "1")
        while not self.file.exists():
            time.sleep(0.05)
        with Client(scheduler_file=str(self.file), set_as_default=False) as client:
            # New ones come, and dead ones are noticed.
            while len(client.ncores()) != len(self.living()):  # pyright: ignore[reportArgumentType]
                time.sleep(0.05)
        return json.loads(self.file.read_text())["address"]

    def living(self) -> list[int]:
        return [process.pid for process in self.processes[1:] if process.poll() is None]

    def stop(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                stop_tree(psutil.Process(process.pid))
            process.wait()
        self.log.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


def test_a_sweep_has_the_same_numbers_although_a_worker_dies(cluster, tmp_path):
    death, X_Y = tmp_path / "death", ten_points()

    def ensemble(strength: float):
        """Where it ran, and what was found."""
        import repcost

        if strength == 0.01 and not death.exists():
            death.touch()
            psutil.Process().kill()
        recipe = Recipe(steps=20, log_every=10)
        found = train(
            Architecture.two_layer(5), X_Y, Objective.savarese_2019(strength), recipe, range(2)
        )
        return Path(repcost.__file__), found

    tasks = [{"strength": strength} for strength in (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003)]
    there = sweep(ensemble, tasks, scheduler=cluster.with_workers(2))
    assert death.exists() and len(cluster.living()) == 1
    assert all(cluster.wheel in place.parents for place, _ in there)
    for (_, one), (place, other) in zip(there, sweep(ensemble, tasks), strict=True):
        assert cluster.wheel not in place.parents
        assert one.members == other.members and (one.objectives == other.objectives).all()
        assert (one.best.W == other.best.W).all()


CHAPTER = """
import os, psutil, repcost
from pathlib import Path
from repcost_book import Run
run = Run(profile, seed)
death, kernel = Path(ROOT) / 'death', psutil.Process()
if NAME == 'good' and not death.exists():
    death.touch()
    papermill, worker = kernel.parents()[:2]
    for process in (worker, papermill, kernel):
        process.kill()
def cost(slope):
    spline = repcost.PiecewiseLinear([0.0, 0.5], [-1.0, slope, 1.0])
    return repcost.function_cost(spline).value, os.getpid()
costs, places = zip(*run.sweep(cost, [{'slope': slope} for slope in run.rng().normal(size=8)]))
print(costs)
where = ['here' if place == kernel.pid else place for place in set(places)]
print(repcost.__file__, *where, sep='\\n')
"""


@pytest.fixture
def project(tmp_path):
    project = small_book(tmp_path)
    for name in ("good", "data"):
        write_chapter(tmp_path, name, CHAPTER.replace("NAME", repr(name)))
    return project


def printed(results) -> list[list[str]]:
    """What each chapter printed: numbers, where the package is, and where its tasks ran."""
    assert set(states(results).values()) == {"ran"}, [ran.failure for ran in results]
    return [
        nbformat.read(ran.notebook, as_version=4).cells[-1].outputs[0].text.splitlines()
        for ran in results
    ]


def test_chapters_have_the_same_numbers_although_a_worker_dies(cluster, project):
    both = ["good", "data"]
    there = printed(run(project, Request(only=both, scheduler=cluster.with_workers(2))))
    assert (project.root / "death").exists() and len(cluster.living()) == 1
    here = printed(run(project, Request(only=both, jobs=2, force=True)))
    for one, other in zip(there, here, strict=True):
        assert one[0] == other[0] and one[0].count(",") == 7
        assert cluster.wheel in Path(one[1]).parents and cluster.wheel not in Path(other[1]).parents
        # The cores are taken: one job for sweeps.
        assert one[2:] == other[2:] == ["here"]


def test_a_chapter_that_runs_alone_has_all_the_workers_or_jobs_for_its_sweeps(cluster, project):
    """One worker with one place is enough: the chapter leaves it to the tasks."""
    (there,) = printed(run(project, Request(only=["data"], scheduler=cluster.with_workers(1))))
    (here,) = printed(run(project, Request(only=["data"], jobs=2, force=True)))
    assert there[0] == here[0]
    assert [int(place) for place in there[2:]] == cluster.living()
    assert len(here[2:]) in (1, 2) and "here" not in here[2:]


def test_a_chapter_that_no_worker_survives_fails_and_the_others_finish(cluster):
    # A chapter each: it is not asked what else the one that dies had taken on.
    address = cluster.with_workers(3)

    def give_up_at_once(dask_scheduler):
        dask_scheduler.allowed_failures = 0

    with Client(address, set_as_default=False) as client:
        client.run_on_scheduler(give_up_at_once)
    work = {
        Chapter("dies", Path()): lambda: psutil.Process().kill(),
        Chapter("refuses", Path()): lambda: 1 / 0,
        Chapter("lives", Path()): lambda: Outcome("notebook", None, 1.0),
    }
    found = {
        chapter.name: outcome for chapter, outcome in elsewhere(work, address, tqdm(disable=True))
    }
    assert found["lives"] == Outcome("notebook", None, 1.0)
    assert found["refuses"] == Outcome(None, "ZeroDivisionError: division by zero", 0.0)
    assert (found["dies"].failure or "").startswith("KilledWorker")
    assert found["dies"].notebook is None


def test_a_wrong_address_is_named(project):
    with pytest.raises(SystemExit, match="No Dask scheduler answers at nowhere://"):
        run(project, Request(only=["good"], scheduler="nowhere://"))
