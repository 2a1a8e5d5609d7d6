"""How long each chapter took at the papers' own sizes, as a small record in results/."""

import json
from datetime import UTC, datetime
from pathlib import Path

from repcost_book.runner.files import write


def note(record: Path, chapter: str, seconds: float, found: dict) -> None:
    """Keep when, where and with what a chapter was last executed in the paper profile.

    found: what its kernel recorded, on the machine where it ran.
    """
    date = datetime.now(UTC).date().isoformat()
    kept = {name: found[name] for name in ("machine", "versions", "cpu_seconds", "work")}
    told = {**noted(record), chapter: {"seconds": round(seconds, 1), "date": date, **kept}}
    # Sorted, so that the difference to the last version is the chapter that was run.
    write(record, json.dumps(dict(sorted(told.items())), indent=1) + "\n")


def noted(record: Path) -> dict[str, dict]:
    """What was kept, by chapter."""
    return json.loads(record.read_text()) if record.is_file() else {}
