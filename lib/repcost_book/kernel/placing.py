"""Where a chapter's large work is done, and what the page and the files say of that.

A chapter hands `run.device` on to whatever trains or multiplies in batches. In the paper profile
"auto" is a GPU where there is one and a step is worth it (`repcost.devices` has the rule); in the
quick profile it is the processor, whose numbers the reference notebooks have. A device that is
named does all of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from inspect import signature
from typing import Any

from repcost.devices import AUTO, Device, Work, torch_device, worth_a_gpu

DEVICES = (AUTO, "cpu", "cuda")


def device_of(profile: str, asked: Any) -> Device:
    """What a chapter hands on; ValueError, before anything is computed, for what is not here."""
    if asked == "mps":
        reason = "it has no float64, in which this book computes"
        raise ValueError(f'device must not be "mps": {reason}; take auto or cpu')
    if asked not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}, not {asked!r}")
    if asked == AUTO:
        return Device(AUTO if profile == "paper" else "cpu")
    try:
        return Device(torch_device(asked))
    except ImportError:
        remedy = "install the extra [torch], or take cpu"
        raise ValueError(f"device {asked} needs torch, which is not here; {remedy}") from None


def takes_device(task: Any) -> bool:
    """Whether a function has an argument of that name."""
    try:
        return "device" in signature(task).parameters
    # What is no function, and functions written in C.
    except (TypeError, ValueError):
        return False


def on_device(
    task: Callable[..., Any], arguments: Mapping[str, Any], device: str
) -> tuple[Any, list[Work]]:
    """What a task of a sweep returns, and what it did where; it runs in a process of its own."""
    own = Device(device)
    return task(**{"device": own, **arguments}), own.done


def together(done: Iterable[Work]) -> list[dict[str, Any]]:
    """The same kind of steps on the same device added up, as plain numbers and names."""
    kinds: dict[tuple, Work] = {}
    for work in done:
        kind = work.what, work.device, work.flops, work.dtype
        before = kinds.get(kind, Work(*kind, 0, 0.0, 0.0))
        took = (round(before.seconds + work.seconds, 3), before.cpu_seconds + work.cpu_seconds)
        kinds[kind] = Work(*kind, before.steps + work.steps, took[0], round(took[1], 3))
    return [asdict(work) for work in kinds.values()]


def devices(done: Iterable[Work]) -> list[str]:
    """The devices by name, GPUs first."""
    return sorted({work.device for work in done}, key=lambda name: (name == "cpu", name))


def refuse_mixture(device: Device, done: Sequence[Work], what: str) -> None:
    """ValueError if work that belongs on one device was done on several, which round differently.

    By "auto" small work belongs on the processor, whatever there is beside it.
    """
    named = device.name != AUTO
    large = [work for work in done if named or worth_a_gpu(work.flops, work.dtype)]
    if len(names := devices(large)) > 1:
        remedy = "give it workers of one kind, or take -p device=cpu"
        raise ValueError(f"{what} ran on {' and on '.join(names)}; {remedy}")
