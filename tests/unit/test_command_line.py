import argparse
import contextlib
import socket
import subprocess

import pytest

from repcost_book.__main__ import main
from repcost_book.commands.command import Command
from repcost_book.commands.main import COMMANDS
from repcost_book.commands.options import parameter
from repcost_book.runner.project import Project


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    names = {command.name for command in COMMANDS}
    assert names >= {"book", "run", "new", "serve", "test", "references", "bench", "lab", "lock"}
    assert names >= {"clean", "fuzz", "floors", "elsewhere"}
    assert all(name in text for name in names)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_and_option_says_what_it_is_for(command):
    parser = argparse.ArgumentParser()
    for add_options in command.add_options:
        add_options(parser)
    assert command.says and command.run.__doc__
    assert [action.dest for action in parser._actions if not action.help] == []


def test_a_package_that_is_missing_is_named_with_the_remedy():
    command = Command("a", "b", lambda project, options: None, needs=("no_such_package", "book"))
    with pytest.raises(SystemExit, match=r"extra \[book\]; install them with\n .*pip install"):
        command(Project.here(), argparse.Namespace())


@pytest.mark.parametrize(
    "text, value", [("seed=3", 3), ("device=cpu", "cpu"), ("rate=1e-3", 1e-3), ("name=", "")]
)
def test_parameters(text, value):
    assert parameter(text) == (text.split("=")[0], value)


@pytest.mark.parametrize(
    "text, says", [("seed", "NAME=VALUE"), ("=3", "NAME=VALUE"), ("profile=paper", "--profile")]
)
def test_bad_parameters(text, says):
    with pytest.raises(SystemExit, match=says):
        parameter(text)


def test_unknown_arguments_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["book", "--profil", "paper", "--quik"])
    assert "--quik" in capsys.readouterr().err


def test_an_unknown_profile_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["book", "--profile", "quik"])
    assert "quik" in capsys.readouterr().err


def test_outside_a_checkout_the_installed_one_is_used(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (Project.here().root / "_toc.yml").is_file()


@pytest.mark.parametrize("option", ["--jobs", "--cell-timeout", "--chapter-timeout"])
@pytest.mark.parametrize("value", ["0", "-5", "1.5", "many"])
def test_numbers_that_mean_nothing_are_refused(capsys, option, value):
    with pytest.raises(SystemExit):
        main(["book", f"{option}={value}"])
    assert f"must be a whole number >= 1, not '{value}'" in capsys.readouterr().err


@pytest.mark.parametrize("fails", ["repcost_book run", "repcost_book book", "ruff check", ""])
def test_looks_begin_beside_the_pages_and_whatever_fails_is_named(monkeypatch, fails):
    steps, returned = [], {True: 1, False: 0}

    def step(project, arguments, environment=None):
        steps.append(name := " ".join(arguments[:2]))
        return [name] if name == fails else []

    def look(command, **_):
        assert steps[:1] == ["repcost_book run"]
        name = " ".join(command[2:])
        return subprocess.CompletedProcess(command, returned[name == fails], stdout="")

    monkeypatch.setattr("repcost_book.commands.testing._step", step)
    monkeypatch.setattr("repcost_book.commands.testing.subprocess.run", look)
    with contextlib.nullcontext() if not fails else pytest.raises(SystemExit, match=fails):
        main(["test"])
    made = ["repcost_book book"] if fails != "repcost_book run" else []
    assert steps == ["repcost_book run", *made, "pytest -n", "repcost_book compare"]


def test_a_port_that_is_taken_is_named_before_the_pages_are_made(monkeypatch):
    monkeypatch.setattr("repcost_book.commands.making.book", lambda *_: pytest.fail("too late"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SystemExit, match=f"Port {port} cannot be used .*--port 0 for a free"):
            main(["serve", "--port", str(port)])


def test_a_port_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "--port", "70000"])
    assert "must be a port from 0 to 65535, not '70000'" in capsys.readouterr().err
