"""How long a chapter takes to read, and what it takes for read, which `book/chapters.yml` says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project
from repcost_book.runner.sizes import size


@dataclass(frozen=True)
class Reading:
    """Minutes of reading, and the chapters that come before this one."""

    minutes: int
    prerequisites: tuple[str, ...]


def readings(project: Project) -> dict[str, Reading]:
    """Of every chapter, in the order of the contents; ValueError that says all that is amiss."""
    entries = yaml.safe_load(project.readings.read_text(encoding="utf-8")) or {}
    found = {chapter.name: chapter for chapter in chapters(project)}
    if wrong := [*_unlike(entries, list(found)), *_broken(entries, list(found))]:
        raise ValueError("\n".join([f"{project.readings.name} has to be corrected:", *wrong]))
    return {
        name: Reading(size(chapter).minutes, tuple(entries[name]))
        for name, chapter in found.items()
    }


def _unlike(entries: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if name not in entries:
            yield f"  {name} has no entry; list the chapters that come before it, if only []"
    for name in entries:
        if name not in names:
            yield f"  {name} is no chapter of the contents; take its entry out"


def _broken(entries: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    for name in filter(entries.__contains__, names):
        if not isinstance(entries[name], list):
            yield f"  {name} must have a list of chapters, if only []"
            continue
        # Whoever reads in order has read them, and nothing can go in a circle.
        before = names[: names.index(name)]
        for other in entries[name]:
            if other not in before:
                yield f"  {name}: {other} is no chapter that comes before it"
