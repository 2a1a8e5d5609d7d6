"""The README does what it says."""

import re

import pytest

from repcost import __version__
from repcost_book.commands.main import COMMANDS
from repcost_book.runner.project import REPOSITORY, YEAR, Project

ROOT = Project.here().root
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def run(example: str, capsys) -> list[str]:
    exec(compile(example, "README.md", "exec"), {})
    return capsys.readouterr().out.splitlines()


def test_the_examples_run_and_print_what_their_comments_say(capsys):
    first, second = EXAMPLES
    said = re.findall(r"^print\(.*?\)  # (.*)$", first, flags=re.MULTILINE)
    assert run(first, capsys) == [line.split(", half")[0] for line in said]
    printed = run(second, capsys)
    assert any(line.startswith("bottleneck") for line in printed)
    (table,) = re.findall(r"```text\n(.*?)```", README, flags=re.DOTALL)
    told, found = cells(table.splitlines()), cells(printed[: len(table.splitlines())])
    assert [row[0] for row in told] == [row[0] for row in found] and told[0] == found[0]
    # How the last digits of a training fall depends on the processor.
    for before, now in zip(told[2:4], found[2:4], strict=True):
        norms = [[float(number) for number in row[1:4]] for row in (before, now)]
        assert norms[1] == pytest.approx(norms[0], rel=0.05)
        assert float(now[4]) == pytest.approx(float(before[4]), rel=0.5)


def cells(lines: list[str]) -> list[list[str]]:
    """What stands in a table whose columns are apart by two spaces or more."""
    return [re.split(r" {2,}", line.strip()) for line in lines]


def test_every_target_of_the_makefile_is_a_command():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"^\t\$\(RUN\) (\w+)", makefile, flags=re.MULTILINE))
    assert commands <= {command.name for command in COMMANDS}


def test_the_address_of_the_repository_is_the_one():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"repository-code: {REPOSITORY}" in citation and f"date-released: {YEAR}-" in citation
    assert f"version: {__version__}" in citation
