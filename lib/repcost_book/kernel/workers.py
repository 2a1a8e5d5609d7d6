"""Where the sweeps of a chapter run: the one thing that its environment tells a kernel."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

# Not parameters of the notebook: how many processes there are changes no number, so a chapter
# must not run again for it.
JOBS, SCHEDULER = "REPCOST_JOBS", "REPCOST_SCHEDULER"


@dataclass(frozen=True)
class Workers:
    """So many processes beside the kernel, or the workers of a Dask scheduler."""

    jobs: int = 1
    scheduler: str = ""

    @classmethod
    def told(cls, environment: Mapping[str, str] = os.environ) -> "Workers":
        """What the runner told this process; one job if nothing."""
        return cls(int(environment.get(JOBS, "1")), environment.get(SCHEDULER, ""))

    def tell(self) -> dict[str, str]:
        """The variables that `told` reads."""
        return {JOBS: str(self.jobs), SCHEDULER: self.scheduler}
