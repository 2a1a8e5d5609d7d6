"""Where chapters run, side by side: in processes here, or on the workers of a Dask scheduler."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from joblib import Parallel, delayed
from tqdm import tqdm

from repcost_book.kernel.workers import Workers
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.execute import Outcome
from repcost_book.runner.project import Project

# Chapters, each with `execute` and all it needs, but for what depends on the place.
Work = Mapping[Chapter, Callable[..., Outcome]]


def here(
    work: Work, jobs: int, project: Project, pids: Path, bar: tqdm
) -> Iterator[tuple[Chapter, Outcome]]:
    """So many at a time; a chapter that runs alone has all the jobs for its sweeps."""
    # The names beside the bar; threads change the list, and none of them needs all of it.
    running: list[str] = []
    sweeps = Workers(jobs if len(work) == 1 else 1)

    def one(chapter: Chapter, run: Callable[..., Outcome]) -> tuple[Chapter, Outcome]:
        running.append(chapter.name)
        bar.set_postfix_str(", ".join(running))
        pid_file = pids / f"{chapter.name.replace('/', '-')}.pid"
        outcome = run(root=str(project.root), pid_file=pid_file, sweeps=sweeps, own=project.own)
        running.remove(chapter.name)
        bar.set_postfix_str(", ".join(running), refresh=False)
        return chapter, outcome

    # Threads are enough: each chapter is a process of its own.
    side_by_side = Parallel(jobs, backend="threading", return_as="generator_unordered")
    outcomes = side_by_side(delayed(one)(*each) for each in work.items())
    return cast(Iterator[tuple[Chapter, Outcome]], outcomes)


def elsewhere(work: Work, scheduler: str, bar: tqdm) -> Iterator[tuple[Chapter, Outcome]]:
    """Sources go out and executed notebooks come back; workers need the wheel, and no checkout.

    What a worker did when it died is done again by another.
    """
    from distributed import Client, as_completed

    try:
        client = Client(scheduler)
    except (OSError, ValueError) as error:
        raise SystemExit(f"No Dask scheduler answers at {scheduler}: {error}") from None
    # Not through joblib: it would wait forever for a chapter that no worker survives.
    with client:
        workers = len(client.ncores())  # pyright: ignore[reportArgumentType]
        bar.set_postfix_str(f"workers: {workers}")
        alone = len(work) == 1
        chapters = {
            client.submit(_on_worker, run, alone, pure=False): chapter
            for chapter, run in work.items()
        }
        for done in as_completed(chapters):
            yield chapters[done], _outcome(done)


def _on_worker(run: Callable[..., Outcome], alone: bool) -> Outcome:
    """A chapter that runs alone has all the workers for its sweeps."""
    from distributed import get_worker, secede

    if not alone:
        return run()
    # It leaves them its own place, too: with one worker its tasks would never begin otherwise.
    secede()
    return run(sweeps=Workers(scheduler=get_worker().scheduler.address))


def _outcome(done: Any) -> Outcome:
    # Workers that died again and again, or that lack a package, are the chapter's failure, and
    # the others go on.
    try:
        return done.result()
    except Exception as error:
        return Outcome(None, f"{type(error).__name__}: {error}", 0.0)
