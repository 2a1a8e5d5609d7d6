"""When a chapter must run again: what it was run with, compared with what is there now."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from repcost_book.kernel.ledger import statements
from repcost_book.kernel.sources import digest, located
from repcost_book.runner.chapters import Chapter, code_cells
from repcost_book.runner.project import Project

KINDS = {"key": str, "notebook": str, "files": dict}


@dataclass(frozen=True)
class Record:
    """What is kept beside an executed notebook.

    key: a hash of all that the chapter was run with.
    notebook: the hash of that notebook: half of one is none.
    files: the files its kernel used, with their hashes.
    """

    key: str
    notebook: str
    files: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> "Record":
        """What `text` has written; ValueError if the file holds anything else."""
        told = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(told, dict) or {name: type(told[name]) for name in told} != KINDS:
            raise ValueError(f"{path} is no record")
        return cls(**told)

    def is_current(self, chapter: Chapter, parameters: Mapping, project: Project) -> bool:
        """Whether a run now would start from all the same."""
        # The key first: it is the cheaper of the two.
        same_key = self.key == key(chapter, parameters, project, self.files)
        return same_key and all(
            _digest_now(name, project) == value for name, value in self.files.items()
        )

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1)


def key(chapter: Chapter, parameters: Mapping, project: Project, files: Mapping[str, str]) -> str:
    """A hash of the code, the parameters, the pins, the claims and the files used.

    Prose and tags do not count, and of the ledger only the claims that this chapter settles.
    """
    claims = [
        (statement.id, [asdict(claim) for claim in statement.claims])
        for statement in statements().values()
        if statement.chapter == chapter.name
    ]
    parts = {
        "code": [cell.source for cell in code_cells(chapter.notebook())],
        "parameters": dict(parameters),
        "lock": digest(project.lock),
        "claims": claims,
        "files": dict(files),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _digest_now(name: str, project: Project) -> str | None:
    path = located(name, project.root)
    return digest(path) if path.is_file() else None
