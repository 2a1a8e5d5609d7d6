"""Which chapters have work for a GPU, what it should bring, and which are long without one.

All of this is found: in the sources, whether a chapter hands its device on; in the record of the
paper profile, how many operations a step of its work has, and how long it took on a processor.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from repcost.devices import worth_a_gpu
from repcost_book.runner.chapters import Chapter, code_cells

# What an estimate assumes of a GPU: a step is some fifty calls, each of which takes it this long
# however little it computes; and so many operations a second where matrices are small. Of both
# recent cards have more to offer.
LAUNCHES, LAUNCH_SECONDS, RATE = 50, 1e-5, 1e12
# From so many minutes of a processor on, a chapter without work for a GPU says why.
LONG = 10
WHY = "no_gpu_because"

Noted = Mapping[str, Mapping]


@dataclass(frozen=True)
class Estimate:
    """Minutes of a chapter in the paper profile.

    cpu: measured, on one thread. steps: those of it that are for a GPU. gpu: estimated.
    """

    cpu: float
    steps: float
    gpu: float


def estimate(about: Mapping) -> Estimate | None:
    """What a GPU should bring, from a record that was made without one; None if it was not."""
    if "work" not in about or any(work["device"] != "cpu" for work in about["work"]):
        return None
    large = [work for work in about["work"] if _is_large(work)]
    steps = sum(work["cpu_seconds"] for work in large)
    there = sum(work["steps"] * _step(work["flops"]) for work in large)
    # What a sweep did in other processes is in its work only.
    cpu = max(about["cpu_seconds"], sum(work["cpu_seconds"] for work in about["work"]))
    return Estimate(cpu / 60, steps / 60, (cpu - steps + there) / 60)


def uses_gpu(chapter: Chapter, noted: Noted) -> bool:
    """Whether the paper profile has work for a GPU there; yes, where that was never seen."""
    about = noted.get(chapter.name, {})
    if not hands_device_on(chapter) or "work" not in about:
        return hands_device_on(chapter)
    return any(map(_is_large, about["work"]))


def hands_device_on(chapter: Chapter) -> bool:
    """Whether anything in its code asks for the device of the run."""
    # A sweep gives it to its tasks.
    asks = "run.device", "run.sweep("
    return any(word in cell.source for cell in code_cells(chapter.notebook()) for word in asks)


def unexplained(chapters: Iterable[Chapter], noted: Noted) -> list[str]:
    """Chapters that are long, have nothing for a GPU, and do not say why in their front matter."""
    # Records that have the clock's time only tell how busy a machine was, too.
    seconds = {each: noted.get(each.name, {}).get("cpu_seconds", 0.0) for each in chapters}
    long = [each for each, took in seconds.items() if took > 60 * LONG]
    return [
        each.name
        for each in long
        if not uses_gpu(each, noted) and not each.front_matter().get(WHY, "").strip()
    ]


def _is_large(work: Mapping) -> bool:
    return worth_a_gpu(work["flops"], work["dtype"])


def _step(flops: float) -> float:
    """Seconds of a step on a GPU."""
    return max(LAUNCHES * LAUNCH_SECONDS, flops / RATE)
