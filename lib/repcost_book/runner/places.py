"""Where chapters run, side by side: in processes here; `cluster` is the other place."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import cast

from joblib import Parallel, delayed
from tqdm import tqdm

from repcost_book.kernel.workers import Workers
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.environment import repeatable
from repcost_book.runner.execute import Outcome
from repcost_book.runner.project import Project
from repcost_book.runner.warm_kernels import warm_kernels

# Chapters, each with `execute` and all it needs, but for what depends on the place.
Work = Mapping[Chapter, Callable[..., Outcome]]


def here(
    work: Work, jobs: int, project: Project, pids: Path, bar: tqdm, is_warm: bool
) -> Iterator[tuple[Chapter, Outcome]]:
    """So many at a time; a chapter that runs alone has all the jobs for its sweeps.

    is_warm: kernels are forked and have imported the large packages already.
    """
    # The names beside the bar; threads change the list, and none of them needs all of it.
    running: list[str] = []
    sweeps = Workers(jobs if len(work) == 1 else 1)

    def one(
        chapter: Chapter, run: Callable[..., Outcome], setting: Mapping[str, str]
    ) -> tuple[Chapter, Outcome]:
        running.append(chapter.name)
        bar.set_postfix_str(", ".join(running))
        pid_file = pids / f"{chapter.name.replace('/', '-')}.pid"
        place = {"root": str(project.root), "pid_file": pid_file, "own": project.own}
        outcome = run(**place, sweeps=sweeps, setting=setting)
        running.remove(chapter.name)
        bar.set_postfix_str(", ".join(running), refresh=False)
        return chapter, outcome

    # Threads are enough: each chapter is a process of its own.
    side_by_side = Parallel(jobs, backend="threading", return_as="generator_unordered")
    kernels = warm_kernels(repeatable(project.own)) if is_warm else nullcontext({})
    with kernels as setting:
        outcomes = side_by_side(delayed(one)(*each, setting) for each in work.items())
        yield from cast(Iterator[tuple[Chapter, Outcome]], outcomes)
