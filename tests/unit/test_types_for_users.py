"""What mypy and basedpyright tell users: nothing where all is right, an error where it is not."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version

import repcost
from repcost_book.runner.project import Project

TESTS = Project.here().root / "tests"
LIBRARY = Path(repcost.__file__).parent.parent
FILES = [TESTS / "user_code.py", TESTS / "user_mistakes.py"]

# For each file, the lines with errors, and what was said of each.
Found = dict[str, dict[int, str]]


def by_mypy(folder: Path) -> Found:
    command = ["-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    options = [f"--cache-dir={folder / 'mypy'}", "--config-file="]
    said = _said([*command, *options, *(path.name for path in FILES)], folder)
    found: Found = {path.name: {} for path in FILES}
    for name, line, what in re.findall(r"^([\w.]+):(\d+): error: (.*)$", said, flags=re.M):
        found[name][int(line)] = what
    return found


def by_basedpyright(folder: Path) -> Found:
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(LIBRARY)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = ["-m", "basedpyright", "--outputjson", f"--pythonpath={sys.executable}"]
    told = json.loads(_said([*command, *(path.name for path in FILES)], folder))
    found: Found = {path.name: {} for path in FILES}
    for each in told["generalDiagnostics"]:
        if each["severity"] == "error":
            # It counts lines from zero.
            found[Path(each["file"]).name][each["range"]["start"]["line"] + 1] = each["message"]
    return found


def _said(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "MYPYPATH": str(LIBRARY)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


# Takes up to fifteen seconds with mypy, which keeps nothing in a folder that is new.
@pytest.fixture(scope="module", params=[by_mypy, by_basedpyright], ids=lambda by: by.__name__)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Found:
    checker: Callable[[Path], Found] = request.param
    # As in a project of one's own, where no settings of ours hold.
    folder = tmp_path_factory.mktemp("project")
    for path in FILES:
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return checker(folder)


# An array without parameters is incomplete to `mypy --strict` there.
OLD_ARRAYS = Version(np.__version__) < Version("2.3")


@pytest.mark.skipif(OLD_ARRAYS, reason="types are promised for the pins; here numpy is older")
def test_right_uses_are_right(found):
    assert found["user_code.py"] == {}


def test_every_mistake_is_found_and_nothing_else(found):
    lines = enumerate(FILES[1].read_text(encoding="utf-8").splitlines(), start=1)
    marked = {line for line, text in lines if "# wrong" in text}
    assert len(marked) > 40
    assert set(found["user_mistakes.py"]) == marked


def test_every_public_name_is_used():
    tree = ast.parse(FILES[0].read_text(encoding="utf-8"))
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    named |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert set(repcost.__all__) <= named


def test_ends_are_floats_and_not_anything(found):
    lines = FILES[1].read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "cost.value.max()" in text)
    assert "float" in found["user_mistakes.py"][line]
