"""What is said of floors; that they hold is seen by `make floors`, which takes too long here."""

import os
import re
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from repcost import interpolate_plane
from repcost.arrays import distinct_rows
from repcost_book.commands.main import main
from repcost_book.runner.project import Project
from repcost_book.trials.floors import (
    OURS,
    Floors,
    by_package,
    floor,
    lifted,
    requirements,
    versions,
)

RESOLVED = versions("# made by uv\nnumpy==2.0.0\nSciPy==1.15.0\ntorch==2.13.0+cpu ; extra == 'a'\n")
REPORT = """<testsuites><testsuite>
<testcase classname="tests.unit.test_a" name="passes"/>
<testcase classname="tests.unit.test_a" name="one"><failure message="m">
/x/site-packages/numpy/core.py:3: in f
/x/lib/repcost/arrays.py:9: in g
/x/site-packages/cvxpy/problem.py:3: in h
lib/repcost/arrays.py:10: ValueError</failure></testcase>
<testcase classname="tests.unit.test_a" name="two"><error>lib/repcost/arrays.py:9</error></testcase>
<testcase classname="" name="tests.unit.test_b"><error message="collection failure">
C:\\x\\site-packages\\sphinx_proof\\directive.py</error></testcase>
</testsuite></testsuites>"""


def test_every_requirement_has_a_floor():
    wanted = requirements(Project.here())
    assert {"numpy", "torch", "jupyterlab", "dask-jobqueue"} <= {each.name for each in wanted}
    assert all(floor(each) for each in wanted)


def test_a_requirement_without_a_floor_is_refused():
    with pytest.raises(ValueError, match=r"numpy<3 has no floor; write numpy>=|NAME>=VERSION"):
        floor(Requirement("numpy<3"))


def test_a_floor_that_was_not_resolved_is_seen():
    wanted = [Requirement(text) for text in ("numpy>=2.0", "scipy>=1.13,<2", "torch>=2.6")]
    assert lifted(wanted, RESOLVED) == {
        "scipy<2,>=1.13": Version("1.15.0"),
        "torch>=2.6": Version("2.13.0+cpu"),
    }
    assert list(lifted(wanted, RESOLVED, ["torch==2.13.0"])) == ["scipy<2,>=1.13"]


def test_failures_are_sorted_by_the_last_package_of_the_traceback():
    assert by_package(REPORT) == {
        "cvxpy": ["tests.unit.test_a::one"],
        OURS: ["tests.unit.test_a::two"],
        "sphinx_proof": ["::tests.unit.test_b"],
    }


