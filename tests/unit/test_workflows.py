"""The workflows call what exists: commands with options they take, targets of make, extras."""

import json
import re
import shlex
import tomllib

import pytest
import yaml

from repcost_book.commands.command import Command
from repcost_book.commands.main import command_line, main
from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project

PROJECT = Project.here()
FILES = sorted((PROJECT.root / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {file.name: yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES}


def lines(workflow: dict) -> list[str]:
    """What its steps run."""
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    return [line for step in steps for line in step.get("run", "").splitlines()]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_command_and_target_exists(name):
    text = "\n".join(lines(WORKFLOWS[name]))
    commands = re.findall(r"python -m repcost_book ([^)\n]*)", text)
    targets = re.findall(r"^make (\w+)", text, flags=re.MULTILINE)
    assert commands or targets
    for arguments in commands:
        options, rest = command_line().parse_known_args(shlex.split(arguments))
        command: Command = options.command
        assert callable(command) and (command.passes_on or not rest)
    makefile = (PROJECT.root / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in targets)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_to_commits_with_their_tags(name):
    text = (PROJECT.root / ".github" / "workflows" / name).read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", each) for each in used)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_what_is_installed_and_who_waits_for_whom_exists(name):
    about = tomllib.loads((PROJECT.root / "pyproject.toml").read_text())["project"]
    extras = about["optional-dependencies"]
    jobs = WORKFLOWS[name]["jobs"]
    assert {job["needs"] for job in jobs.values() if "needs" in job} <= set(jobs)
    for group in re.findall(r'-e "\.\[(.*?)\]"', "\n".join(lines(WORKFLOWS[name]))):
        assert set(group.split(",")) <= set(extras)


def test_the_paper_profile_runs_a_job_for_each_chapter_and_keeps_what_it_made():
    jobs = WORKFLOWS["paper.yml"]["jobs"]
    # YAML reads the key `on` as a truth value.
    inputs = WORKFLOWS["paper.yml"][True]["workflow_dispatch"]["inputs"]
    text = (PROJECT.root / ".github/workflows/paper.yml").read_text()
    assert set(re.findall(r"inputs\.(\w+)", text)) == set(inputs)
    assert jobs["chapter"]["strategy"]["matrix"] == {
        "chapter": "${{ fromJSON(needs.list.outputs.chapters) }}"
    }
    # Of a list that the job before makes of the records; the others are on GitHub's own machines.
    listed = jobs["list"]["steps"][-1]["run"]
    assert "gpu=$(python -m repcost_book chapters --gpu $CHAPTERS)" in listed
    assert jobs["list"]["outputs"]["gpu"] == "${{ steps.list.outputs.gpu }}"
    assert jobs["chapter"]["runs-on"] == (
        "${{ contains(fromJSON(needs.list.outputs.gpu), matrix.chapter) && inputs.runner "
        "|| 'ubuntu-latest' }}"
    )
    kept = jobs["chapter"]["steps"][-1]["with"]["path"].split()
    assert kept == [
        str(path.relative_to(PROJECT.root))
        for path in (PROJECT.executed("paper"), PROJECT.benchmarks.parent)
    ]


def test_the_list_of_chapters_is_json_on_one_line(capsys):
    main(["chapters"])
    printed = capsys.readouterr().out
    assert json.loads(printed) == [chapter.name for chapter in chapters(PROJECT)]
    assert printed.count("\n") == 1


def test_the_check_sees_a_wrong_command(capsys):
    with pytest.raises(SystemExit):
        command_line().parse_args(shlex.split('run "$CHAPTER" --size paper'))
    assert "--size" in capsys.readouterr().err
