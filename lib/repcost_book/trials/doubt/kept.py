"""What came of every fault of a chapter so far, as it lies under `_build/doubt`."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from repcost_book.pages.doubted import Doubted, key
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.project import Project
from repcost_book.trials.doubt.scores import survivors, tested

# As many seeds as `work` has beside the first one.
OTHER_SEEDS = 9


@dataclass
class Kept:
    """What was told of a chapter, line by line.

    came: of each fault that was tried, its letters and roles, or that it changed nothing.
    seeds: what the checks measured at other seeds; None where the chapter stopped there.
    nulls: how many faults that change nothing were tried, and what they changed.
    """

    key: str = ""
    code: str = ""
    modules: list[str] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    faults: dict[str, dict[str, Any]] = field(default_factory=dict)
    came: dict[str, dict[str, Any]] = field(default_factory=dict)
    seeds: dict[str, list[float] | None] = field(default_factory=dict)
    nulls: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @classmethod
    def read(cls, path: Path, chapter: Chapter, project: Project) -> "Kept":
        """What is kept; nothing if anything has changed since, or if the file is damaged."""
        try:
            kept = cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return cls()
        return kept if kept.key == key(chapter, project, kept.modules) else cls()

    def text(self) -> str:
        return json.dumps(asdict(self))

    def hear(self, message: dict[str, Any]) -> None:
        """Take one line of what the process of the chapter tells."""
        match message:
            case {"about": about}:
                self.modules = list(about["files"])
                self.checks, self.faults = about["checks"], about["faults"]
            case {"null": number, "differences": differences}:
                self.nulls[str(number)] = differences
            case {"fault": fault, "came": came}:
                self.came[fault] = came
            case {"seed": seed, "worst": worst, "came": came}:
                self.seeds[str(seed)] = worst
                # Of several seeds at which a fault changes something the first one counts.
                still = {k: c for k, c in came.items() if not self.came[k]["fired"]}
                self.came |= still
            case {"end": seconds}:
                self.seconds += seconds

    @property
    def unfired(self) -> list[str]:
        """Faults that have changed no value yet, and might at another seed."""
        return [k for k, came in self.came.items() if not came["fired"] and not came["never"]]

    @property
    def has_all_seeds(self) -> bool:
        return len(self.seeds) == OTHER_SEEDS

    @property
    def is_whole(self) -> bool:
        return bool(self.key) and len(self.came) == len(self.faults) and self.has_all_seeds

    @property
    def failure(self) -> str:
        """What null faults changed: then nothing that this machine says can be believed."""
        told = [f"statement {n}: {said}" for n, said in self.nulls.items() if said]
        return f"faults that change nothing changed something: {'; '.join(told)}" if told else ""

    def doubted(self, chapter: str) -> Doubted:
        """The numbers of a chapter."""
        fired = {key: came for key, came in self.came.items() if came["fired"]}
        # What changes no value at any seed is no fault.
        changed_nothing = len(self.came) - len(fired)
        none = changed_nothing if self.has_all_seeds else changed_nothing - len(self.unfired)
        measured = [[check["worst"] for check in self.checks], *filter(None, self.seeds.values())]
        checks = tested(self.checks, self.faults, fired, measured)
        return Doubted(
            chapter,
            self.key,
            tuple(self.modules),
            len(self.faults) - none,
            len(fired),
            round(self.seconds, 1),
            tuple(checks),
            tuple(survivors(self.faults, fired)),
            self.code,
        )
