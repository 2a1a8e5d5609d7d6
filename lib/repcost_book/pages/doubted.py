"""What `results/doubt.json` says: how many faults the checks of each chapter noticed."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from repcost_book.kernel.sources import digest, located
from repcost_book.runner.chapters import Chapter, code_cells, tags
from repcost_book.runner.files import read_json
from repcost_book.runner.project import Project

# Cells on which no check depends.
ASIDE = {"solution", "glue"}


@dataclass(frozen=True)
class Tested:
    """One check: in how many faults it failed, and in how many that changed what it measures not.

    absorbed: faults that changed some value, but not what is measured.
    raised: faults that broke something, timed out, or lay behind a step too slow to repeat.
    by_wrong: of the noticed ones, those with which a wrong formula passed.
    data: faults in data before formula and measurement, with which the check failed.
    different: different faults that were noticed, by statement and kind.
    slack: the bound over the largest value at ten seeds; None where that says nothing.
    falls_short: in words, why the check is below the bar.
    """

    statement: str
    claim: str
    noticed: int
    survived: int
    absorbed: int
    raised: int
    by_wrong: int = 0
    data: int = 0
    different: int = 0
    slack: float | None = None
    falls_short: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survivor:
    """A fault that changed what a check measured, which passed.

    check: the place of the check in the chapter.
    because: a recorded reason; with one it has survived all the same.
    """

    key: str
    check: int
    kind: str
    text: str
    because: str = ""


@dataclass(frozen=True)
class Doubted:
    """One chapter.

    key: of the code, the pins and the modules with which it was tested; code: of the first alone.
    modules: their names.
    faults, run: how many there are, and of how many it is known what came of them.
    """

    chapter: str
    key: str
    modules: tuple[str, ...]
    faults: int
    run: int
    seconds: float
    checks: tuple[Tested, ...]
    survivors: tuple[Survivor, ...]
    code: str = ""

    def is_of(self, chapter: Chapter) -> bool:
        """Whether these are still its checks; the library may have changed under them."""
        return self.code == code(chapter)

    def is_current(self, chapter: Chapter, project: Project) -> bool:
        return self.key == key(chapter, project, self.modules)

    @property
    def is_whole(self) -> bool:
        return self.run == self.faults


@dataclass(frozen=True)
class Score:
    """Noticed of all that changed what is measured; and reach, of all that changed any value."""

    noticed: int
    survived: int
    absorbed: int
    raised: int

    @classmethod
    def of(cls, checks: Iterable[Tested]) -> "Score":
        each = list(checks)
        return cls(*(sum(getattr(c, f.name) for c in each) for f in fields(cls)))

    @property
    def score(self) -> float | None:
        told = self.noticed + self.survived
        return self.noticed / told if told else None

    @property
    def reach(self) -> float | None:
        told = self.noticed + self.survived
        return told / (told + self.absorbed) if told + self.absorbed else None


def key(chapter: Chapter, project: Project, modules: Iterable[str]) -> str:
    """A hash of all on which the outcome depends: code, pins, library, and the machine of doubt.

    Not of the ledger: what it says of a claim changes no number.
    """
    files = {name: located(name, project.root) for name in modules}
    parts = {
        "code": _code(chapter),
        "lock": digest(project.lock),
        "files": {name: digest(path) for name, path in files.items() if path.is_file()},
    }
    return _hash(parts)


def code(chapter: Chapter) -> str:
    """A hash of what a chapter does itself."""
    return _hash(_code(chapter))


def _code(chapter: Chapter) -> list[str]:
    return [c.source for c in code_cells(chapter.notebook()) if not ASIDE & set(tags(c))]


def _hash(told: Any) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def read(path: Path) -> dict[str, Doubted]:
    """By chapter; nothing where nothing was measured."""
    told = read_json(path) if path.is_file() else {}
    return {name: _doubted(name, entry) for name, entry in told.items()}


def text(found: Mapping[str, Doubted]) -> str:
    """The file, a chapter after the other by name."""
    told = {name: _entry(found[name]) for name in sorted(found)}
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def scores(found: Iterable[Doubted]) -> dict[str, Score]:
    """Of each statement, over its checks; only of chapters all of whose faults were tried."""
    checks: dict[str, list[Tested]] = {}
    for each in found:
        for check in each.checks if each.is_whole else ():
            checks.setdefault(check.statement, []).append(check)
    return {name: Score.of(those) for name, those in checks.items()}


def _doubted(name: str, entry: Mapping[str, Any]) -> Doubted:
    told = dict(entry)
    told["modules"] = tuple(told["modules"].split())
    told["checks"] = tuple(_tested(each) for each in told["checks"])
    told["survivors"] = tuple(Survivor(**each) for each in told["survivors"])
    return Doubted(name, **told)


def _tested(entry: Mapping[str, Any]) -> Tested:
    return Tested(**{**entry, "falls_short": tuple(entry["falls_short"])})


def _entry(doubted: Doubted) -> dict[str, Any]:
    told = asdict(doubted)
    del told["chapter"]
    return {**told, "modules": " ".join(doubted.modules)}
