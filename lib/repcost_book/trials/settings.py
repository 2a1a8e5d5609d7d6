"""Where a chapter must hold: other seeds, other kernels of BLAS and of PyTorch, more threads."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from repcost_book.runner.chapters import Chapter
from repcost_book.runner.environment import AVX_512, THREADS, flags

SEEDS = range(32)


@dataclass(frozen=True)
class Setting:
    """What the environment has that is not the usual, and what the processor must be able to do."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()


USUAL = Setting("usual")


def _core(name: str, *needs: str) -> Setting:
    """The kernels that OpenBLAS has for processors of this type."""
    return Setting(name, {"OPENBLAS_CORETYPE": name}, frozenset(needs))


def _aten(name: str, *needs: str) -> Setting:
    """The kernels that PyTorch compiles for this set of instructions."""
    return Setting(f"ATen-{name}", {"ATEN_CPU_CAPABILITY": name}, frozenset(needs))


def _threads(count: int) -> dict[str, str]:
    return {name: str(count) for name in THREADS if name.endswith("THREADS")}


SETTINGS = (
    USUAL,
    # What /proc/cpuinfo calls pni is SSE3.
    _core("Prescott", "pni"),
    _core("Nehalem", "sse4_2"),
    _core("Sandybridge", "avx"),
    _core("Haswell", "avx2", "fma"),
    _core("Zen", "avx2", "fma"),
    _core("SkylakeX", *AVX_512),
    _aten("default"),
    _aten("avx2", "avx2", "fma"),
    Setting("two-threads", _threads(2)),
)


@dataclass(frozen=True)
class Trial:
    """One chapter, with one seed, in one setting."""

    chapter: Chapter
    setting: Setting
    seed: int

    @property
    def name(self) -> str:
        return f"{self.chapter.name}/{self.place.replace(' ', '-')}"

    @property
    def place(self) -> str:
        """Which of them: the usual setting goes without saying."""
        seed = f"seed {self.seed}"
        return seed if self.setting == USUAL else f"{self.setting.name} {seed}"

    @property
    def parameters(self) -> dict:
        return {"profile": "quick", "seed": self.seed}


def trials(
    chapters: Iterable[Chapter], settings: Iterable[Setting] = (), seeds: Iterable[int] = ()
) -> Iterator[Trial]:
    """Of each chapter the settings at each seed; if neither is given, one factor at a time.

    Seeds alone are tried in the usual setting, settings alone at the first seed.
    """
    settings, seeds = list(settings), list(seeds)
    for chapter in chapters:
        if settings and seeds:
            yield from (Trial(chapter, each, seed) for each in settings for seed in seeds)
            continue
        if seeds or not settings:
            yield from (Trial(chapter, USUAL, seed) for seed in seeds or SEEDS)
        if settings or not seeds:
            # The usual one is among the seeds already.
            others = settings or SETTINGS[1:]
            yield from (Trial(chapter, each, SEEDS[0]) for each in others)


def lacking(setting: Setting) -> str:
    """Which instructions the processor lacks for a setting; empty if it has all."""
    return ", ".join(sorted(setting.needs - flags()))
