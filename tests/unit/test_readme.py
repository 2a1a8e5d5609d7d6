"""The README does what it says."""

import re

from repcost import __version__
from repcost_book.commands.main import COMMANDS
from repcost_book.runner.project import REPOSITORY, YEAR, Project

ROOT = Project.here().root
README = (ROOT / "README.md").read_text(encoding="utf-8")


def run(example: str, capsys) -> list[str]:
    exec(compile(example, "README.md", "exec"), {})
    return capsys.readouterr().out.splitlines()


def test_the_examples_run_and_print_what_their_comments_say(capsys):
    first, second = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    said = re.findall(r"^print\(.*?\)  # (.*)$", first, flags=re.MULTILINE)
    assert run(first, capsys) == [line.split(", half")[0] for line in said]
    assert any(line.startswith("bottleneck") for line in run(second, capsys))


def test_every_target_of_the_makefile_is_a_command():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"^\t\$\(RUN\) (\w+)", makefile, flags=re.MULTILINE))
    assert commands <= {command.name for command in COMMANDS}


def test_the_address_of_the_repository_is_the_one():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"repository-code: {REPOSITORY}" in citation and f"date-released: {YEAR}-" in citation
    shown = (ROOT / "book" / "start" / "references.md").read_text(encoding="utf-8")
    assert f"Version {__version__}" in shown and f"year   = {{{YEAR}}}" in shown
    assert f"version: {__version__}" in citation and REPOSITORY in shown
