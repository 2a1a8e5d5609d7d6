"""What a worker of a Dask scheduler does: it runs a chapter, or says why it must not.

Functions of this module travel by name, so the worker runs the ones of its own wheel.
"""

from collections.abc import Callable, Mapping

from distributed import Worker, get_worker, secede

from repcost.installations import differences, hashes, installation
from repcost_book.kernel.results import folder
from repcost_book.kernel.workers import Workers
from repcost_book.runner.execute import Outcome

WORKING = {"executing", "long-running"}
REMEDY = "install the same wheel there, and start it again (docs/CLUSTER.md)"


def what_is_here(profile: str = "quick") -> dict[str, str]:
    """What the numbers of a chapter depend on, here or on a worker that is asked."""
    found = installation("repcost", "repcost_book")
    # The wheel has what was recorded in a folder of its own.
    code = {name: value for name, value in found.items() if "repcost_book/results/" not in name}
    # The paper profile reads nothing of it, and changes it.
    return code | (hashes(folder()) if profile == "quick" else {})


def refusal(who: str, here: Mapping[str, str], there: Mapping[str, str] | Exception) -> str:
    """Why chapters may not go to this one, given what it has; nothing if they may."""
    # It is leaving, and has no time to answer.
    if isinstance(there, OSError):
        return ""
    if isinstance(there, Exception):
        said = f"{who} has no repcost that could answer ({there})"
        return f"{said}: {REMEDY}."
    found = differences(here, there)
    return f"{who} has another wheel: {found}; {REMEDY}." if found else ""


def chapter(run: Callable[..., Outcome], alone: bool, here: Mapping[str, str]) -> Outcome:
    """Run a chapter; one that runs alone has all the workers for its sweeps."""
    worker = get_worker()
    # Asked again by each chapter: workers may come at any time.
    if refused := refusal(f"Worker {worker.address}", here, what_is_here()):
        return Outcome(None, refused, 0.0)
    wanted = _wanted(worker, str(worker.get_current_task()))
    if not alone:
        return run(wanted=wanted)
    # It leaves them its own place, too: with one worker its tasks would never begin otherwise.
    secede()
    return run(wanted=wanted, sweeps=Workers(scheduler=worker.scheduler.address))


def _wanted(worker: Worker, key: str) -> Callable[[], bool]:
    """Whether the scheduler, and somebody behind it, still waits for this task.

    Dask never interrupts a task that has begun; where its client is gone, it marks it as cancelled.
    """

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        is_open = worker.status.name in ("running", "paused")
        return is_open and task is not None and task.state in WORKING

    return wanted


def at_work(keys: list[str], dask_worker: Worker) -> bool:
    """Whether this worker has begun one of these tasks and not ended it."""
    return any(key in dask_worker.state.tasks for key in keys)
