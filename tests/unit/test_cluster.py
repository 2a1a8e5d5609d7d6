"""Sweeps and chapters on a real Dask scheduler with two workers.

They are processes in an empty folder, where the packages come from the wheel and not from this
checkout. Workers die, and the numbers are those of a run without them; clients die, and nothing of
theirs runs on.
"""

import gc
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from tqdm import tqdm

from repcost import Architecture, Objective, PiecewiseLinear, Recipe, function_cost, train
from repcost.datasets import ten_points
from repcost.training import sweep
from repcost_book import Run
from repcost_book.kernel.workers import Workers
from repcost_book.runner import on_worker, runs
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.cluster import Watch, elsewhere
from repcost_book.runner.execute import Outcome
from repcost_book.runner.runs import Request, run
from tests.cluster import Cluster, connected
from tests.small_book import small_book, states, write_chapter
from tests.waiting import is_gone, until

# Dask leaves sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SILENT = tqdm(disable=True)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()
    # Here, where its complaints of Dask's sockets are ignored, and not at the end of all tests.
    gc.collect()


def test_a_sweep_has_the_same_numbers_although_a_worker_dies(cluster, tmp_path):
    death = tmp_path / "death"

    def cost(slope: float) -> tuple[Path, float]:
        """Where it was computed, and what was found."""
        import repcost

        if slope == 3.0 and not death.exists():
            death.touch()
            psutil.Process().kill()
        spline = repcost.PiecewiseLinear([0.0, 0.5], [-1.0, slope, 1.0])
        return Path(repcost.__file__), repcost.function_cost(spline).value

    tasks = [{"slope": float(slope)} for slope in range(6)]
    there = sweep(cost, tasks, scheduler=cluster.with_workers(2))
    assert death.exists() and len(cluster.living()) == 1
    for (one_place, one), (place, other) in zip(there, sweep(cost, tasks), strict=True):
        assert cluster.wheel in one_place.parents and cluster.wheel not in place.parents
        assert one == other


def test_what_is_trained_on_a_worker_is_what_is_trained_here(cluster):
    """One of them: it loads PyTorch, which takes longer than all else here."""

    def ensemble(strength: float):
        recipe, objective = Recipe(steps=20, log_every=10), Objective.savarese_2019(strength)
        return train(Architecture.two_layer(5), ten_points(), objective, recipe, range(2))

    tasks = [{"strength": strength} for strength in (0.1, 0.01, 0.001)]
    there = sweep(ensemble, tasks, scheduler=cluster.with_workers(1))
    for one, other in zip(there, sweep(ensemble, tasks), strict=True):
        assert one.members == other.members and (one.objectives == other.objectives).all()
        assert (one.best.W == other.best.W).all()


