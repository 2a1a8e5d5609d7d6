"""What the processes that this package starts find in their environment, in this one place."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# Small work is up to a thousand times slower when several threads spin for it.
THREADS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
}
# Hashes and dates are the same each time, and a kernel is that of this installation.
REPEATABLE = {
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "0",
    "JUPYTER_PLATFORM_DIRS": "1",
    "JUPYTER_PREFER_ENV_PATH": "1",
}
# What OpenBLAS compiles its kernels called SKYLAKEX for; some processors have the first of them
# alone.
AVX_512 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
# Linux alone has it.
PROCESSOR = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Workers:
    """Where the sweeps of a chapter run: in so many processes beside it, or on the workers of a
    Dask scheduler.
    """

    jobs: int = 1
    scheduler: str = ""

    @classmethod
    def told(cls, environment: Mapping[str, str] = os.environ) -> "Workers":
        """What the runner told this process; one job if nothing."""
        return cls(
            int(environment.get("REPCOST_JOBS", "1")), environment.get("REPCOST_SCHEDULER", "")
        )

    def tell(self) -> dict[str, str]:
        """The variables that `told` reads."""
        return {"REPCOST_JOBS": str(self.jobs), "REPCOST_SCHEDULER": self.scheduler}


def fast() -> dict[str, str]:
    """This environment, with one thread that sleeps while it waits, and the fastest OpenBLAS of
    this processor.
    """
    return {**os.environ, **THREADS, **_kernels(_flags())}


def repeatable() -> dict[str, str]:
    """The fast environment in which chapters, tests and benchmarks run, here and elsewhere."""
    return {**fast(), **REPEATABLE}


def _kernels(flags: set[str]) -> dict[str, str]:
    """Some releases of OpenBLAS take processors with AVX-512 for older ones, at half the speed;
    others lose nothing.
    """
    return {"OPENBLAS_CORETYPE": "SKYLAKEX"} if flags >= AVX_512 else {}


def _flags() -> set[str]:
    """What the processor says it can do; nothing where it is not told."""
    lines = PROCESSOR.read_text(encoding="utf-8").splitlines() if PROCESSOR.is_file() else []
    return set(next((line for line in lines if line.startswith("flags")), "").split())
