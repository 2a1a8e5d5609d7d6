"""Chapters on the workers of a Dask scheduler, seen from here; what workers do is in `on_worker`.

Sources go out and executed notebooks come back; workers need the wheel, and no checkout. What a
worker did when it died is done again by another.
"""

import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from distributed import Client
from tqdm import tqdm

from repcost_book.runner import on_worker
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.execute import Outcome
from repcost_book.runner.places import Work

# Seconds: between two looks at the cluster, and until workers must have stopped their kernels.
OFTEN, ENDING = 0.5, 15.0
START = "dask worker {} --nthreads 1"

# Dask's own types allow for a coroutine wherever it answers, and here it never gives one.
Connection = Any
Task = Any
Running = dict[Task, Chapter]


def elsewhere(
    work: Work, scheduler: str, profile: str, bar: tqdm
) -> Iterator[tuple[Chapter, Outcome]]:
    """Each chapter with its outcome; SystemExit if a worker has another wheel than this one."""
    here, alone = on_worker.what_is_here(profile), len(work) == 1
    with _connected(scheduler) as client:
        _refuse_other_wheels(client, here)
        running: Running = {}
        for chapter, run in work.items():
            # A name of its own, never given again: no result of another run is taken for this one.
            key = f"{chapter.name}-{uuid4().hex}"
            task = client.submit(on_worker.chapter, run, alone, here, key=key)
            running[task] = chapter
        watch = Watch(client, {task.key: chapter.name for task, chapter in running.items()}, bar)
        try:
            yield from _as_they_end(running, watch)
        finally:
            _stop(client, running)


@contextmanager
def _connected(scheduler: str) -> Iterator[Connection]:
    try:
        client = Client(scheduler)
    except (OSError, ValueError) as error:
        raise SystemExit(f"No Dask scheduler answers at {scheduler}: {error}") from None
    try:
        yield client
    finally:
        # Where the scheduler is gone, Dask would log a traceback beside the one sentence.
        logging.disable(logging.CRITICAL)
        client.close()
        logging.disable(logging.NOTSET)


def _refuse_other_wheels(client: Connection, here: Mapping[str, str]) -> None:
    """Before anything begins; a worker that comes later is asked by each chapter it is given."""
    there = client.run(on_worker.what_is_here, on_error="return")
    said = [on_worker.refusal(f"Worker {name}", here, found) for name, found in there.items()]
    refused = [*_refuse_scheduler(client, here), *filter(None, said)]
    if refused:
        others = [f"The same is to be said of {len(refused) - 1} more."] * (len(refused) > 1)
        raise SystemExit("\n".join([refused[0], *others]))


def _refuse_scheduler(client: Connection, here: Mapping[str, str]) -> list[str]:
    """It runs nothing, so that any wheel will do, but it reads what is sent."""
    try:
        client.run_on_scheduler(on_worker.what_is_here)
    except Exception as error:
        return [on_worker.refusal(f"The scheduler {client.scheduler.address}", here, error)]
    return []


@dataclass
class Watch:
    """Tells whoever waits that there is no worker, or that one has left.

    names: the chapters, by the keys of their tasks.
    patience: seconds without a worker until that is said; then again each minute.
    """

    client: Connection
    names: Mapping[str, str]
    bar: tqdm
    patience: float = 10.0
    again: float = 60.0
    workers: dict[str, list[str]] = field(default_factory=dict)
    last_seen: float = field(default_factory=time.monotonic)
    told: int = 0

    def look(self) -> None:
        """Compare the workers with those of the last look."""
        if self.client.status != "running":
            raise _gone(self.client)
        found = self.client.processing()
        for worker in self.workers.keys() - found.keys():
            self._say_left(worker)
        if len(found) != len(self.workers):
            self.bar.set_postfix_str(f"workers: {len(found)}")
        self.workers = {worker: list(keys) for worker, keys in found.items()}
        if found:
            self.last_seen, self.told = time.monotonic(), 0
        elif time.monotonic() - self.last_seen >= self.patience + self.told * self.again:
            self.told += 1
            self._say_none()

    def _say_left(self, worker: str) -> None:
        had = ", ".join(self.names[key] for key in self.workers[worker] if key in self.names)
        again = f"; from the beginning, on another worker: {had}" if had else ""
        self._say(f"Worker {worker} has left{again}.")

    def _say_none(self) -> None:
        waits = f"{time.monotonic() - self.last_seen:.0f} s without a worker"
        start = START.format(self.client.scheduler.address)
        remedy = f"start one with `{start}`, where the wheel is installed (docs/CLUSTER.md)"
        self._say(f"The chapters wait, {waits}: {remedy}.")

    def _say(self, text: str) -> None:
        # Above the bar, which a print would tear.
        self.bar.write(text, file=sys.stderr)


def _as_they_end(running: Running, watch: Watch) -> Iterator[tuple[Chapter, Outcome]]:
    while running:
        watch.look()
        for task in [task for task in running if task.done()]:
            yield running.pop(task), _outcome(task)
        time.sleep(OFTEN)


def _outcome(task: Task) -> Outcome:
    if task.cancelled():
        raise _gone(task.client)
    # Workers that died again and again, or that lack a package, are the chapter's failure, and
    # the others go on.
    try:
        return task.result()
    except Exception as error:
        return Outcome(None, f"{type(error).__name__}: {error}", 0.0)


def _stop(client: Connection, running: Running) -> None:
    """Cancel what still runs, and wait until its kernels have ended."""
    if not running or client.status != "running":
        return
    keys, deadline = [task.key for task in running], time.monotonic() + ENDING
    client.cancel(list(running))
    while busy := [worker for worker, works in _at_work(client, keys) if works]:
        if time.monotonic() > deadline:
            said = f"did not say within {ENDING:.0f} s that their kernels have ended"
            print(f"\nThese workers {said}: {', '.join(busy)}", file=sys.stderr)
            return
        time.sleep(OFTEN)


def _at_work(client: Connection, keys: list[str]) -> list[tuple[str, object]]:
    # A worker that does not answer is on its way out, and its kernels go with it.
    return list(client.run(on_worker.at_work, keys, on_error="ignore").items())


def _gone(client: Connection) -> SystemExit:
    address = client.scheduler.address
    return SystemExit(f"\nThe Dask scheduler at {address} is gone; what had finished is kept.")
