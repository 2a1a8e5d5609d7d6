"""What one execution of a chapter was asked for: profile, seed, device, and the sizes they mean."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from repcost.devices import Device
from repcost_book.kernel.placing import device_of, on_device, refuse_mixture, takes_device
from repcost_book.kernel.results import Recorded, compute_and_show, read_and_tell
from repcost_book.kernel.workers import Workers

PROFILES = ("quick", "paper")


@dataclass(frozen=True)
class Run:
    """The settings of a chapter, from its parameters cell.

    device_name: "auto", "cpu" or "cuda"; `placing` says what they mean.

    >>> run = Run("quick", seed=0)
    >>> run.size("random networks", quick=200, paper=20_000)
    200
    """

    profile: str
    seed: int = 0
    device_name: str = "auto"
    # Filled by `size`: what the page lists below the chapter.
    sizes: dict[str, tuple[object, object]] = field(default_factory=dict, compare=False)

    def __post_init__(self):
        if self.profile not in PROFILES:
            raise ValueError(f"profile must be one of {', '.join(PROFILES)}, not {self.profile!r}")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"seed must be a whole number >= 0, not {self.seed!r}")
        # Refused here if it is missing, in the first cell of a chapter.
        _ = self.device

    @cached_property
    def device(self) -> Device:
        """For whatever trains or multiplies in batches; it remembers what was done."""
        return device_of(self.profile, self.device_name)

    @property
    def settings(self) -> dict[str, object]:
        """What the page says of this run beside its profile."""
        return {"seed": self.seed, "device": str(self.device)}

    def size(self, name: str, *, quick, paper):
        """The value for this profile; both are listed under `name` in the footer of the page."""
        self.sizes[name] = (quick, paper)
        return quick if self.profile == "quick" else paper

    def rng(self, stream: int = 0) -> np.random.Generator:
        """A generator that depends on the seed and on the number of the stream only."""
        # A pair: of their sum (0, 1) and (1, 0) would be the same generator.
        return np.random.default_rng([self.seed, stream])

    def recorded(self, name: str, compute: Callable[[], Mapping[str, Any]]) -> Recorded:
        """The arrays that `compute` returns, at the paper's own size in every profile.

        The paper profile computes them and keeps them as `results/NAME.npz`; the quick one reads
        that file, and says when they were computed and what of the code has changed since.
        """
        if self.profile == "paper":
            return compute_and_show(name, compute, self.seed, self.device)
        return read_and_tell(name, compute)

    def sweep(self, task: Callable[..., Any], parameters: Iterable[Mapping[str, Any]]) -> list[Any]:
        """`repcost.training.sweep` with the jobs, or on the scheduler, of the command line.

        In a chapter that runs beside others one task comes after the other: the cores are taken.
        A task with an argument `device` is given that of this run.
        """
        # Most chapters sweep nothing, and need not load what trains.
        from repcost.training import sweep

        workers = Workers.told()
        where = {"jobs": workers.jobs, "scheduler": workers.scheduler or None}
        if not takes_device(task):
            return sweep(task, parameters, **where)
        each = [{"task": task, "arguments": one, "device": str(self.device)} for one in parameters]
        found = sweep(on_device, each, **where)
        done = [work for _, own in found for work in own]
        refuse_mixture(self.device, done, "the sweep")
        self.device.done.extend(done)
        return [value for value, _ in found]
