"""Where torch computes: whether it can, when a GPU is worth it, and what was done where."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from reprlib import repr as short
from typing import Any

__all__ = [
    "AUTO",
    "WORTH_A_GPU",
    "Device",
    "Work",
    "available",
    "place",
    "torch_device",
    "worth_a_gpu",
]

AUTO = "auto"

# The one rule for "auto": so many operations in a step, at least. They take a core 1 to 2 ms where
# matrices are small (measured: 5e10 to 8e10 a second in float32, 1e10 to 2.5e10 in float64). On a
# GPU a step takes half a millisecond to launch, for it is some fifty calls, however little each
# computes. So here there is a factor of two to four to gain, and below it is soon lost.
WORTH_A_GPU = {"float32": 1e8, "float64": 2e7}


@dataclass(frozen=True)
class Work:
    """What was done where: so many steps of so many operations (flops) each.

    device: "cpu", or the kind of device and the name of the card; cpu_seconds: of all threads here.
    """

    what: str
    device: str
    flops: float
    dtype: str
    steps: int
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Device:
    """A device by name, "auto" for the rule, and what was done through it.

    >>> device = Device("auto")
    >>> place(device, flops=1000.0), device.done
    ('cpu', [])
    """

    name: str = "cpu"
    done: list[Work] = field(default_factory=list, compare=False)

    def __str__(self) -> str:
        return self.name


def worth_a_gpu(flops: float, dtype: str) -> bool:
    """Whether a step of so many operations is done sooner on a GPU; that dtype is float32 or 64."""
    return flops >= WORTH_A_GPU[dtype]


def place(device: Any, flops: float, dtype: str = "float64") -> str:
    """Where torch does work whose steps have so many operations: "cpu", "cuda", ...

    A device that is named does all of it; "auto" is a GPU where there is one and it is worth it.
    ValueError for a device that is not here, or that has no numbers of this type.
    """
    name = device.name if isinstance(device, Device) else device
    if isinstance(name, str) and name == AUTO:
        return "cuda" if worth_a_gpu(flops, dtype) and _has_cuda() else "cpu"
    found = torch_device(name)
    if found.startswith("mps") and dtype == "float64":
        raise ValueError(
            'device must not be "mps" for float64, which it does not have; take "cpu", or train '
            'with Recipe(dtype="float32")'
        )
    return found


def torch_device(device: Any) -> str:
    """`device` as text: "cpu", or what torch knows by that name and has; ValueError if not."""
    # The usual case, without torch.
    if isinstance(device, str) and device == "cpu":
        return device
    import torch

    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    # Each backend that is missing has an error of its own.
    except Exception as error:
        # torch lists all that it could have been compiled for, behind the first words.
        reason = str(error).partition("\n")[0][:100]
        known = f'device must be "cpu" or one that torch has here ({", ".join(available())})'
        raise ValueError(f"{known}, not {short(device)}: {reason}") from None
    if found.type == "meta":
        raise ValueError('device must not be "meta", where tensors have no numbers; take "cpu"')
    return str(found)


def available() -> list[str]:
    """What torch can compute on here, with the names of the cards."""
    import torch

    cards = range(torch.cuda.device_count()) if torch.cuda.is_available() else ()
    mps = ["mps"] if torch.backends.mps.is_available() else []
    return ["cpu", *(f"cuda:{n} ({torch.cuda.get_device_name(n)})" for n in cards), *mps]


def described(device: str) -> str:
    """The kind of a device with the name of its card, whose rounding is its own."""
    kind = device.partition(":")[0]
    if kind != "cuda":
        return kind
    import torch

    return f"cuda ({torch.cuda.get_device_name(device)})"


@contextmanager
def computing(device: str, what: str, smaller: str) -> Iterator[None]:
    """Float32 with all its digits meanwhile; where the memory ends, MemoryError with the remedy.

    smaller: what to ask for instead.
    """
    import torch

    try:
        with _all_digits():
            yield
    except RuntimeError as error:
        # A card has an error of its own for that; the processor's says it in words.
        if not (isinstance(error, torch.OutOfMemoryError) or "t allocate memory" in str(error)):
            raise
        # "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has ...": the second sentence.
        said = re.search(r"[Tt]ried to allocate [\d.]+ \w+", str(error))
        asked = said[0] if said else ""
        full = f"{what} needs more memory than {described(device)} has"
        raise MemoryError(f"{full}{asked and f' ({asked})'}; {smaller}") from None


@contextmanager
def timed(
    device: Any, what: str, at: str, flops: float, dtype: str = "float64"
) -> Iterator[list[int]]:
    """Notes what was done, if somebody wants to know; the steps are appended to what this gives."""
    steps: list[int] = []
    clocks = time.monotonic, time.process_time
    begun = [clock() for clock in clocks]
    yield steps
    if isinstance(device, Device):
        took = [round(clock() - start, 3) for clock, start in zip(clocks, begun, strict=True)]
        device.done.append(Work(what, described(at), flops, dtype, sum(steps), *took))


@contextmanager
def _all_digits() -> Iterator[None]:
    """No TF32 and no bfloat16 inside of products of float32, whoever asked for it elsewhere."""
    import torch

    backends = torch.backends.cuda.matmul, getattr(torch.backends.mkldnn, "matmul", None)
    settings: list[Any] = [each for each in backends if hasattr(each, "fp32_precision")]
    # Before torch 2.9 there is one setting for all of them.
    if not settings:
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
        try:
            yield
        finally:
            torch.set_float32_matmul_precision(before)
        return
    were = [each.fp32_precision for each in settings]
    try:
        for each in settings:
            each.fp32_precision = "ieee"
        yield
    finally:
        for each, was in zip(settings, were, strict=True):
            each.fp32_precision = was


def _has_cuda() -> bool:
    import torch

    return torch.cuda.is_available()
