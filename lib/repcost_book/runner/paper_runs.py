"""How long each chapter took at the papers' own sizes, as a small record in results/."""

import json
from datetime import UTC, datetime
from pathlib import Path

from repcost_book.runner.files import read_json, write


def note(record: Path, chapter: str, seconds: float, found: dict) -> None:
    """Keep when, where and with what a chapter was last executed in the paper profile.

    found: what its kernel recorded, on the machine where it ran.
    """
    date = datetime.now(UTC).date().isoformat()
    kept = {name: found[name] for name in ("machine", "versions", "cpu_seconds", "work")}
    about = {"seconds": round(seconds, 1), "date": date, **kept}
    write(record, told({**noted(record), chapter: about}))


def noted(record: Path) -> dict[str, dict]:
    """What was kept, by chapter."""
    return read_json(record) if record.is_file() else {}


def told(runs: dict[str, dict]) -> str:
    """The record as text."""
    # Sorted, so that the difference to the last version is the chapter that was run.
    return json.dumps(dict(sorted(runs.items())), indent=1) + "\n"