CHAPTER = """
import os, psutil
from pathlib import Path
death, kernel = Path(ROOT) / 'death', psutil.Process()
if NAME == 'good' and not death.exists():
    papermill, worker = kernel.parents()[:2]
    death.write_text(f'{papermill.pid} {kernel.pid}')
    worker.kill()
    __import__('time').sleep(600)
import repcost
from repcost_book import Run
run = Run(profile, seed)
def cost(slope):
    spline = repcost.PiecewiseLinear([0.0, 0.5], [-1.0, slope, 1.0])
    return repcost.function_cost(spline).value, os.getpid()
slopes = run.rng().normal(size=8)
def found():
    costs, places = zip(*run.sweep(cost, [{'slope': slope} for slope in slopes]))
    return {'costs': costs, 'places': places}
found = run.recorded('found', found) if profile == 'paper' else found()
print(tuple(map(float, found['costs'])))
where = ['here' if place == kernel.pid else place for place in set(found['places'])]
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
        nbformat.read(ran.notebook, as_version=4).cells[-1].outputs[-1].text.splitlines()
        for ran in results
    ]


def costs() -> tuple[float, ...]:
    """What those chapters find, computed in this process."""
    slopes = Run("quick").rng().normal(size=8)
    splines = [PiecewiseLinear([0.0, 0.5], [-1.0, slope, 1.0]) for slope in slopes]
    return tuple(function_cost(spline).value for spline in splines)


# This and others here take seconds for processes: scheduler, workers, kernels, each a new Python.
def test_chapters_have_the_same_numbers_although_a_worker_dies(cluster, project, capsys):
    both = ["good", "data"]
    there = printed(run(project, Request(only=both, scheduler=cluster.with_workers(2))))
    assert len(cluster.living()) == 1
    # What ran below the one that died has ended with it, and whoever waits is told.
    papermill, kernel = map(int, (project.root / "death").read_text().split())
    assert is_gone(papermill) and is_gone(kernel)
    assert "has left; from the beginning, on another worker: good" in capsys.readouterr().err
    for numbers, place, *where in there:
        assert numbers == str(costs())
        assert cluster.wheel in Path(place).parents
        # The cores are taken: one job for sweeps.
        assert where == ["here"]


def test_beside_other_chapters_there_is_one_job_for_sweeps_here_too(project, monkeypatch):
    told = []

    def note(*_, sweeps: Workers, **__) -> Outcome:
        told.append(sweeps)
        return Outcome(None, "it was not asked for", 0.0)

    monkeypatch.setattr(runs, "execute", note)
    run(project, Request(only=["good", "data"], jobs=2))
    run(project, Request(only=["good"], jobs=2))
    assert told == [Workers(1), Workers(1), Workers(2)]


# Takes up to ten seconds: a worker starts, and the chapter runs there and here.
def test_a_chapter_that_runs_alone_has_all_the_workers_or_jobs_for_its_sweeps(cluster, project):
    """One worker with one place is enough: the chapter leaves it to the tasks."""
    alone, address = ["data"], cluster.with_workers(1)
    (there,) = printed(run(project, Request("paper", alone, scheduler=address)))
    # The negative control of the next test.
    assert (project.root / "results" / "found.npz").is_file()
    (here,) = printed(run(project, Request("paper", alone, jobs=2, force=True)))
    assert there[0] == here[0] == str(costs())
    assert cluster.wheel in Path(there[1]).parents and cluster.wheel not in Path(here[1]).parents
    assert [int(place) for place in there[2:]] == cluster.living()
    assert len(here[2:]) in (1, 2) and "here" not in here[2:]


def test_what_a_worker_has_read_of_results_is_named_as_here(cluster):
    """Otherwise it would look missing here, and the chapter would run again each time."""

    def name() -> str:
        from repcost_book.kernel.results import folder
        from repcost_book.kernel.sources import named

        return named(folder() / "jacot-2023" / "figure-1.npz")

    with connected(cluster.with_workers(1)) as client:
        assert client.submit(name).result() == "results/jacot-2023/figure-1.npz"


def test_a_worker_with_another_wheel_is_refused_and_nothing_is_kept(cluster, project):
    cluster.dismiss_workers()
    address = cluster.with_workers(1, wheel=cluster.other)
    says = r"another wheel: repcost/bounds.py \w{8} there, \w{8} here; install the same wheel"
    with pytest.raises(SystemExit, match=says):
        run(project, Request("paper", ["data"], scheduler=address))
    assert not (project.root / "results" / "found.npz").exists()
    assert not list(project.build.rglob("*.ipynb"))
    with pytest.raises(ValueError, match=r"its worker .* has another repcost: repcost/bound"):
        sweep(abs, [{}], scheduler=address)
    # One that comes later is not asked before the chapters begin: it is by each of them.
    with connected(address) as client:
        here = on_worker.what_is_here("paper")
        given = client.submit(on_worker.chapter, lambda **_: 1 / 0, False, here)
        refused = given.result()
    assert refused.notebook is None and "repcost/bounds.py" in (refused.failure or "")
    cluster.dismiss_workers()


def without(name: str, parts: Mapping[str, str]) -> dict[str, str]:
    return {each: value for each, value in parts.items() if each != name}


def test_what_makes_a_worker_another():
    here = on_worker.what_is_here()
    assert not on_worker.refusal("w", here, dict(here))
    assert not on_worker.refusal("w", here, {**here, "repcost/new.py": "0"})
    assert "numpy 1.0 there" in on_worker.refusal("w", here, {**here, "numpy": "1.0"})
    missing = on_worker.refusal("w", here, without("repcost/bounds.py", here))
    assert "repcost/bounds.py missing there" in missing
    nothing = ModuleNotFoundError("No module named 'repcost'")
    assert "No module named 'repcost'" in on_worker.refusal("w", here, nothing)
    # What was recorded counts where it is read: in the quick profile.
    recorded = "results/jacot-2023/figure-1.npz"
    assert recorded in on_worker.refusal("w", here, without(recorded, here))
    paper = on_worker.what_is_here("paper")
    assert not on_worker.refusal("w", paper, without(recorded, here))


SLEEPING = """
import os, time
from pathlib import Path
Path(ROOT, 'kernel').write_text(str(os.getpid()))
time.sleep(600)
"""


def client_of_a_long_chapter(root: Path, scheduler: str) -> subprocess.Popen:
    """A client in a process of its own."""
    root.mkdir()
    write_chapter(small_book(root).root, "sleeping", SLEEPING)
    command = [sys.executable, "-m", "repcost_book", "run", "sleeping", "--profile", "paper"]
    return subprocess.Popen(
        [*command, "--scheduler", scheduler],
        cwd=root,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's job in the background ignores SIGINT, and so would what it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_kernels_of_workers_end_with_a_client_that_is_stopped_or_killed(cluster, tmp_path):
    address = cluster.with_workers(2)
    roots = tmp_path / "stopped", tmp_path / "killed"
    stopped, killed = (client_of_a_long_chapter(root, address) for root in roots)
    until(lambda: all((root / "kernel").is_file() for root in roots))
    kernels = [int((root / "kernel").read_text()) for root in roots]
    assert not any(map(is_gone, kernels))
    stopped.send_signal(signal.SIGINT)
    killed.kill()
    # Dask alone would leave them to the limit of a chapter, a day.
    until(lambda: all(map(is_gone, kernels)), 20)
    said = stopped.communicate(timeout=20)[1]
    assert stopped.returncode == 1 and "Stopped; the kernels were stopped too" in said
    killed.communicate()
    # The workers are there for the next.
    with connected(address) as client:
        assert client.submit(abs, -1).result() == 1 and len(client.processing()) == 2


def test_a_chapter_that_no_worker_survives_fails_and_the_others_finish(cluster):
    # A chapter each: it is not asked what else the one that dies had taken on.
    address = cluster.with_workers(2)

    def allow(failures: int, dask_scheduler):
        dask_scheduler.allowed_failures = failures

    def outcomes(**work: Callable[..., Any]) -> dict[str, Outcome]:
        chapters = {Chapter(name, Path()): run for name, run in work.items()}
        done = elsewhere(chapters, address, "quick", SILENT)
        return {chapter.name: outcome for chapter, outcome in done}

    with connected(address) as client:
        client.run_on_scheduler(allow, 0)
        good = Outcome("notebook", None, 1.0)
        found = outcomes(dies=lambda **_: psutil.Process().kill(), lives=lambda **_: good)
        client.run_on_scheduler(allow, 3)
    assert found["lives"] == good and found["dies"].notebook is None
    assert (found["dies"].failure or "").startswith("KilledWorker")
    refused = Outcome(None, "ZeroDivisionError: division by zero", 0.0)
    assert outcomes(refuses=lambda **_: 1 / 0) == {"refuses": refused}


def test_who_waits_for_workers_is_told_so_again_and_again_and_how_to_start_one(cluster, capsys):
    cluster.dismiss_workers()
    address = cluster.with_workers(0)
    with connected(address) as client:
        watch = Watch(client, {}, SILENT, patience=0.3, again=0.5)
        watch.look()
        assert capsys.readouterr().err == ""
        deadline = time.monotonic() + 5
        while (said := capsys.readouterr().err) == "" and time.monotonic() < deadline:
            watch.look()
        assert f"without a worker: start one with `dask worker {address} --nthreads 1`" in said
        watch.look()
        assert capsys.readouterr().err == ""
        time.sleep(0.6)
        watch.look()
        assert "without a worker" in capsys.readouterr().err


def test_a_wrong_address_is_named(project):
    with pytest.raises(SystemExit, match="No Dask scheduler answers at nowhere://"):
        run(project, Request(only=["good"], scheduler="nowhere://"))


def test_a_scheduler_without_the_wheel_is_refused_and_one_that_is_gone_is_named(cluster):
    """The last of these tests: the scheduler is the one of all."""

    def forget():
        sys.modules[on_worker.__name__] = None  # pyright: ignore[reportArgumentType]

    work: Any = {Chapter("waits", Path()): lambda **_: 1 / 0}
    with connected(cluster.address) as client:
        client.run_on_scheduler(forget)
        with pytest.raises(SystemExit, match=r"The scheduler .* has no repcost that could answer"):
            next(elsewhere(work, cluster.address, "quick", SILENT))
        watch = Watch(client, {}, SILENT)
        watch.look()
        cluster.processes[0].kill()
        until(lambda: client.status != "running")
        with pytest.raises(SystemExit, match=f"scheduler at {cluster.address} is gone"):
            watch.look()
