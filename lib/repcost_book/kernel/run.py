"""What one execution of a chapter was asked for: profile, seed, device, and the sizes that follow
from the profile.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from repcost_book.kernel.results import Recorded, compute_and_show, read_and_tell
from repcost_book.runner.environment import Workers

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
    sizes: dict[str, tuple[object, object]] = field(default_factory=dict, compare=False)

    def __post_init__(self):
        if self.profile not in PROFILES:
            raise ValueError(f"profile must be one of {', '.join(PROFILES)}, not {self.profile!r}")
        if self.device not in DEVICES:
            raise ValueError(f"device must be one of {', '.join(DEVICES)}, not {self.device!r}")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"seed must be a whole number >= 0, not {self.seed!r}")

    def size(self, name: str, *, quick, paper):
        """The value for this profile; both are listed under `name` in the footer of the page."""
        self.sizes[name] = (quick, paper)
        return quick if self.profile == "quick" else paper

    def rng(self, stream: int = 0) -> np.random.Generator:
        """A generator that depends on the seed and on the number of the stream only."""
        return np.random.default_rng([self.seed, stream])

    def recorded(self, name: str, compute: Callable[[], Mapping[str, Any]]) -> Recorded:
        """The arrays that `compute` returns: computed and kept as `results/NAME.npz` in the paper
        profile, and read from there in the quick one, with a line that says when they were computed
        and what has changed since.
        """
        return (
            compute_and_show(name, compute, self.seed)
            if self.profile == "paper"
            else read_and_tell(name, compute)
        )

    def sweep(self, task: Callable[..., Any], parameters: Iterable[Mapping[str, Any]]) -> list[Any]:
        """`repcost.training.sweep` with the jobs, or on the scheduler, of the command line; in a
        chapter that runs beside others one task after the other, because the cores are taken.
        """
        from repcost.training import sweep

        workers = Workers.told()
        return sweep(task, parameters, jobs=workers.jobs, scheduler=workers.scheduler or None)
