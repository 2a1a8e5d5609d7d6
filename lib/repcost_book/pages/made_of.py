"""What pages are made of, by content, and whether those that are there are made of it."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from repcost_book.kernel.sources import PACKAGES, digest
from repcost_book.runner.chapters import pages
from repcost_book.runner.project import Project

Hashes = dict[str, str]


@dataclass(frozen=True)
class MadeOf:
    """The hashes of files by their names.

    settings: the pins, the settings and this package: if they change, every page is made again.
    stage: the mirror.
    """

    settings: Hashes
    stage: Hashes

    @classmethod
    def now(cls, project: Project) -> "MadeOf":
        package = (PACKAGES / "repcost_book").rglob("*")
        own = [path for path in package if path.suffix in (".py", ".js", ".css")]
        settings = [project.lock, project.root / "_config.yml", project.contents]
        staged = [path for path in project.stage.rglob("*") if path.is_file()]
        return cls(
            _hashes(settings, project.root) | _hashes(own, PACKAGES), _hashes(staged, project.stage)
        )

    @classmethod
    def read(cls, stamp: Path) -> "MadeOf | None":
        """What `text` has written; None if there is nothing, or anything else."""
        try:
            return cls(**json.loads(stamp.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1)


def all_there(project: Project) -> bool:
    """Whether each page of the contents has been made."""
    wanted = [project.html / f"{name}.html" for name in pages(project)]
    return all(path.is_file() for path in [project.html / "index.html", *wanted])


def times_tell(now: MadeOf, before: MadeOf | None, project: Project, stamp: Path) -> bool:
    """Whether Sphinx, which goes by the times of files, will see all that has changed.

    A clock that was wrong when the pages were made has left times in the future.
    """
    if before is None or now.settings != before.settings:
        return False
    made = stamp.stat().st_mtime
    changed = [name for name, value in now.stage.items() if before.stage.get(name) != value]
    return all((project.stage / name).stat().st_mtime > made for name in changed)


def _hashes(paths: Iterable[Path], root: Path) -> Hashes:
    return {path.relative_to(root).as_posix(): digest(path) for path in sorted(paths)}
