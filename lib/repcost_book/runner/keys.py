"""When a chapter must run again: the key of what it was run with, compared with what is there now."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from repcost_book.kernel.ledger import statements
from repcost_book.kernel.recording import digest, locate
from repcost_book.runner.chapters import Chapter, code_cells
from repcost_book.runner.project import Project


@dataclass(frozen=True)
class Record:
    """What is kept beside an executed notebook: its key, and the files its kernel used with their
    hashes.
    """

    key: str
    files: Mapping[str, str]

    def is_current(self, chapter: Chapter, parameters: Mapping, project: Project) -> bool:
        """Whether a run now would start from the same code, parameters, pins, statements, modules
        and data.
        """
        return self.key == key(chapter, parameters, project, self.files) and all(
            locate(name, project.root).is_file() and digest(locate(name, project.root)) == value
            for name, value in self.files.items()
        )

    def text(self) -> str:
        return json.dumps({"key": self.key, "files": dict(self.files)}, indent=1)


def key(chapter: Chapter, parameters: Mapping, project: Project, files: Mapping[str, str]) -> str:
    """A hash of the code cells (prose and tags do not count), the parameters, the pins and the
    files used.
    """
    own_statements = [
        asdict(statement)
        for statement in statements().values()
        if statement.chapter == chapter.name
    ]
    parts = {
        "code": [cell.source for cell in code_cells(chapter.notebook())],
        "parameters": dict(parameters),
        "lock": digest(project.lock),
        "claims": [(statement["id"], statement["claims"]) for statement in own_statements],
        "files": dict(files),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
