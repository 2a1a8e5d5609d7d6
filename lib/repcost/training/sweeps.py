"""Tasks side by side, in processes here or on the workers of a cluster."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

from repcost.arrays import listed
from repcost.installations import differences, installation
from repcost.scalars import whole_number


def sweep(
    task: Callable[..., Any],
    parameters: Iterable[Mapping[str, Any]],
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> list[Any]:
    """[task(**one) for one in parameters], side by side. Let each task train a whole ensemble.

    jobs: how many at a time, in processes with one thread each; if None, an active
    `joblib.parallel_config` decides, and without one they run one after the other. scheduler: the
    address of a Dask scheduler whose workers run the tasks, all they have at a time; they need what
    the task imports, and the `repcost` that is installed here: another one is refused. What a
    worker did when it died is done again by another.

    >>> sweep(lambda width, seed: (width, seed), [{"width": 3, "seed": 0}, {"width": 5, "seed": 0}])
    [(3, 0), (5, 0)]
    """
    if not callable(task):
        raise ValueError(f"task must be a function, not {type(task).__name__}")
    each = listed(parameters, "parameters", "mappings, the arguments of one task each")
    if not all(isinstance(one, Mapping) for one in each):
        raise ValueError("parameters must be mappings, the arguments of one task each")
    if jobs is not None and whole_number(jobs, "jobs", -(2**31)) == 0:
        raise ValueError("jobs must be positive, or negative to count from all processors, not 0")
    tasks = [partial(task, **one) for one in each]
    return _on_workers(tasks, scheduler) if scheduler else _here(tasks, jobs)


def _here(tasks: list[Callable[[], Any]], jobs: int | None) -> list[Any]:
    from joblib import Parallel, delayed, parallel_config

    # Threads of several processes that wait for each other cost more than they bring.
    processes = parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1)
    with nullcontext() if jobs is None else processes:
        return list(Parallel()(delayed(task)() for task in tasks))


def _on_workers(tasks: list[Callable[[], Any]], scheduler: str) -> list[Any]:
    """Not through joblib: it would wait forever for a task that no worker survives."""
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(
            "a sweep on a scheduler needs dask: pip install 'repcost[cluster]'"
        ) from None
    with Client(scheduler, set_as_default=False) as client:
        # Not pure: the same task twice is two tasks, and no result of another sweep is taken.
        here = installation("repcost")
        running = [client.submit(_if_same, here, task, pure=False) for task in tasks]
        return [each.result() for each in running]


def _if_same(here: Mapping[str, str], task: Callable[[], Any]) -> Any:
    """On a worker: what the task gives, if it is computed there by the same code as here."""
    from distributed import get_worker

    if found := differences(here, installation("repcost")):
        said = f"scheduler: its worker {get_worker().address} has another repcost: {found}"
        raise ValueError(f"{said}; install the same wheel there, and start it again")
    return task()
