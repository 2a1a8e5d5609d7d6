"""What the house says of itself is so: rooms, modules, functions and files that it names exist."""

import re
from importlib import import_module
from importlib.util import find_spec

import pytest

from repcost_book.kernel.sources import PACKAGES
from repcost_book.runner.project import Project

ROOT = Project.here().root
TEXTS = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("docs/ARCHITECTURE.md", "README.md", "CONTRIBUTING.md")
}
SCREEN = TEXTS["docs/ARCHITECTURE.md"]
(DIAGRAM,) = re.findall(r"```text\n(.*?)```", SCREEN, flags=re.DOTALL)
# The columns of the two packages; right of the second stand words of explanation.
LEFT, RIGHT = 47, 61


def column(start: int, end: int) -> set[str]:
    words = " ".join(line[start:end] for line in DIAGRAM.splitlines()[1:]).split()
    return {word for word in words if word.isidentifier()}


def rooms(package: str) -> set[str]:
    return {path.parent.name for path in (PACKAGES / package).glob("*/__init__.py")}


def test_it_fits_a_screen():
    assert len(SCREEN.splitlines()) <= 60


@pytest.mark.parametrize(
    "package, start, end", [("repcost", 0, LEFT), ("repcost_book", LEFT, RIGHT)]
)
def test_the_rooms_of_the_diagram_are_those_of_the_house(package, start, end):
    named = column(start, end)
    assert all(find_spec(f"{package}.{name}") for name in named), named
    assert rooms(package) <= named


def test_it_is_linked_from_where_people_begin():
    assert all("(docs/ARCHITECTURE.md)" in TEXTS[name] for name in ("README.md", "CONTRIBUTING.md"))


def test_modules_that_it_names_exist():
    packages = ("repcost", "repcost_book")
    named = re.findall(r"`([a-z_]+)\.((?!py)[a-z_]+)`", SCREEN)
    assert len(named) > 5
    for room, module in named:
        homes = [f"{package}.{room}" for package in packages if find_spec(f"{package}.{room}")]
        assert homes, room
        assert any(_has(home, module) for home in homes), f"{room}.{module}"


def _has(home: str, name: str) -> bool:
    """Whether a room has this module, or gives this name."""
    room = import_module(home)
    return hasattr(room, name) or (hasattr(room, "__path__") and bool(find_spec(f"{home}.{name}")))


@pytest.mark.parametrize("name", TEXTS)
def test_files_that_a_text_names_exist(name):
    text = re.sub(r"```\w*\n.*?```", "", TEXTS[name], flags=re.DOTALL)
    folders = r"(?:lib|book|tests|docs|benchmarks)/"
    named = re.findall(rf"`({folders}[\w./-]*)`", text)
    named += re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    examples = ("path_norms", "PAPER/NAME")
    assert named
    missing = [path for path in named if not (ROOT / path).exists()]
    assert [path for path in missing if not any(example in path for example in examples)] == []
