"""Where the time of all tests goes: seconds by group, the slowest files and tests, as pytest ends.

A test of a room is known by what it imports: the room that most of its names come from. Under
pytest-xdist a process of its own prints the end, which knows reports alone; so each test carries
the name of its group in its report.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

GROUP = "group"
SLOWEST, SLOWEST_FILES = 10, 20
FOLDERS = {"tests/browser": "browser", "tests/reference": "references"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.user_properties.append((GROUP, group_of(item)))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    # Of a few tests alone nobody asks.
    if config.getoption("numprocesses", default=None):
        reports = [each for some in terminalreporter.stats.values() for each in some]
        terminalreporter.section("where the time went, in seconds of a worker")
        for line in lines(report for report in reports if hasattr(report, "duration")):
            terminalreporter.write_line(line)


def lines(reports: Iterable[Any]) -> list[str]:
    """Groups, slowest files and tests, by falling seconds of set-up, test and tear-down."""
    groups: defaultdict[str, float] = defaultdict(float)
    files: defaultdict[str, float] = defaultdict(float)
    tests: defaultdict[str, float] = defaultdict(float)
    for report in reports:
        groups[dict(report.user_properties).get(GROUP, "others")] += report.duration
        files[report.nodeid.partition("::")[0]] += report.duration
        tests[report.nodeid] += report.duration
    return [*_column(groups), "", *_column(files)[:SLOWEST_FILES], "", *_column(tests)[:SLOWEST]]


def _column(times: Mapping[str, float]) -> list[str]:
    falling = sorted(times.items(), key=lambda item: -item[1])
    return [f"{seconds:8.1f}  {name}" for name, seconds in falling]


def group_of(item: pytest.Item) -> str:
    """Such as browser, references, doctests of costs, or unit: costs."""
    folders = item.path.relative_to(item.config.rootpath).parts
    if folders[:1] == ("lib",):
        return f"doctests: {_room('.'.join(folders[1:]))}"
    return FOLDERS.get(
        "/".join(folders[:2]), f"unit: {most_used(vars(getattr(item, 'module', item)))}"
    )


def most_used(names: Mapping[str, object]) -> str:
    """The room where most of these were made."""
    homes = [str(getattr(value, "__module__", None)) for value in names.values()]
    ours = [home for home in homes if home.startswith(("repcost.", "repcost_book."))]
    return Counter(map(_room, ours)).most_common(1)[0][0] if ours else "others"


def _room(module: str) -> str:
    package, room, *_ = [*module.split("."), ""]
    room = room.removesuffix(".py")
    return room if package == "repcost" else f"book's {room}"
