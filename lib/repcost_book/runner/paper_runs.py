"""How long each chapter took at the papers' own sizes, as a small record and as a table in the
book.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from repcost_book.kernel.results import machine
from repcost_book.runner.chapters import Chapter
from repcost_book.runner.files import write


def note(record: Path, chapter: str, seconds: float, versions: dict[str, str]) -> None:
    """Keep when, where and with what a chapter was last executed in the paper profile."""
    told = json.loads(record.read_text()) if record.is_file() else {}
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": versions,
    }
    told[chapter] = {"seconds": round(seconds, 1), **about}
    write(record, json.dumps(dict(sorted(told.items())), indent=1) + "\n")


def paper_runs_page(record: Path, chapters: Iterable[Chapter]) -> str:
    """A row per chapter that was executed, in the book's order, and the sum."""
    told = json.loads(record.read_text()) if record.is_file() else {}
    rows = [(chapter, told[chapter.name]) for chapter in chapters if chapter.name in told]
    if not rows:
        return "No chapter has been executed so yet: `make paper`.\n"
    lines = ["| Chapter | Minutes | Date | Machine |", "| --- | ---: | --- | --- |"]
    lines += [
        f"| {{doc}}`/book/{chapter.name}` | {about['seconds'] / 60:.1f} | {about['date']} | {about['machine']} |"
        for chapter, about in rows
    ]
    total = sum(about["seconds"] for _, about in rows) / 3600
    return (
        "\n".join([*lines, "", f"Together {total:.1f} hours, one chapter after the other."]) + "\n"
    )
