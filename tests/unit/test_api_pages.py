"""The library page has every public name, and a chapter imports nothing that is not on it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import repcost
import repcost_book
from repcost_book.pages.api_pages import api_page
from repcost_book.pages.docstrings import first_paragraphs, plain
from repcost_book.pages.rooms import LIBRARY, is_constant, public, rooms
from repcost_book.runner.chapters import chapters, code_cells
from repcost_book.runner.project import Project

CHAPTERS = {chapter.name: chapter for chapter in chapters(Project.here())}
OURS = ("repcost", "repcost_book")


def test_every_public_name_has_its_section():
    page = api_page()
    assert all(f"(api-{name})=\n### {name}\n" in page for name in repcost.__all__)
    assert all(f"(api-{name})=\n### {name}\n" in page for name in repcost_book.__all__)


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.module)
def test_every_name_of_a_room_is_on_the_page_once(room):
    page = api_page()
    for name, value in public()[room.module].items():
        entry = f"\n{name} = " if is_constant(value) else f"-{name})=\n### {name}\n"
        assert page.count(entry) == 1, name


def test_the_page_begins_with_its_names_which_lead_to_their_sections():
    contents = api_page().partition("(room-repcost)=")[0]
    told = re.findall(r"\[`(\w+)`\]\(#([\w-]+)\)", contents)
    sections = re.findall(r"^\((api-[\w-]+)\)=\n### (\w+)$", api_page(), flags=re.M)
    assert sorted(told) == sorted((name, label) for label, name in sections)
    assert all(f"[{room.title}](#room-" in contents for room in rooms())


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.module)
def test_no_name_is_another_librarys(room):
    """An alias of numpy's array would bring all of numpy's words to the page."""
    defined = [v for v in public()[room.module].values() if not is_constant(v)]
    assert [v for v in defined if v.__module__.split(".")[0] not in OURS] == []


def test_labels_differ_by_more_than_capitals():
    labels = [label.lower() for label in re.findall(r"^\((.*)\)=$", api_page(), flags=re.M)]
    assert len(labels) > 80 and len(labels) == len(set(labels))


def test_no_room_is_forgotten():
    root = Path(repcost.__file__).parent
    packages = {".".join(path.parent.relative_to(root.parent).parts) for path in _packages(root)}
    assert packages <= {room.module for room in rooms()}


def test_a_package_that_is_not_named_is_found(monkeypatch):
    without = [room for room in LIBRARY if room.module != "repcost.shallow"]
    monkeypatch.setattr("repcost_book.pages.rooms.LIBRARY", without)
    found = rooms.__wrapped__()[len(without)]
    assert found.module == "repcost.shallow" and found.title == "Shallow"
    assert "certify_shallow" in found.names()


def _packages(root: Path) -> Iterator[Path]:
    # A package that says what is public in it.
    for path in root.rglob("__init__.py"):
        if path.parent != root and "__all__" in path.read_text(encoding="utf-8"):
            yield path


def test_rooms_introduce_themselves_and_say_how_to_get_at_their_names():
    page = api_page()
    assert "## Networks made of two\n\n`repcost.joined`\n\nNetworks made of two" in page
    assert "from repcost.joined import composed\ncomposed(outer, inner)" in page
    assert "```python\nfrom repcost import" not in page
    assert "WRONG = '#D55E00'" in page


def test_what_a_function_returns_stands_on_the_page_once():
    assert api_page().count("### LineInterpolant\n") == 1


def test_signatures_show_defaults_and_no_shapes():
    assert "regularised_fit(x, y, strength, *, loss='squared')" in api_page()


def test_mathematics_in_plain_text_survives_markdown():
    assert plain("sum_k |a_k| [<w, x>]_+ and `a_k`") == r"sum\_k \|a\_k\| \[\<w, x\>\]\_+ and `a_k`"


def test_an_introduction_ends_before_examples_and_formulas():
    assert first_paragraphs("One.\n\nTwo.\n\nThree.", 2) == ["One.", "Two."]
    assert first_paragraphs("One.\n\n>>> 1\n1\n\nTwo.", 3) == ["One."]
    assert first_paragraphs("One.\n\n    x = 1\n\nTwo.", 3) == ["One."]


def imported(code: str) -> Iterator[tuple[str, str]]:
    """The modules of ours that this code imports, and the names from them; "" for the module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def undocumented(code: str) -> list[str]:
    """What is imported and not on the library page."""
    ours = [each for each in imported(code) if each[0].split(".")[0] in OURS]
    return [
        f"{module}: {name}" if name else module
        for module, name in ours
        if name not in ["", *public().get(module, ())] or module not in public()
    ]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_imports_only_what_is_on_the_page(name):
    code = "\n".join(cell.source for cell in code_cells(CHAPTERS[name].notebook()))
    assert undocumented(code) == []


def test_the_guard_above_can_fail():
    assert undocumented("import numpy\nfrom repcost import train\nimport repcost.joined") == []
    lazily = "def f():\n    from repcost.bounds import Bracket, Ends\n    import repcost.rounding"
    assert undocumented(lazily) == [
        "repcost.bounds: Bracket",
        "repcost.bounds: Ends",
        "repcost.rounding",
    ]
    assert undocumented("from repcost import nothing") == ["repcost: nothing"]
