"""What the processes that this package starts find in their environment, in this one place."""

import os
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
# The date of a wheel: a zip file knows none before that day of 1980, where hatchling 1.27 stops.
DATED = {"SOURCE_DATE_EPOCH": "315532800"}
# Each would otherwise be a folder in the reader's home.
KEPT = {
    "MPLCONFIGDIR": "matplotlib",
    "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "jupyter/config",
    "JUPYTER_DATA_DIR": "jupyter/data",
    "JUPYTER_RUNTIME_DIR": "jupyter/runtime",
}
# What OpenBLAS compiles its kernels called SKYLAKEX for; some processors have the first alone.
AVX_512 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
# Linux alone has it.
PROCESSOR = Path("/proc/cpuinfo")


def fast() -> dict[str, str]:
    """This environment with one thread that sleeps while it waits, and the fastest OpenBLAS."""
    return {**os.environ, **THREADS, **_kernels(flags())}


def repeatable(own: Path | None = None) -> dict[str, str]:
    """The fast environment in which chapters, tests and benchmarks run, here and elsewhere.

    own: a folder for what Matplotlib, IPython and Jupyter keep and read, so that neither settings
    of the reader's nor a home that cannot be written change anything; without it, the reader's.
    """
    kept = {name: str(own / folder) for name, folder in KEPT.items()} if own else {}
    # IPython takes a folder in a folder that does not exist for one that it may not make.
    for folder in kept.values():
        Path(folder).mkdir(parents=True, exist_ok=True)
    return {**fast(), **REPEATABLE, **kept}


def patience(seconds: float, jobs: int = 1) -> float:
    """How long to wait, on this machine at this moment, for what takes so long on an idle one.

    Whoever waits shares the cores with all that runs, and with the jobs that begin now. The load
    is the larger one of the last minute and of the last five: it may come back.
    """
    return seconds * max(1.0, (_load() + jobs) / (os.cpu_count() or 1))


def flags() -> set[str]:
    """What the processor says it can do; nothing where it is not told."""
    lines = PROCESSOR.read_text(encoding="utf-8").splitlines() if PROCESSOR.is_file() else []
    return set(next((line for line in lines if line.startswith("flags")), "").split())


def _load() -> float:
    # Windows does not tell.
    return max(os.getloadavg()[:2]) if hasattr(os, "getloadavg") else 0.0


def _kernels(able: set[str]) -> dict[str, str]:
    # Some releases of OpenBLAS take processors with AVX-512 for older ones, at half the speed;
    # the others lose nothing by being told.
    return {"OPENBLAS_CORETYPE": "SKYLAKEX"} if able >= AVX_512 else {}
