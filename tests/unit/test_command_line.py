import pytest

from repcost_book.__main__ import main
from repcost_book.commands.options import parameter


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert all(
        name in text
        for name in ("book", "run", "serve", "test", "references", "bench", "lab", "lock", "clean")
    )


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
    from repcost_book.runner.project import Project

    monkeypatch.chdir(tmp_path)
    assert (Project.here().root / "_toc.yml").is_file()
