"""The times of the chapters at the papers' own sizes, as a table in the book."""

from collections.abc import Iterable
from pathlib import Path

from repcost_book.runner.chapters import Chapter
from repcost_book.runner.paper_runs import noted

HEAD = ["| Chapter | Minutes | Date | Machine |", "| --- | ---: | --- | --- |"]


def paper_runs_page(record: Path, chapters: Iterable[Chapter]) -> str:
    """A row per chapter that was executed, in the book's order, and the sum."""
    told = noted(record)
    executed = {each.name: told[each.name] for each in chapters if each.name in told}
    if not executed:
        return "No chapter has been executed so yet: `make paper`.\n"
    rows = [_row(name, about) for name, about in executed.items()]
    hours = sum(map(_seconds, executed.values())) / 3600
    together = f"Together {hours:.1f} hours, one chapter after the other."
    return "\n".join([*HEAD, *rows, "", together]) + "\n"


def _row(name: str, about: dict) -> str:
    minutes = f"{_seconds(about) / 60:.1f}"
    return f"| {{doc}}`/book/{name}` | {minutes} | {about['date']} | {about['machine']} |"


def _seconds(about: dict) -> float:
    """Of the processor, which other work disturbs little; of the clock in older records."""
    return about.get("cpu_seconds", about["seconds"])
