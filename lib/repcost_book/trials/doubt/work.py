"""One chapter under doubt, in a process of its own: `python -m repcost_book.trials.doubt.work`.

It is told on its input, in one line of JSON, what to do, and tells on its output what came of it, a
line each: what there is, null faults, faults, seeds, the end.
"""

import functools
import gc
import json
import os
import sys
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any, TextIO

from repcost_book.runner.chapters import Chapter
from repcost_book.trials.doubt.children import Work, in_children
from repcost_book.trials.doubt.doubting import SEEDS, Doubting, spent
from repcost_book.trials.doubt.guard import allow_writing_only_in
from repcost_book.trials.doubt.outcomes import NONE, TIMED_OUT
from repcost_book.trials.doubt.subject import Subject

# Seconds of the processor that another seed may take beside so many times those of this one.
LEAST, FACTOR = 120.0, 2.0


def doubt(request: dict, tell: Any) -> None:
    """Do what was asked for, and tell what comes of it."""
    chapter = Chapter(request["chapter"], Path(request["source"]))
    parameters = dict(request["parameters"])
    subject = Subject.of(chapter.notebook())
    limits = {name: request[name] for name in ("jobs", "seconds", "least")}
    doubting = Doubting.begun(subject, parameters, **limits)
    _prepare_to_fork()
    tell(about=doubting.about(), begun=spent())
    for number, differences in doubting.nulls():
        tell(null=number, differences=differences)
    unfired = list(request["unfired"])
    for key, came in doubting.put([key for key in doubting.faults if key not in request["done"]]):
        if isinstance(came, dict) and not came["fired"] and not came["never"]:
            unfired.append(key)
        tell(fault=key, came=_told(came, doubting))
    if spent() < doubting.seconds:
        _other_seeds(doubting, parameters, unfired, tell)
    tell(end=spent())


def _other_seeds(doubting: Doubting, parameters: dict, unfired: list[str], tell: Any) -> None:
    """What changed no value so far may do so at another seed."""
    works = []
    for seed in SEEDS[1:]:
        there = {**parameters, "seed": seed}
        do = functools.partial(doubting.at_seed, there, unfired)
        works.append(Work(seed, do, LEAST + FACTOR * doubting.limit(0)))
    for seed, found in in_children(works, doubting.jobs):
        if isinstance(found, str):
            tell(seed=seed, worst=None, came={})
            continue
        fired = {k: c for k, c in found["came"].items() if isinstance(c, dict) and c["fired"]}
        tell(seed=seed, worst=found["worst"], came=fired)


def _told(came: Any, doubting: Doubting) -> dict:
    if isinstance(came, dict):
        return came
    rows = sum(map(len, doubting.rows.values()))
    return {"fired": True, "came": TIMED_OUT * rows, "roles": NONE * rows}


def _prepare_to_fork() -> None:
    """A fork of several threads has one of them, and the locks of all."""
    # What is there now is never looked at by the collector, nor copied for it in a child.
    gc.collect()
    gc.freeze()
    tasks = Path("/proc/self/task")
    count = len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()
    if count > 1:
        raise RuntimeError(f"the chapter has left {count - 1} threads running; end them in it")


def main() -> None:
    """Read what to do, and keep the chapter's own output to ourselves."""
    request = json.loads(sys.stdin.readline())
    out: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)

    def tell(**message: Any) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    try:
        _prepare(Path(request["folder"]))
        doubt(request, tell)
    except BaseException as error:
        tell(failed=f"{type(error).__name__}: {error}", trace=traceback.format_exc())


def _prepare(folder: Path) -> None:
    import tqdm

    # Its thread would be one too many at a fork.
    tqdm.tqdm.monitor_interval = 0
    warnings.simplefilter("ignore")
    os.chdir(folder)
    allow_writing_only_in(folder)


if __name__ == "__main__":
    main()
