"""How long a chapter takes to read, and what it takes for read: `book/chapters.yml`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project

MINUTES, NEEDS = "minutes", "prerequisites"
# What takes longer to read is two chapters.
MOST = 60


@dataclass(frozen=True)
class Reading:
    """Minutes of reading, and the chapters that come before this one."""

    minutes: int
    prerequisites: tuple[str, ...]


def readings(project: Project) -> dict[str, Reading]:
    """Of every chapter, in the order of the contents; ValueError that says all that is amiss."""
    entries = yaml.safe_load(project.readings.read_text(encoding="utf-8")) or {}
    names = [chapter.name for chapter in chapters(project)]
    if wrong := [*_unlike(entries, names), *_broken(entries, names)]:
        raise ValueError("\n".join([f"{project.readings.name} has to be corrected:", *wrong]))
    return {name: Reading(entries[name][MINUTES], tuple(entries[name][NEEDS])) for name in names}


def _unlike(entries: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if name not in entries:
            yield f"  {name} has no entry; give it its minutes and prerequisites"
    for name in entries:
        if name not in names:
            yield f"  {name} is no chapter of the contents; take its entry out"


def _broken(entries: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    for name in filter(entries.__contains__, names):
        entry = entries[name]
        if not isinstance(entry, dict) or entry.keys() != {MINUTES, NEEDS}:
            yield f"  {name} must have {MINUTES} and {NEEDS}, and nothing else"
            continue
        if type(entry[MINUTES]) is not int or not 1 <= entry[MINUTES] <= MOST:
            yield f"  {name}: {MINUTES} must be a whole number from 1 to {MOST}"
        # Whoever reads in order has read them, and nothing can go in a circle.
        before = names[: names.index(name)]
        if not isinstance(entry[NEEDS], list):
            yield f"  {name}: {NEEDS} must be a list of chapters, if only []"
            continue
        for other in entry[NEEDS]:
            if other not in before:
                yield f"  {name}: {other} is no chapter that comes before it"
