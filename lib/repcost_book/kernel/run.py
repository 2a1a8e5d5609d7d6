"""What one execution of a chapter was asked for: profile, seed, device, and the sizes they mean."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from repcost_book.kernel.results import Recorded, compute_and_show, read_and_tell
from repcost_book.kernel.workers import Workers

PROFILES = ("quick", "paper")
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True)
class Run:
    """The settings of a chapter, from its parameters cell.

    >>> run = Run("quick", seed=0)
    >>> run.size("random networks", quick=200, paper=20_000)
    200
    """

    profile: str
    seed: int = 0
    device: str = "auto"
    # Filled by `size`: what the page lists below the chapter.
    sizes: dict[str, tuple[object, object]] = field(default_factory=dict, compare=False)

    def __post_init__(self):
        if self.profile not in PROFILES:
            raise ValueError(f"profile must be one of {', '.join(PROFILES)}, not {self.profile!r}")
        if self.device not in DEVICES:
            raise ValueError(f"device must be one of {', '.join(DEVICES)}, not {self.device!r}")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"seed must be a whole number >= 0, not {self.seed!r}")

    @property
    def settings(self) -> dict[str, object]:
        """What the page says of this run beside its profile."""
        return {"seed": self.seed, "device": self.device}

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
            return compute_and_show(name, compute, self.seed)
        return read_and_tell(name, compute)

    def sweep(self, task: Callable[..., Any], parameters: Iterable[Mapping[str, Any]]) -> list[Any]:
        """`repcost.training.sweep` with the jobs, or on the scheduler, of the command line.

        In a chapter that runs beside others one task comes after the other: the cores are taken.
        """
        # Most chapters sweep nothing, and need not load what trains.
        from repcost.training import sweep

        workers = Workers.told()
        return sweep(task, parameters, jobs=workers.jobs, scheduler=workers.scheduler or None)
