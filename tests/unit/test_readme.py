"""The README does what it says."""

import re

from repcost_book.project import REPOSITORY, Project

ROOT = Project.here().root
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_runs_and_prints_what_its_comments_say(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    said = re.findall(r"^print\(.*?\)  # (.*)$", example, flags=re.MULTILINE)
    assert [line.split(", half")[0] for line in said[1:]] == printed[1:]
    assert said[0] == printed[0]


def test_every_target_of_the_makefile_is_a_command():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"^\t\$\(RUN\) (\w+)", makefile, flags=re.MULTILINE))
    from repcost_book.__main__ import _parser

    actions = _parser()._subparsers._group_actions[0]  # pyright: ignore[reportOptionalMemberAccess, reportPrivateUsage]
    assert commands <= set(actions.choices or ())


def test_the_address_of_the_repository_is_the_one():
    assert f"repository-code: {REPOSITORY}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