def test_the_copy_has_what_git_knows_and_what_is_new_and_nothing_that_is_ignored(tmp_path):
    root = tmp_path / "book"
    for name, text in {
        "kept.py": "old",
        "lib/new.py": "new",
        "_build/made.txt": "",
        ".gitignore": "_build\n",
        "requirements.lock": "numpy==9",
        "gone.py": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git = ["git", "-c", "user.name=a", "-c", "user.email=b"]
    for command in (["init", "-q"], ["add", "kept.py", "gone.py"], ["commit", "-qm", "c"]):
        subprocess.run([*git, *command], cwd=root, check=True)
    (root / "kept.py").write_text("changed")
    (root / "gone.py").unlink()
    trial = Floors(Project(root))
    trial.folder.mkdir()
    trial.constraints.write_text("numpy==2.0.0")
    trial._copy()
    files = {
        path.relative_to(trial.checkout).as_posix(): path.read_text()
        for path in trial.checkout.rglob("*")
        if path.is_file() and ".git/" not in path.as_posix()
    }
    assert files == {
        ".gitignore": "_build\n",
        "kept.py": "changed",
        "lib/new.py": "new",
        "requirements.lock": "numpy==2.0.0",
    }


@pytest.fixture
def trial(monkeypatch):
    """A run in which nothing is installed, and that ends as a test says."""
    state = SimpleNamespace(resolved={}, bad=[], failed={}, steps=[], asked=[])
    state.resolved = {each.name.lower(): floor(each) for each in requirements(Project.here())}
    monkeypatch.setattr(Floors, "resolve", lambda self: state.resolved)
    monkeypatch.setattr(Floors, "install", lambda self: None)
    monkeypatch.setattr(Floors, "not_imported", lambda self: state.bad)

    def test(self, arguments):
        state.asked += arguments
        return state.steps, state.failed

    monkeypatch.setattr(Floors, "test", test)
    return state


def test_it_says_so_when_all_hold(trial, capsys):
    main(["floors"])
    assert capsys.readouterr().out.endswith("All floors hold.\n")


def test_arguments_are_those_of_pytest_and_pins_are_named(trial, capsys):
    trial.resolved["torch"] = Version("2.13.0")
    main(["floors", "--pin", "torch==2.13.0", "tests/unit", "-k", "tours"])
    printed = capsys.readouterr().out
    assert trial.asked == ["tests/unit", "-k", "tours"]
    assert "Not at their floors, as was asked for:\n  torch==2.13.0" in printed
    assert "All floors hold" not in printed


@pytest.mark.parametrize(
    "change, says",
    [
        ({"steps": ["ruff check"]}, "Failed:\n  ruff check"),
        ({"bad": ["uv: ImportError: no: really"]}, "uv  ImportError: no: really"),
        (
            {"steps": ["a"], "failed": {"numpy": ["a", "b"], OURS: ["c"]}},
            "2 failed in numpy 2.0\na\nb",
        ),
    ],
)
def test_it_fails_by_tests_and_by_imports(trial, capsys, change, says):
    vars(trial).update(change)
    with pytest.raises(SystemExit, match="do not hold"):
        main(["floors"])
    assert says in capsys.readouterr().out


def test_it_fails_by_a_floor_that_others_lift(trial, capsys):
    trial.resolved["scipy"] = Version("99")
    with pytest.raises(SystemExit, match="do not hold"):
        main(["floors"])
    assert "raise them in pyproject.toml" in capsys.readouterr().out


def test_what_cannot_be_installed_ends_it_with_the_command(trial, monkeypatch):
    def fails(self):
        raise subprocess.CalledProcessError(1, ["uv", "pip", "compile"])

    monkeypatch.setattr(Floors, "resolve", fails)
    with pytest.raises(SystemExit, match=r"cannot be had together; .* code 1:\n  uv pip compile"):
        main(["floors"])


def test_the_python_is_the_one_of_the_environment(tmp_path):
    trial = Floors(Project(tmp_path))
    assert trial.python.startswith(str(tmp_path / "_build" / "floors"))
    assert ("Scripts" in trial.python) == (os.name == "nt")


def test_numbers_of_rows_may_come_as_a_column(monkeypatch):
    """As numpy 2.0.0 has them; other versions do not."""
    usual = np.unique

    def as_column(rows, **options):
        found = usual(rows, **options)
        if options.keys() >= {"axis", "return_inverse"}:
            return *found[:-1], found[-1].reshape(-1, 1)
        return found

    X = [[1.0, 0.0], [0.0, 2.0], [1.0, 0.0]]
    before = distinct_rows(np.array(X)), interpolate_plane(X, [1.0, 2.0, 1.0]).cost
    monkeypatch.setattr(np, "unique", as_column)
    after = distinct_rows(np.array(X)), interpolate_plane(X, [1.0, 2.0, 1.0]).cost
    np.testing.assert_equal(after[0], before[0])
    assert (after[1].lower, after[1].upper) == (before[1].lower, before[1].upper)


def test_rows_are_numbered_in_one_place_only():
    found = [
        path.name
        for path in sorted((Project.here().root / "lib" / "repcost").rglob("*.py"))
        for call in re.findall(r"np\.unique\(([^)]*)\)", path.read_text(encoding="utf-8"))
        if "axis" in call and "return_inverse" in call
    ]
    assert found == ["arrays.py"]
